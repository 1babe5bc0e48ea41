"""The attention of a short text, out of a run that labels every one of its tokens."""

import torch
from torch import Tensor

from ...eyes.attention import Attention, count_layers
from ...eyes.batches import Batch
from ...eyes.calling import Caller
from ...eyes.heads_in_rows import unfold_heads
from ...eyes.shadow import CELLS
from ...trace.kinds import Kind
from .afterwards import changed_afterwards
from .slots import base_of, lengths_of, record_labelled, sides_of, spaces_of
from .tables import Caught, Heads, Space, Untold, allowed_of, readable

FEW = 8e-3
"""What the sum of a row of bfloat16 may lack."""


def record_whole(caller: Caller, batch: Batch, row: int) -> Caught:
    """The attention of one text of a batch, whatever way its rows were computed in.

    Rows that were computed apart, one by one with a cache or window by window, are put together.

    Raises:
        CallFailed: the module raised.
        Untold: of some heads rows are missing.
    """
    graph, attentions = record_labelled(caller, batch)
    caught = Caught(changed=changed_afterwards(graph, attentions))
    parts = [part for it in attentions for part in sides_of(unfold_heads(it))]
    if len(parts) > len(attentions):
        caught.shared = True
        count_layers(parts)
    heads: dict[tuple[Kind, int], list[_Head]] = {}
    seen: set[tuple[int, Kind]] = set()
    for attention in parts:
        kind, node = attention.kind, attention.softmax.node
        if kind == "reversed" or (node.index, kind) in seen:
            continue
        seen.add((node.index, kind))
        caught.dtype = node.output.tensor.dtype
        members = heads.setdefault((kind, attention.layer), [])
        for part in _parts(attention, batch, row):
            if not any(head.took(part) for head in members):
                members.append(part)
    for (kind, layer), members in heads.items():
        for head in members:
            if not torch.equal(head.rows, members[0].rows):
                raise Untold("heads of one layer of which some rows were not found")
            if head.parts > 1 and bool((_lacking(head.cells[0]) > FEW).any()):
                raise Untold("windows of which some keys were not found")
            caught.add(kind, layer, head.trimmed())
    return caught


class _Head:
    """One head, whose rows may come from several operations, in the places of all tokens."""

    def __init__(
        self, spaces: tuple[Space, Space], cells: Tensor, rows: Tensor, columns: Tensor
    ) -> None:
        self.spaces = spaces
        self.cells = cells  # weights and scores, [2, query, key]
        self.rows, self.columns = rows, columns
        self.parts = 1

    def took(self, other: "_Head") -> bool:
        """Takes the rows of another, if it has none of these itself."""
        if other.spaces != self.spaces or bool((self.rows & other.rows).any()):
            return False
        self.cells[:, other.rows] = other.cells[:, other.rows]
        self.parts += 1
        self.rows, self.columns = self.rows | other.rows, self.columns | other.columns
        return True

    def trimmed(self) -> Heads:
        """The head's cells from the first to the last token that is there."""
        first, cells = list[int](), self.cells
        for axis, side in ((1, self.rows), (2, self.columns)):
            there = side.nonzero().flatten()
            first.append(int(there[0]))
            cells = cells.narrow(axis, first[-1], int(there[-1]) + 1 - first[-1])
        weights, scores = cells[:1], cells[1:]
        return Heads(weights, allowed_of(weights, scores), (first[0], first[1]), self.spaces)


def _parts(attention: Attention, batch: Batch, row: int) -> list[_Head]:
    """Each table of one text that an attention has, a head or some rows of one."""
    spaces, lengths = spaces_of(attention), lengths_of(batch)
    mine = attention.sentence == row
    sides = [
        _places(side[mine], space, attention, lengths[space], row)
        for side, space in zip((attention.query, attention.key), spaces, strict=True)
    ]
    sizes = [lengths[space] for space in spaces]
    heads: list[_Head] = []
    scored = attention.cells[mine] >= CELLS  # windows have corners where there is no score
    weights = readable(attention.weights[mine]).where(scored, 0)
    both = torch.stack((weights, attention.scores[mine].where(scored, -torch.inf)), 1)
    for table, query, key in zip(both, *sides, strict=True):
        # What is no token goes to one place past the last, and is left there.
        cells = torch.zeros(2, *(size + 1 for size in sizes))
        cells[1] = -torch.inf
        cells[:, query[:, None], key[None, :]] = table
        rows, columns = (
            torch.zeros(size + 1, dtype=torch.bool).index_fill(0, side, True)[:-1]
            for size, side in zip(sizes, (query, key), strict=True)
        )
        if bool(rows.any() and columns.any()):
            heads.append(_Head(spaces, cells[:, :-1, :-1], rows, columns))
    return heads


def _lacking(weights: Tensor) -> Tensor:
    """What is missing of each row's sum, where anything of it was found."""
    sums = weights.sum(-1)
    return (1 - sums).where(sums > 0, 0)


def _places(labels: Tensor, space: Space, attention: Attention, length: int, row: int) -> Tensor:
    """Where tokens stand in their text; of what is none, one past the last."""
    tokens = attention.tokens
    if space == "both":
        sources = 0 if tokens.src is None else tokens.src.size(1)
        places = tokens.position(labels) + sources * tokens.is_tgt(labels).long()
    else:
        places = labels - base_of(space, tokens) - row * length
    return torch.where((labels < 0) | (places < 0) | (places >= length), length, places)
