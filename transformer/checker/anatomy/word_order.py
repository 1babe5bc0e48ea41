"""Whether attention notices the order of words."""

import torch

from ...eyes.attention import Attention
from ...eyes.graph import Graph, Operand
from ...eyes.shadow import storage_key


def sees_positions(
    graphs: tuple[Graph, Graph],
    attentions: tuple[list[Attention], list[Attention]],
    kind: str,
    swapped: tuple[int, int],
) -> bool | None:
    """Whether the first attention of a kind notices that two tokens have changed places.

    Without positions, what every other token gathers stays the same. None if it cannot be told.
    """
    if len(graphs[0].nodes) != len(graphs[1].nodes):
        return None
    one, two = (_first(members, kind) for members in attentions)
    if one is None or two is None or one.along_batch:
        return None
    labels = one.mix.node.output.labels
    if labels is None:
        return None
    positions = one.tokens.position(labels)
    still = (positions != swapped[0]) & (positions != swapped[1])
    before, after = one.mix.node.output.value[still], two.mix.node.output.value[still]
    if not bool(before.isfinite().all() and after.isfinite().all()) or not bool(still.any()):
        return None
    spread = float(before.float().std()) if before.numel() > 1 else 0.0
    least = torch.where(one.used > 0, one.used, 1).amin(-1)
    if bool((one.used.amax(-1) < least * (1 + 1e-4)).all()):
        return None  # equal weights cannot tell
    return float((before - after).abs().max()) > 5e-6 * max(spread, 1e-12)


def _first(attentions: list[Attention], kind: str) -> Attention | None:
    """The first layer's; where it reads words one by one, or some at a time, the last of them.

    That one has most to look at.
    """
    of_kind = [a for a in attentions if a.kind == kind]
    matrix = _matrix(of_kind[0]) if of_kind else None
    return max(
        (a for a in of_kind if a.layer == 0 or (matrix is not None and _matrix(a) == matrix)),
        key=lambda a: (a.key.size(-1), int(a.tokens.position(a.query).max())),
        default=None,
    )


def _matrix(attention: Attention) -> int | None:
    linear = attention.sources[0].linear
    return None if linear is None else attention.graph.weight(linear).tensor.data_ptr()


def _by_token(token: Operand, table: Operand) -> bool:
    """Whether a table has a vector for each token, not for each head as biases have."""
    labels = token.labels
    if labels is None or table.tensor.dim() > labels.dim():
        return False
    return any(
        table.tensor.size(axis) > 1 and bool((labels.amax(axis) != labels.amin(axis)).any())
        for axis in range(-table.tensor.dim(), -1)
    )


def turned_by_position(attentions: list[Attention], kind: str) -> bool:
    """Whether queries or keys of some layer are turned by their places on the way to their product.

    Some layers have no positions on purpose, the first of them too, where others have.
    """
    for attention in attentions:
        if attention.kind != kind:
            continue
        for source in attention.sources[:2]:
            nodes = [attention.graph.nodes[index] for index, _ in source.way[:-1]]
            for node in nodes:
                streams = [o for o in node.operands if o.of_tokens]
                tables = [o for o in node.operands if o.labels is None and o.tensor.dim() > 1]
                if any(_varies(s, table) for s in streams for table in tables):
                    return True
    return False


def _varies(token: Operand, table: Operand) -> bool:
    """Whether a table differs from token to token."""
    labels = token.labels
    if labels is None or table.tensor.dim() > labels.dim() or table.tensor.dtype == torch.bool:
        return False
    return any(
        bool((table.value != table.value.narrow(axis, 0, 1)).any())
        and bool((labels.amax(axis) != labels.amin(axis)).any())
        for axis in range(-table.tensor.dim(), -1)
    )


def learned_zero_positions(graph: Graph, learned: set[int]) -> bool:
    """Whether positions are added that are to be learned and still are all zero."""
    for _, token, position in graph.sums():
        if not _by_token(token, position) or bool(torch.any(position.value != 0)):
            continue
        behind = [o for i in graph.before(position) for o in graph.nodes[i].operands]
        if any(o.of_tokens for o in behind):
            continue  # zeros into which experts' results go are chosen by tokens
        if any(storage_key(o.tensor) in learned for o in [position, *behind]):
            return True
    return False
