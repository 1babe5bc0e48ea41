"""Along which axis the softmax runs."""

from torch import Tensor

from ..basis.clues import Clues
from .attention import Attention


def judge_axis(attentions: list[Attention], clues: Clues) -> None:
    """`softmax_axis`: the axis that sums to one must be the keys'."""
    for attention in attentions:
        labels = attention.softmax.scores.labels
        assert labels is not None
        turned = labels.movedim(attention.softmax.dim, -1)
        which, at, row, column = attention.graph.coordinates(turned)
        rows, columns = _changes(row), _changes(column)
        keys_are_columns = _changes(attention.graph.coordinates(attention.cells)[3])
        over_keys, over_queries = (columns, rows) if keys_are_columns else (rows, columns)
        if over_keys and not over_queries:
            continue
        if over_queries:
            axis = "queries"
        else:
            sentences = attention.tokens.sentence(attention.graph.decode(turned)[0])
            axis = "batch" if _changes(sentences) else "heads"
            if not _changes(at) and not _changes(which):
                continue  # an axis of one: nothing to sum over
        sums = attention.weights.nansum(-1)
        clues.add(
            "softmax_axis",
            f"softmax_over_{axis}",
            place=attention.place,
            low=float(sums.min()),
            high=float(sums.max()),
        )
        return


def _changes(numbers: Tensor) -> bool:
    return bool((numbers.amax(-1) != numbers.amin(-1)).any())
