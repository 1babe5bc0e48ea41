"""Words to be spelled backwards: the task on which a student's own model learns."""

import random
import string

from torch import Tensor

from ...model.padding import pad

BOS, EOS = 1, 2
LETTERS = {letter: number for number, letter in enumerate(string.ascii_lowercase, 3)}
PAD = max(LETTERS.values()) + 1
"""The id of padding, not 0, so that it is not left out by chance."""

VOCABULARY = PAD + 1
LONGEST = 6


def random_words(count: int, seed: int) -> list[str]:
    """Different ones of 1 to six letters, the same every time."""
    draw = random.Random(seed)
    words: dict[str, None] = {}
    while len(words) < count:
        length = draw.randint(1, LONGEST)
        words["".join(draw.choices(string.ascii_lowercase, k=length))] = None
    return list(words)


def batch_of(words: list[str]) -> tuple[Tensor, Tensor]:
    """What goes in and what should come out, int64 [batch, src] and [batch, tgt], padded.

    The source is the word and `</s>`, the target `<s>`, the word backwards, and `</s>`.
    """
    sources = [[*map(LETTERS.__getitem__, word), EOS] for word in words]
    targets = [[BOS, *map(LETTERS.__getitem__, reversed(word)), EOS] for word in words]
    return pad(sources, PAD), pad(targets, PAD)


def word_of(ids: list[int]) -> str:
    """The letters of ids up to `</s>`; "?" for what is none."""
    letters = {number: letter for letter, number in LETTERS.items()}
    end = ids.index(EOS) if EOS in ids else len(ids)
    return "".join(letters.get(number, "?") for number in ids[:end])
