"""Pure functions of weights: what attention says beyond single numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Span = tuple[int, int]
Link = tuple[int, int]


@dataclass(frozen=True)
class GoldLinks:
    """Which words of a sentence pair belong together, as people see it.

    Attributes:
        sure: (source word, target word), from 0.
        possible: links that nobody would blame a model for; every sure link is one of them.
    """

    sure: frozenset[Link]
    possible: frozenset[Link]

    def __post_init__(self) -> None:
        object.__setattr__(self, "possible", self.possible | self.sure)


def word_spans(words: Iterable[str], separator: str) -> list[Span]:
    """Where each word stands in `separator.join(words)`: first character, and the one after."""
    spans: list[Span] = []
    start = 0
    for word in words:
        spans.append((start, start + len(word)))
        start += len(word) + len(separator)
    return spans


def pieces_of_words(pieces: Sequence[Span], words: Sequence[Span]) -> Array:
    """Which pieces share a character with which words: 1 or 0, [word, piece]."""
    # An empty span belongs to the character that it stands before.
    return np.array(
        [
            [float(start < last and max(end, start + 1) > first) for start, end in pieces]
            for first, last in words
        ]
    )


def word_links(weights: Array, src: Array, tgt: Array) -> set[Link]:
    """One link for each target word: to the source word that it attends to most.

    Attention is added up over the pieces of a word.

    Args:
        weights: of one head, or a mean of several, [target piece, source piece].
        src: which source pieces make which words, [source word, source piece].
        tgt: which target pieces make which words, [target word, target piece].
    Returns:
        (source word, target word), from 0. A target word without pieces has no link.
    """
    attention: Array = np.einsum("ip,ps,js->ij", tgt, weights, src)
    return {(int(row.argmax()), word) for word, row in enumerate(attention) if row.any()}


def alignment_error_rate(pairs: Iterable[tuple[set[Link], GoldLinks]]) -> float:
    """How far links are from people's, over all sentence pairs: 0 is perfect, 1 is all wrong.

    With A the links found, S the sure and P the possible ones: 1 − (|A∩S| + |A∩P|) / (|A| + |S|)
    (Och and Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models").
    """
    agreed, total = 0, 0
    for found, gold in pairs:
        agreed += len(found & gold.sure) + len(found & gold.possible)
        total += len(found) + len(gold.sure)
    return 1 - agreed / total if total else 0.0
