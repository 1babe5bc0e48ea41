"""How the tokens of a text stand along an axis of a softmax's output, learnt on a short one."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ...eyes.batches import distinct
from .tables import Space, Untold


@dataclass(frozen=True)
class Layout:
    """An axis of a tensor along which tokens stand.

    Attributes:
        axis: its number.
        space: where its tokens stand.
        length: how many tokens the short text had there.
        size: how long the axis was.
        before: what comes before the tokens: the model's own.
        first: the first of the text's tokens that is there.
        count: how many of them are there.
        heads: how often each token is there, once for each head that shares the axis.
        inner: whether the heads of one token stand together.
    """

    axis: int
    space: Space
    length: int
    size: int
    before: int
    first: int
    count: int
    heads: int = 1
    inner: bool = False

    def of(self, length: int, size: int) -> tuple[int, int]:
        """Where the tokens of a text of another length begin, and how many are there.

        Raises:
            Untold: an axis of this size is none that the short text's tells of.
        """
        count = count_of(self, length)
        after = self.size - self.before - self.heads * self.count
        grown = self.before + self.heads * count + after
        fixed = size == self.size and self.before + self.heads * count <= size and self.heads == 1
        if count < 1 or (size != grown and not fixed):
            raise Untold(f"{length} tokens, but {size} places where {grown} were expected")
        return self.before, count


def count_of(layout: Layout, length: int) -> int:
    """How many of so many tokens stand there: as many fewer as in the short text."""
    return length - (layout.length - layout.count)


def read_layout(axis: int, labels: Tensor, base: int, space: Space, length: int) -> Layout:
    """How tokens stand along an axis.

    Args:
        axis: its number.
        labels: the token of each place, [place]; below 0 where there is none.
        base: the label of the first token.
        space: where they stand.
        length: how many there are.
    Raises:
        Untold: they stand in no order that another length's follows from.
    """
    there = (labels >= 0).nonzero().flatten()
    if not len(there):
        raise Untold("an attention without tokens of the text")
    before, last = int(there[0]), int(there[-1])
    places = labels[before : last + 1] - base
    each = distinct(places)
    first, count = each[0], len(each)
    heads = len(places) // count
    layout = Layout(axis, space, length, len(labels), before, first, count, heads)
    order = torch.arange(first, first + count)
    if torch.equal(places, order.repeat(heads)):
        return layout
    if torch.equal(places, order.repeat_interleave(heads)):
        return Layout(axis, space, length, len(labels), before, first, count, heads, True)
    raise Untold("tokens that stand in another order than the text's")


def taken(values: Tensor, query: Layout, key: Layout, lengths: dict[Space, int]) -> Tensor:
    """Cells [head, query, key] of the text's tokens, out of a softmax's input or output.

    Raises:
        Untold: its shape is none that the short text's tells of.
    """
    axes = (query.axis, key.axis)
    rest = [axis for axis in range(values.dim()) if axis not in axes]
    table = values.permute(*rest, *axes)
    table = table.reshape(-1, values.size(query.axis), values.size(key.axis))
    start, count = key.of(lengths[key.space], table.size(2))
    table = table.narrow(2, start, count)
    start, count = query.of(lengths[query.space], table.size(1))
    table = table.narrow(1, start, count * query.heads)
    if query.heads == 1:
        return table
    parts = (count, query.heads) if query.inner else (query.heads, count)
    table = table.reshape(len(table), *parts, table.size(2))
    return (table.transpose(1, 2) if query.inner else table).flatten(0, 1)
