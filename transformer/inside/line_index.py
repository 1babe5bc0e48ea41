"""Finding the lines of a training text that share most with a sentence."""

import re
from array import array
from collections.abc import Sequence

import numpy as np

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")


class LineIndex:
    """Which lines of a text hold which words."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._count = len(lines)
        self._holding: dict[str, array[int]] = {}
        for place, line in enumerate(lines):
            for term in terms(line):
                holding = self._holding.get(term)
                if holding is None:
                    holding = self._holding[term] = array("i")
                holding.append(place)

    def __contains__(self, word: str) -> bool:
        """Whether any line holds a word."""
        return word.casefold() in self._holding

    def nearest(self, text: str, count: int) -> list[int]:
        """The lines, from 0, that share most words with a text, rare ones counting more: ln N/n."""
        scores = np.zeros(self._count)
        for term in terms(text):
            if holding := self._holding.get(term):
                places = np.frombuffer(holding, np.int32)
                scores[places] += np.log(self._count / len(places))
        best = np.argsort(-scores, kind="stable")[:count]
        return [place for place in best.tolist() if scores[place] > 0]


def terms(text: str) -> set[str]:
    """Words; of what is written in Chinese characters, the characters and each two neighbours."""
    found: set[str] = set()
    for word in WORD.findall(text.casefold()):
        if HAN.search(word):
            found.update(word)
            found.update(word[i : i + 2] for i in range(len(word) - 1))
        else:
            found.add(word)
    return found
