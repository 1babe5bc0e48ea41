"""Positions that are added to the stream more than once."""

import torch
from torch import Tensor

from ...eyes.graph import Graph, Operand
from ..basis.clues import Clues
from .sublayers import chain


def judge_positions_twice(graph: Graph, clues: Clues) -> None:
    """`positions_twice`: one table of positions is added to the embeddings, and added again."""
    sums = [each for each in graph.sums() if _are_positions(*each[1:])]
    for later, stream, table in sums:
        before = chain(graph, stream, far=False)
        for earlier, _, other in sums:
            if earlier.index in before and _equal(table, other):
                clues.add("positions_twice", place=later.place or earlier.place)
                return


def _are_positions(stream: Operand, table: Operand) -> bool:
    """Whether a table's vectors differ; those of one sentence's tokens of one type do not."""
    shape = table.tensor.shape
    if len(shape) < 2 or shape[-1] != stream.tensor.size(-1):
        return False
    rows = table.value.flatten(0, -2)
    return len(rows) > 1 and bool((rows != rows[0]).any())


def _equal(one: Operand, other: Operand) -> bool:
    a, b = (_of_one_sentence(operand.value.float()) for operand in (one, other))
    return a.shape == b.shape and bool(torch.allclose(a, b))


def _of_one_sentence(table: Tensor) -> Tensor:
    """A table without axes along which nothing changes, as the batch's."""
    while table.dim() > 2:
        axis = next((i for i in range(table.dim() - 1) if _same(table, i)), None)
        if axis is None:
            return table
        table = table.select(axis, 0)
    return table


def _same(table: Tensor, axis: int) -> bool:
    return bool((table == table.select(axis, 0).unsqueeze(axis)).all())
