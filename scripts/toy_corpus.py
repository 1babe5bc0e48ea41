"""The toy task whose right attention is known: spell a sequence of symbols backwards.

    python -m scripts.toy_corpus FOLDER

writes `train.tsv` and `dev.tsv` for `python -m transformer train`.
"""

import string
import sys
from pathlib import Path

import numpy as np

SYMBOLS = string.ascii_letters + string.digits
LONGEST = 16


def sequences(count: int, seed: int, longest: int = LONGEST) -> list[str]:
    """Distinct random sequences of 1 to `longest` symbols, every length equally often.

    Lengths that have too few different sequences get all they have and no more.
    """
    generator = np.random.default_rng(seed)
    sequences: dict[str, None] = {}
    for length in np.resize(np.arange(1, longest + 1), count).tolist():
        sequences["".join(generator.choice(list(SYMBOLS), size=length).tolist())] = None
    return list(sequences)


def training_sequences() -> list[str]:
    """What the `reverse` checkpoint has learned from."""
    unseen = set(dev_sequences())
    return sorted(set(sequences(20_000, seed=1)) - unseen)


def dev_sequences() -> list[str]:
    """What it was measured on while it learned."""
    return sequences(500, seed=2)


def write(folder: Path) -> None:
    """Writes train.tsv and dev.tsv; each line is a sequence, a tab, and the sequence reversed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, texts in (("train", training_sequences()), ("dev", dev_sequences())):
        lines = (f"{text}\t{text[::-1]}\n" for text in texts)
        (folder / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
