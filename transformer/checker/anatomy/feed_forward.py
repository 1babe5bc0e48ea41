"""Feed-forward networks: two matrices, and what bends the stream between them."""

from dataclasses import dataclass

from ...eyes.attention import Attention
from ...eyes.graph import PRODUCTS, Graph, Node, Operand, is_norm
from ..basis.clues import Clues

BENDING = {
    *("relu", "gelu", "silu", "tanh", "sigmoid", "leaky_relu", "elu", "softplus", "mish", "pow"),
    *("hardswish", "erf", "exp", "threshold", "clamp", "clamp_min", "maximum", "where", "celu"),
    *("hardtanh", "log_sigmoid_forward", "_prelu_kernel", "square", "glu"),
}


@dataclass(eq=False)
class FeedForward:
    """A network from its first matrix to its last; `bent` if something nonlinear is between."""

    first: Node
    last: Node
    bent: bool


def find_feed_forwards(graph: Graph, attentions: list[Attention]) -> list[FeedForward]:
    """Every pair of matrices as wide after it as before, and wider between if nothing bends."""
    taken = {
        source.linear.index
        for attention in attentions
        for source in attention.sources
        if source.linear is not None
    }
    networks: list[FeedForward] = []
    for last in graph.nodes:
        if not graph.is_linear(last) or not graph.read_by(last).of_tokens or last.index in taken:
            continue
        wide = last.output.tensor.size(_features(last))
        narrows = _width(graph, last) > wide
        first, bent = _before(graph, graph.read_by(last), narrows=narrows)
        if first is None or _width(graph, first) != wide:
            continue
        # A matrix whose result others read, too, makes a stream, as that behind narrow embeddings.
        readers = graph.readers.get(first.index, [])
        alone = all(node.index in graph.ancestors[last.index] for node, _ in readers)
        if bent or (alone and _width(graph, last) > _width(graph, first)):
            networks.append(FeedForward(first, last, bent))
    return networks


def judge_activation(networks: list[FeedForward], clues: Clues) -> None:
    """`activation_missing`: two matrices in a row are one matrix."""
    for network in networks:
        if not network.bent:
            clues.add("activation_missing", place=network.last.place)
            return
    if not networks:
        clues.cannot_tell("no_feed_forward", "activation_missing")


def _width(graph: Graph, node: Node) -> int:
    return graph.read_by(node).tensor.size(_features(node))


def _features(node: Node) -> int:
    return 1 if node.name == "convolution" else -1


def _before(graph: Graph, operand: Operand, *, narrows: bool) -> tuple[Node | None, bool]:
    """The first matrix before an operand, and whether anything on the way is not linear.

    Before a matrix that narrows, what is wide may be normed, too (as in NormFormer).
    """
    waiting, seen, bent, normed = [operand], set[int](), False, False
    first: Node | None = None
    while waiting:
        for node in graph.makers(waiting.pop()):
            if node.index in seen:
                continue
            seen.add(node.index)
            if graph.is_linear(node):
                first = node
                continue
            normed |= is_norm(node)
            if (normed and not narrows) or node.name in PRODUCTS or node.name == "embedding":
                return None, False
            streams = [o for o in node.operands if o.of_tokens]
            gate = node.name.rstrip("_") == "mul" and len(streams) > 1
            bent |= gate or node.name.rstrip("_") in BENDING
            waiting.extend(streams)
    return (None if normed and not bent else first), bent
