"""Sublayers, the residual sums behind them, and the norms between."""

from dataclasses import dataclass

from ..clues import Clues
from .attention import Attention
from .graph import PRODUCTS, Graph, Node, Operand, is_norm

BENDING = {
    *("relu", "gelu", "silu", "tanh", "sigmoid", "leaky_relu", "elu", "softplus", "mish", "pow"),
    *("hardswish", "erf", "exp", "threshold", "clamp", "clamp_min", "maximum", "where", "celu"),
    *("hardtanh", "log_sigmoid_forward", "_prelu_kernel", "square", "glu"),
}


@dataclass(eq=False)
class Sublayer:
    """An attention or a feed-forward network, between its input and its residual sum.

    Attributes:
        reads: what its first matrix reads.
        last: its last operation.
        of_source: whether it belongs to the encoder.
        total: the addition that puts its input back; None if there is none.
    """

    name: str
    reads: Operand
    last: Node
    of_source: bool
    total: Node | None = None


def chain(graph: Graph, operand: Operand, *, far: bool) -> set[int]:
    """The operations behind an operand, as far as they only scale, shift, normalise or move it.

    Args:
        graph: the recording.
        operand: where to start.
        far: go on through sums of two streams, along both.
    """
    found: set[int] = set()
    waiting = [operand]
    while waiting:
        for node in graph.makers(waiting.pop()):
            if node.index in found:
                continue
            found.add(node.index)
            if graph.is_linear(node) or node.name in PRODUCTS or node.name == "embedding":
                continue
            streams = [o for o in node.operands if o.of_tokens]
            wide = [o for o in streams if o.tensor.dim() and o.tensor.shape[-1:] != (1,)]
            if is_norm(node) or node.name.rstrip("_") in {"sub", "div"}:
                wide = wide[:1]
            if len(wide) == 1 or far:
                waiting.extend(wide)
    return found


def feed_forwards(graph: Graph) -> list[tuple[Node, Node]]:
    """Every pair of matrices with something bending between, as wide after it as before."""
    found: list[tuple[Node, Node]] = []
    for last in graph.nodes:
        if not graph.is_linear(last) or not graph.read_by(last).of_tokens:
            continue
        first, bent = _before(graph, graph.read_by(last))
        if bent and first is not None and _width(graph, first) == last.output.tensor.size(-1):
            found.append((first, last))
    return found


def _width(graph: Graph, node: Node) -> int:
    tensor = graph.read_by(node).tensor
    return tensor.size(1) if node.name == "convolution" else tensor.size(-1)


def _before(graph: Graph, operand: Operand) -> tuple[Node | None, bool]:
    waiting, seen, bent = [operand], set[int](), False
    first: Node | None = None
    while waiting:
        for node in graph.makers(waiting.pop()):
            if node.index in seen:
                continue
            seen.add(node.index)
            if graph.is_linear(node):
                first = node
                continue
            if is_norm(node) or node.name in PRODUCTS or node.name == "embedding":
                return None, False
            bent |= node.name.rstrip("_") in BENDING
            waiting.extend(o for o in node.operands if o.of_tokens)
    return first, bent


def find_sublayers(graph: Graph, attentions: list[Attention]) -> list[Sublayer]:
    """All sublayers in the order of execution, each with its residual sum where it has one."""
    found: list[Sublayer] = []
    known: set[tuple[object, int]] = set()
    for attention in attentions:
        query = attention.sources[0].linear
        if query is None or attention.kind == "reversed":
            continue  # what it should add back to what is anybody's guess
        if (attention.kind, attention.layer) in known:
            continue
        known.add((attention.kind, attention.layer))
        last = _projection(graph, attention.mix.node) or attention.mix.node
        reads = graph.read_by(query)
        of_source = attention.kind == "encoder_self"
        found.append(Sublayer(attention.place or attention.kind, reads, last, of_source))
    if found:
        start = min(sublayer.last.index for sublayer in found)
        for first, last in feed_forwards(graph):
            if first.index > start:
                reads = graph.read_by(first)
                assert reads.labels is not None
                of_source = bool(attentions[0].tokens.is_src(reads.labels).any())
                found.append(Sublayer(last.place, reads, last, of_source))
    found.sort(key=lambda sublayer: sublayer.last.index)
    for sublayer in found:
        sublayer.total = _residual(graph, sublayer)
    return found


