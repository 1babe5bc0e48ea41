"""Finding the lines of a training text that share most with a sentence."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")

Places = npt.NDArray[np.signedinteger[Any]]


class LineIndex:
    """Which lines of a text hold which words.

    Each word is looked for when it is asked about: to list the lines of all of them would take a
    second, and a sentence has ten.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._count = len(lines)
        self._text = "\n".join(lines).casefold()

    @cached_property
    def _ends(self) -> Places:
        """Where each line ends, but for the last."""
        return np.flatnonzero(np.frombuffer(self._text.encode("utf-32-le"), np.uint32) == ord("\n"))

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(WORD.findall(self._text))

    def __contains__(self, word: str) -> bool:
        """Whether any line holds a word."""
        folded = word.casefold()
        return folded in (self._text if HAN.search(folded) else self._words)

    def nearest(self, text: str, count: int) -> list[int]:
        """The lines, from 0, that share most words with a text, rare ones counting more: ln N/n."""
        scores = np.zeros(self._count)
        for term in terms(text):
            places = self._holding(term)
            if len(places):
                scores[places] += np.log(self._count / len(places))
        best = np.argsort(-scores, kind="stable")[:count]
        return [place for place in best.tolist() if scores[place] > 0]

    def _holding(self, term: str) -> Places:
        starts = [match.start() for match in _form(term).finditer(self._text)]
        return np.unique(np.searchsorted(self._ends, np.array(starts, np.int64)))


def _form(term: str) -> re.Pattern[str]:
    """Where a term stands: a word whole, Chinese characters anywhere."""
    literal = re.escape(term)
    if HAN.search(term):
        return re.compile(literal)
    # The literal comes first: so it is searched for as one.
    return re.compile(
        rf"{literal}(?<![^\W_]{literal})(?<![^\W_]['’]{literal})(?![^\W_])(?!['’][^\W_])"
    )


def terms(text: str) -> set[str]:
    """Words; of what is written in Chinese characters, the characters and each two neighbours."""
    parts: set[str] = set()
    for word in WORD.findall(text.casefold()):
        if HAN.search(word):
            pairs = (word[i : i + 2] for i in range(len(word) - 1))
            parts.update(part for part in (*word, *pairs) if HAN.search(part))
        else:
            parts.add(word)
    return parts
