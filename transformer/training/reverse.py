"""The toy task whose right attention is known: spell a sequence of symbols backwards.

    python -m transformer.training.reverse FOLDER

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
    found: dict[str, None] = {}
    for length in np.resize(np.arange(1, longest + 1), count).tolist():
        found["".join(generator.choice(list(SYMBOLS), size=length).tolist())] = None
    return list(found)


def write(folder: Path, train: int = 20_000, dev: int = 500) -> None:
    """Writes the two files; no sequence of `dev` occurs in `train`."""
    folder.mkdir(parents=True, exist_ok=True)
    unseen = sequences(dev, seed=2)
    seen = set(sequences(train, seed=1)) - set(unseen)
    for name, texts in (("train", sorted(seen)), ("dev", unseen)):
        lines = (f"{text}\t{text[::-1]}\n" for text in texts)
        (folder / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
