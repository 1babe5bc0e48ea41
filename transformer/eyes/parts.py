"""An attention without the tokens that the model itself adds, and in parts where both sides, or
several sentences, stand in one row.
"""

from dataclasses import replace

from torch import Tensor

from .attention import Attention
from .batches import distinct
from .shadow import CONST


def of_tokens(attention: Attention) -> Attention | None:
    """Only the rows and columns that are tokens of the batch; None if there are none.

    A model may fill sentences up to a fixed length, or put tokens of its own before them.
    """
    rows, columns = ((side != CONST).any(0) for side in (attention.query, attention.key))
    if not bool(rows.any()) or not bool(columns.any()):
        return None
    return attention if bool(rows.all() and columns.all()) else _cut(attention, rows, columns)


def by_sides(attention: Attention) -> list[Attention]:
    """The parts of an attention from side to side, where both stand in one row of keys."""
    tokens = attention.tokens
    asks, reads = (tokens.is_src(side).all(0) for side in (attention.query, attention.key))
    if not bool(reads.any() and tokens.is_tgt(attention.key).all(0).any()):
        return [attention]
    return [
        replace(_cut(attention, rows, columns), part=True)
        for rows in (asks, ~asks)
        for columns in (reads, ~reads)
        if bool(rows.any()) and bool(columns.any())
    ]


def by_sentences(attention: Attention) -> list[tuple[Attention, Tensor, Tensor]]:
    """The parts of an attention within one sentence, with their rows [query] and columns [key].

    Rows and columns are bool; an attention of one sentence is its own one part.
    """
    rows, columns = (side[0] >= -1 for side in (attention.query, attention.key))
    if not attention.in_one_row:
        return [(attention, rows, columns)]
    asks, reads = (
        attention.tokens.sentence(side[0]).where(side[0] >= 0, -1)
        for side in (attention.query, attention.key)
    )
    places = [(asks == sentence, reads == sentence) for sentence in distinct(asks[asks >= 0])]
    return [(_cut(attention, *of), *of) for of in places if bool(of[1].any())]


def _cut(attention: Attention, rows: Tensor, columns: Tensor) -> Attention:
    def table(whole: Tensor) -> Tensor:
        return whole[:, rows][:, :, columns]

    def vectors(whole: Tensor, mask: Tensor) -> Tensor:
        return whole[:, mask] if whole.size(1) == len(mask) else whole

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
