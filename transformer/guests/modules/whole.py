"""The attention of a short text, out of a run that labels every one of its tokens."""

import torch
from torch import Tensor

from ...eyes.attention import Attention
from ...eyes.batches import Batch
from ...eyes.calling import Caller
from ...eyes.heads_in_rows import unfold_heads
from ...trace.kinds import Kind
from .slots import base_of, lengths_of, record_labelled, spaces_of
from .tables import Caught, Heads, allowed_of, readable


def record_whole(caller: Caller, batch: Batch, row: int) -> Caught:
    """The attention of one text of a batch, whatever way its rows were computed in.

    Rows that were computed one by one, as a cache has them, are put together.

    Raises:
        CallFailed: the module raised.
    """
    _, attentions = record_labelled(caller, batch)
    caught = Caught()
    groups: dict[tuple[Kind, int], list[_Group]] = {}
    seen: set[int] = set()
    for attention in map(unfold_heads, attentions):
        kind, node = attention.kind, attention.softmax.node
        mine = attention.sentence == row
        if kind == "reversed" or node.index in seen or not bool(mine.any()):
            continue
        seen.add(node.index)
        caught.dtype = node.output.tensor.dtype
        part = _Group(attention, batch, row, mine)
        if not bool(part.rows.any() and part.columns.any()):
            continue
        known = groups.setdefault((kind, attention.layer), [])
        if not any(group.took(part) for group in known):
            known.append(part)
    for (kind, layer), found in groups.items():
        for group in found:
            caught.add(kind, layer, group.heads())
    return caught


class _Group:
    """Heads whose rows may come from several operations, in the places of all tokens."""

    def __init__(self, attention: Attention, batch: Batch, row: int, mine: Tensor) -> None:
        self.spaces = spaces_of(attention)
        lengths = lengths_of(batch)
        rows, columns = (lengths[space] for space in self.spaces)
        query, key = (
            _places(side[mine], space, attention, lengths[space], row)
            for side, space in zip((attention.query, attention.key), self.spaces, strict=True)
        )
        heads = int(mine.sum())
        self.weights = torch.zeros(heads, rows + 1, columns + 1)
        self.scores = torch.full((heads, rows + 1, columns + 1), -torch.inf)
        at = torch.arange(heads)[:, None, None], query[:, :, None], key[:, None, :]
        self.weights[at] = readable(attention.weights[mine])
        self.scores[at] = attention.scores[mine]
        self.rows, self.columns = (
            torch.zeros(size + 1, dtype=torch.bool).index_fill(0, side.flatten(), True)[:-1]
            for size, side in ((rows, query), (columns, key))
        )

    def took(self, other: "_Group") -> bool:
        """Takes the rows of another, if it has as many heads and other rows."""
        if len(other.weights) != len(self.weights) or bool((self.rows & other.rows).any()):
            return False
        for name in ("weights", "scores"):
            getattr(self, name)[:, :-1][:, other.rows] = getattr(other, name)[:, :-1][:, other.rows]
        self.rows, self.columns = self.rows | other.rows, self.columns | other.columns
        return True

    def heads(self) -> Heads:
        """Its cells from the first to the last token that is there."""
        first, end = [], []
        for side in (self.rows, self.columns):
            there = side.nonzero().flatten()
            first.append(int(there[0]))
            end.append(int(there[-1]) + 1)
        cells = (slice(None), *map(slice, first, end))
        weights, scores = self.weights[cells], self.scores[cells]
        return Heads(weights, allowed_of(weights, scores), (first[0], first[1]), self.spaces)


def _places(labels: Tensor, space: str, attention: Attention, length: int, row: int) -> Tensor:
    """Where tokens stand in their text; of what is none, one past the last."""
    tokens = attention.tokens
    if space == "both":
        places = tokens.position(labels) + torch.where(
            tokens.is_tgt(labels), tokens.num_src // len(tokens.tgt), 0
        )
    else:
        places = labels - base_of("src" if tokens.src is None else space, tokens) - row * length  # type: ignore[arg-type]
    return torch.where(labels < 0, length, places)
