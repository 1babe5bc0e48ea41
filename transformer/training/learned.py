"""What a training left to see: when each head turned sharp, and how loss and scores went.

curve.csv    one row a measurement: "step", and of "train_loss", "dev_loss" (nats a token),
             "bleu" and "chrf" what was measured; an empty cell where it was not
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..inside.statistics import statistics_over
from ..recording.kinds import KINDS, Kind
from .history import History

CURVE = "curve.csv"
MEASURES = ("train_loss", "dev_loss", "bleu", "chrf")
STRUCTURE = 0.1
"""The share of sharp heads from which a history does not begin with noise. Of a model whose weights
are still random, none or one in a hundred is sharp."""

Array = npt.NDArray[np.float64]
SharpFrom = tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Learned:
    """How sharp every head was at every moment of a history, and from when on it was sharp.

    A head is sharp if its mean largest weight lies at least half-way from that of even attention,
    over the same rows, to 1.

    Attributes:
        steps: [moment]: after so many steps of training.
        sharpness: by kind, float64 [moment, layer, head], 0 to 1: `inside.statistics`' own, over
            all pairs of the history.
        by_chance: by kind, the sharpness of a head that attends to everything evenly.
        sharp_from: by kind, [layer][head]: the step from which on the head stays sharp; None if it
            is not sharp at the end.
    """

    steps: tuple[int, ...]
    sharpness: Mapping[Kind, Array]
    by_chance: Mapping[Kind, float]
    sharp_from: Mapping[Kind, SharpFrom]

    @property
    def sharp_at_first(self) -> int:
        """How many heads are sharp at the first moment."""
        return sum(
            int(_sharp(sharpness[0], self.by_chance[kind]).sum())
            for kind, sharpness in self.sharpness.items()
        )

    @property
    def heads(self) -> int:
        """How many heads there are, of all kinds."""
        return sum(sharpness[0].size for sharpness in self.sharpness.values())

    @property
    def starts_with_structure(self) -> bool:
        """Whether so many heads are sharp at the first moment that their weights are not random:
        the training went on from an earlier one.
        """
        return self.sharp_at_first >= STRUCTURE * self.heads


def learned(history: History) -> Learned:
    """Measures every moment of a history as `inside.statistics` measures a trace."""
    sharpness: dict[Kind, list[Array]] = {}
    by_chance: dict[Kind, float] = {}
    for step in history.steps:
        found = statistics_over(history.moment(step, pair) for pair in range(len(history.pairs)))
        for kind in KINDS:
            if of_kind := found.of(kind):
                sharpness.setdefault(kind, []).append(of_kind.sharpness)
                by_chance[kind] = of_kind.by_chance["sharpness"]
    stacked: dict[Kind, Array] = {}
    sharp_from: dict[Kind, SharpFrom] = {}
    for kind, moments in sharpness.items():
        stacked[kind] = np.stack(moments)
        sharp_from[kind] = _sharp_from(history.steps, _sharp(stacked[kind], by_chance[kind]))
    return Learned(
        steps=tuple(history.steps),
        sharpness=stacked,
        by_chance=by_chance,
        sharp_from=sharp_from,
    )


def read_curve(path: Path) -> list[dict[str, float]]:
    """A learning curve: in each row "step" and what was measured then; [] if there is no file.

    Raises:
        ValueError: the file is no learning curve.
    """
    if not path.exists():
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [
                {name: float(row[name]) for name in ("step", *MEASURES) if row.get(name)}
                for row in csv.DictReader(file)
            ]
        if any("step" not in row for row in rows):
            raise ValueError("a row names no step")
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path} is no learning curve: {error}") from error
    return rows


def _sharp(sharpness: Array, by_chance: float) -> npt.NDArray[np.bool_]:
    return sharpness >= (1 + by_chance) / 2


def _sharp_from(steps: list[int], sharp: npt.NDArray[np.bool_]) -> SharpFrom:
    """Of `sharp` [moment, layer, head], the step from which on each head stays so."""
    # Read backwards: sharp as long as every later moment is.
    stays: list[list[int]] = np.logical_and.accumulate(sharp[::-1]).sum(0).tolist()
    return tuple(
        tuple(steps[len(steps) - count] if count else None for count in layer) for layer in stays
    )
