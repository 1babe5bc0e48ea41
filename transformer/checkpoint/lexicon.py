"""What words of a model's two languages mean, in a small file beside its weights.

    lexicon.tsv   SIDE TAB WORD TAB GLOSS TAB PROBABILITY, the most frequent words first

SIDE is `src` or `tgt`, whose word it is; the gloss is a word of the other side.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from ..errors import CheckpointError
from ..trace.words import SPACELESS, word_texts, words_of
from .json_object import read_regular
from .whole import write_whole

LEXICON = "lexicon.tsv"
Side = Literal["src", "tgt"]

STEM, ENDING = 3, 3
"""Letters that a stem has at least, and an ending at most."""


class Entry(NamedTuple):
    """A word and what it stands for.

    Attributes:
        side: whose word it is.
        word: in lower case.
        gloss: as it is written within a sentence.
        probability: the share of the word's occurrences that were linked to the gloss, or to a word
            that holds it (see `holds`).
    """

    side: Side
    word: str
    gloss: str
    probability: float


def holds(word: str, gloss: str) -> bool:
    """Whether a word is this one, inflected, or written together with others.

    In writing without spaces any part of a token may be a word; elsewhere it may have an ending.
    """
    word, gloss = word.casefold(), gloss.casefold()
    if SPACELESS.search(gloss):
        return gloss in word
    long = len(gloss) >= STEM and len(word) <= len(gloss) + ENDING
    return word == gloss or (long and word.startswith(gloss))


class Lexicon:
    """Words by what they stand for in the other language."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = tuple(entries)
        self._glosses: Mapping[Side, dict[str, str]] = {"src": {}, "tgt": {}}
        for side, word, gloss, _ in entries:
            self._glosses[side][word] = gloss

    def gloss(self, side: Side, word: str) -> str | None:
        """What a word stands for, whatever its case; None if that is not known."""
        return self._glosses[side].get(word.casefold())

    def linked(self, src: str, tgt: str) -> bool:
        """Whether one of two words stands for the other."""
        of_src, of_tgt = self.gloss("src", src), self.gloss("tgt", tgt)
        return (of_src is not None and holds(tgt, of_src)) or (
            of_tgt is not None and holds(src, of_tgt)
        )

    def glosses(
        self, src: Sequence[str], tgt_out: Sequence[str]
    ) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
        """Glosses of the words of source and emitted tokens, each at the word's first piece."""
        return self._glosses_of("src", src), self._glosses_of("tgt", tgt_out)

    def _glosses_of(self, side: Side, labels: Sequence[str]) -> tuple[str | None, ...]:
        glosses: list[str | None] = [None] * len(labels)
        words = words_of(labels)
        for word, text in zip(words, word_texts(labels, words), strict=True):
            glosses[word[0]] = self.gloss(side, text)
        return tuple(glosses)

    def to_bytes(self) -> bytes:
        """The file's bytes."""
        return "".join(
            f"{side}\t{word}\t{gloss}\t{probability:.2f}\n"
            for side, word, gloss, probability in self.entries
        ).encode()


def read_lexicon(folder: Path) -> Lexicon | None:
    """The lexicon of a checkpoint; None if it has none.

    Raises:
        CheckpointError: the file is broken.
    """
    path = folder / LEXICON
    if not path.is_file():
        return None
    entries: list[Entry] = []
    try:
        for line in read_regular(path).decode().splitlines():
            side, word, gloss, probability = line.split("\t")
            if side not in ("src", "tgt"):
                raise ValueError(f"{side!r:.40} is no side")
            entries.append(Entry(side, word, gloss, float(probability)))
    except OSError as error:
        raise CheckpointError(path, "the file is missing or cannot be read") from error
    except ValueError as error:
        raise CheckpointError(path, f"line {len(entries) + 1}: {error}") from error
    return Lexicon(entries)


def write_lexicon(folder: Path, lexicon: Lexicon) -> None:
    """Writes it into a checkpoint's folder; its checksum is for the caller to write down."""
    write_whole(folder / LEXICON, lexicon.to_bytes())
