"""An attention without the tokens that the model itself adds, and in parts where it reads both
sides in one row.
"""

from dataclasses import replace

from torch import Tensor

from ...eyes.attention import Attention
from ...eyes.shadow import CONST


def of_tokens(attention: Attention) -> Attention | None:
    """Only the rows and columns that are tokens of the batch; None if there are none.

    A model may fill sentences up to a fixed length, or put tokens of its own before them.
    """
    rows, columns = ((side != CONST).any(0) for side in (attention.query, attention.key))
    if not bool(rows.any()) or not bool(columns.any()):
        return None
    return attention if bool(rows.all() and columns.all()) else _cut(attention, rows, columns)


def by_sides(attention: Attention) -> list[Attention]:
    """Its parts from side to side, where source and target stand in one row; else itself alone."""
    tokens = attention.tokens
    if not attention.both_sides:
        return [attention]
    asks, reads = (tokens.is_src(side).all(0) for side in (attention.query, attention.key))
    return [
        replace(_cut(attention, rows, columns), part=True)
        for rows in (asks, ~asks)
        for columns in (reads, ~reads)
        if bool(rows.any()) and bool(columns.any())
    ]


def _cut(attention: Attention, rows: Tensor, columns: Tensor) -> Attention:
    def table(whole: Tensor) -> Tensor:
        return whole[:, rows][:, :, columns]

    def vectors(whole: Tensor, kept: Tensor) -> Tensor:
        return whole[:, kept] if whole.size(1) == len(kept) else whole

    a = attention
    return replace(
        a,
        cells=table(a.cells),
        dots=table(a.dots),
        scores=table(a.scores),
        weights=table(a.weights),
        used=table(a.used),
        row_sums=a.row_sums[:, rows],
        query=a.query[:, rows],
        key=a.key[:, columns],
        value=a.value[:, columns],
        queries=vectors(a.queries, rows),
        keys=vectors(a.keys, columns),
        values=vectors(a.values, columns),
    )