def _projection(graph: Graph, mix: Node) -> Node | None:
    frontier, seen = [mix.index], set[int]()
    while frontier:
        for node, _ in graph.readers.get(frontier.pop(0), []):
            if node.index in seen or is_norm(node):
                continue
            seen.add(node.index)
            if graph.is_linear(node):
                return node
            if node.name not in PRODUCTS and node.name.rstrip("_") != "add":
                frontier.append(node.index)
    return None


def _residual(graph: Graph, sublayer: Sublayer) -> Node | None:
    stream = chain(graph, sublayer.reads, far=False)
    frontier, seen = [sublayer.last.index], set[int]()
    while frontier:
        for node, operand in graph.readers.get(frontier.pop(0), []):
            if node.index in seen or node.index <= sublayer.last.index:
                continue
            seen.add(node.index)
            if node.name in PRODUCTS or not node.output.of_tokens:
                continue
            others = [o for o in node.operands if o is not operand and o.of_tokens]
            if node.name.rstrip("_") in {"add", "sub"} and len(node.operands) > 1:
                if any(chain(graph, o, far=True) & stream for o in others):
                    return node
            frontier.append(node.index)
    return None


def judge_sublayers(
    graph: Graph, sublayers: list[Sublayer], result: tuple[int, ...], clues: Clues
) -> None:
    """`residual_missing` and `norm_missing`, of what reaches the logits."""
    behind = set[int]().union(*(graph.ancestors[index] for index in result))
    if behind:
        sublayers = [sublayer for sublayer in sublayers if sublayer.last.index in behind]
    if not sublayers:
        clues.cannot_tell("residual_missing", "norm_missing")
        return
    for sublayer in sublayers:
        if sublayer.total is None and not clues.has("residual_missing"):
            clues.add("residual_missing", "residual_missing", place=sublayer.name)
    totals = {sublayer.total.index for sublayer in sublayers if sublayer.total is not None}
    for sublayer in sublayers:
        if sublayer.total is None or clues.has("norm_missing"):
            continue
        reader = _raw_reader(graph, sublayer.total, totals, behind)
        if reader is not None:
            clues.add(
                "norm_missing", "norm_missing", place=sublayer.name, reader=reader.place or "?"
            )
    for of_source in (True, False):
        tower = [sublayer for sublayer in sublayers if sublayer.of_source == of_source]
        if len(tower) > 1 and not clues.has("norm_missing") and _first_is_bare(graph, tower):
            clues.add("norm_missing", "first_norm_missing", place=tower[0].name)


def _raw_reader(graph: Graph, total: Node, totals: set[int], behind: set[int]) -> Node | None:
    """A matrix that reads a residual sum without a norm between."""
    frontier, seen = [total.index], set[int]()
    while frontier:
        for node, _ in graph.readers.get(frontier.pop(0), []):
            if node.index in seen or node.index in totals or is_norm(node):
                continue
            seen.add(node.index)
            if node.name in PRODUCTS:
                if not behind or node.index in behind:
                    return node
                continue
            if node.output.of_tokens and _keeps_width(node):
                frontier.append(node.index)
    return None


def _keeps_width(node: Node) -> bool:
    """Statistics of a hand-written norm (a mean, a deviation) are no stream."""
    return node.output.tensor.shape[-1:] != (1,)


def _first_is_bare(graph: Graph, tower: list[Sublayer]) -> bool:
    """In a pre-norm stack the first sublayer, too, reads through a norm."""
    norms = [_norms(graph, sublayer.reads) for sublayer in tower[:2]]
    second = tower[1]
    if norms[0] or not norms[1] or second.total is None:
        return False
    kept = set[int]()
    for operand in second.total.operands:
        if operand.of_tokens and second.last.index not in graph.before(operand):
            kept |= chain(graph, operand, far=False)
    return not (kept & norms[1])


def _norms(graph: Graph, operand: Operand) -> set[int]:
    behind = chain(graph, operand, far=False)
    return {index for index in behind if is_norm(graph.nodes[index])}
