"""What a stack adds back and what it normalises, sublayer by sublayer."""

import torch

from ...eyes.graph import MOVES, Graph, Node, Operand, is_norm
from ..basis.clues import Clues
from .sublayers import (
    Sublayer,
    by_token,
    chain,
    joins_later,
    of_several_streams,
    smoothed,
    stream_of,
)


def judge_sublayers(
    graph: Graph, sublayers: list[Sublayer], result: tuple[int, ...], clues: Clues
) -> None:
    """`residual_missing`, `residual_from_norm` and `norm_missing`, of what reaches the logits."""
    behind = graph.behind(result)
    if behind:
        sublayers = [sublayer for sublayer in sublayers if sublayer.last.index in behind]
    if not sublayers:
        clues.cannot_tell("no_sublayers", "residual_missing", "residual_from_norm", "norm_missing")
        return
    heads = _heads(sublayers)
    for sublayer in sublayers:
        if sublayer.total is None and sublayer not in heads and not clues.has("residual_missing"):
            if joins_later(graph, sublayer, behind):
                clues.cannot_tell("joined_otherwise", "residual_missing")
            else:
                clues.add("residual_missing", place=sublayer.name)
    totals = {sublayer.total.index for sublayer in sublayers if sublayer.total is not None}
    branches = _between_normed_branches(graph, sublayers)
    for sublayer in sublayers:
        if sublayer.total is None or clues.has("norm_missing"):
            continue
        if _gated(graph, sublayer) or of_several_streams(sublayer):
            clues.cannot_tell("branches_gated", "norm_missing")
            continue
        reader = _raw_reader(graph, sublayer.total, totals, behind)
        if reader is not None and sublayer in branches and _normed_after(graph, reader, behind):
            continue
        if reader is not None:
            clues.add("norm_missing", place=sublayer.name, reader=reader.place or "?")
    for of_source in (True, False):
        tower = [sublayer for sublayer in sublayers if sublayer.of_source == of_source]
        if len(tower) > 1 and not clues.has("norm_missing") and _first_is_bare(graph, tower):
            clues.add("norm_missing", "first_norm_missing", place=tower[0].name)
        normed = _adds_normed(graph, tower)
        if normed is not None and not clues.has("residual_from_norm"):
            clues.add("residual_from_norm", place=normed.name)
        elif tower and not _layer(tower[0].name) and tower[0].total is not None:
            if _shared(graph, tower[0]):
                clues.cannot_tell("norm_of_nobody", "residual_from_norm")


def _heads(sublayers: list[Sublayer]) -> list[Sublayer]:
    """Networks behind the last layer, before the words: nobody adds anything back there."""
    last = max((i for i, each in enumerate(sublayers) if each.attends), default=-1)
    return sublayers[last + 2 :]


def _between_normed_branches(graph: Graph, sublayers: list[Sublayer]) -> set[Sublayer]:
    """Sublayers of towers in which every branch ends in a norm, so that sums grow no faster than
    they are many, as in OLMo 2.
    """
    inner: set[Sublayer] = set()
    for of_source in (True, False):
        tower = [sublayer for sublayer in sublayers if sublayer.of_source == of_source]
        if all(_branch_ends_in_norm(graph, sublayer) for sublayer in tower):
            inner |= {*tower}
    return inner


def _normed_after(graph: Graph, reader: Node, behind: set[int]) -> bool:
    """Whether what a matrix makes meets a norm before it gets to the logits."""
    later = (graph.nodes[index] for index in behind if reader.index in graph.ancestors[index])
    return any(is_norm(node) for node in later)


def _gated(graph: Graph, sublayer: Sublayer) -> bool:
    """Whether a single number of the model's, or zeros, decide how much of its branch is added."""
    assert sublayer.total is not None
    for operand in sublayer.total.operands:
        for index in chain(graph, operand, far=False):
            node = graph.nodes[index]
            if index > sublayer.last.index and node.name.rstrip("_") == "mul":
                for gate in node.operands:
                    one = gate.tensor.numel() == 1 and gate.tensor.dim()
                    if gate.labels is None and (one or not bool(gate.value.any())):
                        return True
    return False


def _branch_ends_in_norm(graph: Graph, sublayer: Sublayer) -> bool:
    return sublayer.total is not None and any(
        is_norm(graph.nodes[i]) and sublayer.last.index in graph.ancestors[i]
        for operand in sublayer.total.operands
        for i in graph.before(operand)
        if i > sublayer.last.index
    )


def _raw_reader(graph: Graph, total: Node, totals: set[int], behind: set[int]) -> Node | None:
    """A matrix that reads a residual sum without a norm between."""
    for node, _, follow in graph.onward(total.index):
        if node.index in totals or is_norm(node):
            continue
        if graph.mixes_features(node) and not _is_vector(graph, node) and not _smooths(graph, node):
            if not behind or node.index in behind:
                return node
        elif node.output.of_tokens and (node.name in MOVES or _keeps_width(node)):
            follow()
    return None


