"""The toy task that one layer cannot do: symbols drawn at random, said again and again.

    python -m scripts.repeat_corpus FOLDER

writes `train.txt` and `dev.txt` for `python -m transformer train --decoder-only`.
"""

import sys
from pathlib import Path

import numpy as np

from scripts.toy_corpus import SYMBOLS

SHORTEST, LONGEST = 3, 12
"""Symbols before the first comes again."""

LENGTH = 24
"""Symbols of a line: a sequence is said at least twice.

Three times and more are what makes a model look for the symbol that is read rather than for how far
back it stands: a head that finds all earlier copies of it knows no single distance.
"""


def sequences(count: int, seed: int) -> list[str]:
    """Distinct random sequences of `SHORTEST` to `LONGEST` symbols, none of which occurs twice.

    Where a symbol comes again, it is therefore known which one is next: what followed it before.
    """
    generator = np.random.default_rng(seed)
    lines: dict[str, None] = {}
    for length in np.resize(np.arange(SHORTEST, LONGEST + 1), count).tolist():
        drawn = generator.choice(list(SYMBOLS), size=length, replace=False)
        lines["".join(drawn.tolist())] = None
    return list(lines)


def repeated(sequence: str) -> str:
    """A sequence again and again, `LENGTH` symbols long."""
    return (sequence * LENGTH)[:LENGTH]


def training_sequences() -> list[str]:
    """What the `repeat` checkpoint has learned from."""
    unseen = set(dev_sequences())
    return sorted(set(sequences(60_000, seed=1)) - unseen)


def dev_sequences() -> list[str]:
    """What it was measured on while it learned."""
    return sequences(500, seed=2)


def write(folder: Path) -> None:
    """Writes train.txt and dev.txt; each line is a sequence, said again and again."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, texts in (("train", training_sequences()), ("dev", dev_sequences())):
        lines = (f"{repeated(text)}\n" for text in texts)
        (folder / f"{name}.txt").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
