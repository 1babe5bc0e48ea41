"""Along which axis the softmax runs."""

import torch
from torch import Tensor

from ...eyes.attention import Attention
from ..basis.clues import Clues


def judge_axis(attentions: list[Attention], clues: Clues) -> None:
    """`softmax_axis`: the axis that sums to one must be the keys'."""
    for attention in attentions:
        labels = attention.softmax.scores.labels
        assert labels is not None
        turned = labels.movedim(attention.softmax.dim, -1)
        which, at, row, column = attention.graph.coordinates(turned)
        # A column may be joined to the scores, into which a row's weight can go (a sink).
        own = which >= 0
        rows, columns = _changes(row, own), _changes(column, own)
        here = attention.graph.coordinates(attention.cells)
        keys_are_columns = _changes(here[3], here[0] >= 0)
        over_keys, over_queries = (columns, rows) if keys_are_columns else (rows, columns)
        if over_keys and not over_queries:
            continue
        # Diagonals of several tables may make one row: then it is the tokens that tell.
        of_row, of_column = attention.graph.decode(turned)
        query, key = (of_row, of_column) if keys_are_columns else (of_column, of_row)
        if _changes(key, own) and not _changes(query, own & (query >= 0)):
            continue
        if over_queries:
            axis = "queries"
        else:
            sentences = attention.tokens.sentence(attention.graph.decode(turned)[0])
            axis = "batch" if _changes(sentences, own) else "heads"
            if not _changes(at, own) and not _changes(which, own):
                continue  # an axis of one: nothing to sum over
        sums = attention.weights.nansum(-1)
        clues.add(
            "softmax_axis",
            f"softmax_over_{axis}",
            place=attention.place,
            dim=attention.softmax.dim,
            shape=str(list(labels.shape)),
            low=float(sums.min()),
            high=float(sums.max()),
        )
        return


def _changes(numbers: Tensor, own: Tensor) -> bool:
    """Whether a row's own cells differ in something."""
    high = numbers.masked_fill(~own, torch.iinfo(numbers.dtype).min).amax(-1)
    low = numbers.masked_fill(~own, torch.iinfo(numbers.dtype).max).amin(-1)
    return bool((low < high).any())