def _smooths(graph: Graph, node: Node) -> bool:
    """Whether what a convolution makes of the stream is added back to it as it is."""
    if node.name != "convolution":
        return False
    for reader, _, follow in graph.onward(node.index):
        if smoothed(graph, reader) is not None:
            return True
        if reader.name in MOVES:
            follow()
    return False


def _is_vector(graph: Graph, node: Node) -> bool:
    """Whether what a product multiplies by is a single vector, or mixes streams of a token.

    It gives each token one number, as a router's, or sums several streams, as hyper-connections do.
    """
    if not graph.is_linear(node):
        return False
    shape, read = graph.weight(node).tensor.shape[-2:], graph.read_by(node)
    return 1 in shape or (shape[0] == shape[1] and shape[0] ** 2 < by_token(read))


def _keeps_width(node: Node) -> bool:
    """Statistics of a hand-written norm (a mean, a deviation) are no stream."""
    return node.output.tensor.shape[-1:] != (1,)


def _first_is_bare(graph: Graph, tower: list[Sublayer]) -> bool:
    """Whether a pre-norm stack's first sublayer reads without a norm, as it should not."""
    norms = [_norms(graph, sublayer.reads) for sublayer in tower[:2]]
    second = tower[1]
    if norms[0] or not norms[1] or second.total is None:
        return False
    return not (_residual_chain(graph, second) & norms[1])


def _norms(graph: Graph, operand: Operand) -> set[int]:
    behind = stream_of(graph, operand)
    return {index for index in behind if is_norm(graph.nodes[index])}


def _adds_normed(graph: Graph, tower: list[Sublayer]) -> Sublayer | None:
    """A sublayer whose sum adds what its own norm made, not what that norm read; None if none does.

    After a post-norm sum the normed stream is the stream. So it is where the norm stands that
    tells, in the layer and before its first sublayer; or that other sums add what was not normed.
    """
    shared = {s: _shared(graph, s) for s in tower if s.total is not None}
    if any(_own_norms(graph, s) and not shared[s] for s in shared):
        begins = tower[0]
        if begins in shared and not _of_its_layer(graph, begins, shared[begins]):
            shared[begins] = set()  # before the first sum, a norm is the embeddings'
        return next((s for s in shared if shared[s]), None)
    for position, sublayer in enumerate(tower):
        layer = _layer(sublayer.name)
        begins = layer and all(_layer(other.name) != layer for other in tower[:position])
        if begins and sublayer.attends and _of_its_layer(graph, sublayer, shared.get(sublayer)):
            return sublayer
    return None


def _of_its_layer(graph: Graph, sublayer: Sublayer, norms: set[int] | None) -> bool:
    layer = _layer(sublayer.name)
    return bool(layer) and any(_layer(graph.nodes[i].place) == layer for i in norms or ())


def _own_norms(graph: Graph, sublayer: Sublayer) -> set[int]:
    """The norms that a sublayer reads through, but those before what its sum adds."""
    norms = _norms(graph, sublayer.reads)
    return norms - graph.behind(_residual_chain(graph, sublayer)) | norms & _shared(graph, sublayer)


def _nearest(graph: Graph, sublayer: Sublayer) -> set[int]:
    """The norm that a sublayer reads through; those before it may be the embeddings'."""
    norms = _norms(graph, sublayer.reads)
    return {max(norms)} if norms else set()


def _shared(graph: Graph, sublayer: Sublayer) -> set[int]:
    """Norms that its sum adds the result of; it may be computed twice."""
    nearest = [graph.nodes[index] for index in _nearest(graph, sublayer)]
    norms = [graph.nodes[i] for i in _residual_chain(graph, sublayer) if is_norm(graph.nodes[i])]
    return {n.index for n in norms if any(_equal(n.output, other.output) for other in nearest)}


def _equal(one: Operand, other: Operand) -> bool:
    return one is other or (
        one.value.shape == other.value.shape and torch.equal(one.value, other.value)
    )


def _residual_chain(graph: Graph, sublayer: Sublayer) -> set[int]:
    """The chain behind what a sublayer's sum adds to it."""
    assert sublayer.total is not None
    indices = set[int]()
    for operand in sublayer.total.operands:
        if operand.of_tokens and sublayer.last.index not in graph.before(operand):
            indices |= chain(graph, operand, far=False)
    return indices


def _layer(place: str) -> str:
    """The layer that a place lies in: its name up to the last number but those of parts within."""
    parts = place.split(".")
    numbers = [i for i, part in enumerate(parts) if part.isdecimal()]
    return ".".join(parts[: numbers[0] + 1]) if numbers else ""
