"""Whether two readings of the same translation name the same words."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..trace.words import Word

Numbers = npt.NDArray[np.floating[Any]]


def by_word(numbers: Numbers, pieces: Sequence[Word]) -> npt.NDArray[np.float64]:
    """A reading of tokens [tgt, token], added up over the pieces of each word → [tgt, word]."""
    return np.stack([numbers[:, list(word)].sum(-1, dtype=np.float64) for word in pieces], -1)


def rank_correlation(one: Numbers, other: Numbers) -> npt.NDArray[np.float64]:
    """How far two readings order the words alike, row by row.

    Leaving a word out makes log-probabilities fall, so compare with `-deltas`.

    Args:
        one: [tgt, word]; columns where either row is NaN are left out.
        other: the same shape.
    Returns:
        [tgt], −1 to 1; NaN where fewer than two words are left, or one reading ranks all alike.
    Source: Spearman 1904; Jain and Wallace 2019, "Attention is not Explanation", compare so.
    Raises:
        ValueError: the shapes differ.
    """
    if one.shape != other.shape:
        raise ValueError(f"{one.shape} and {other.shape}: both readings are [tgt, word]")
    return np.array([_spearman(a, b) for a, b in zip(one, other, strict=True)])


def _spearman(one: Numbers, other: Numbers) -> float:
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < 2:
        return float("nan")
    with np.errstate(invalid="ignore"):  # one that ranks all alike
        return float(np.corrcoef(_ranks(one[both]), _ranks(other[both]))[0, 1])


def _ranks(row: Numbers) -> npt.NDArray[np.float64]:
    """1 for the smallest; equal numbers share the mean of their ranks."""
    _, which, counts = np.unique(row, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[which]
