"""How a model learnt: when each of its heads turned sharp."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import HeadlightError
from ..inside.statistics import statistics_over
from ..trace.kinds import Kind
from .history import CURVE, FILE, History, read_curve

STRUCTURE = 0.1
"""The share of sharp heads from which a history does not begin with noise. Of a model whose weights
are still random, none or one in a hundred is sharp."""

Array = npt.NDArray[np.float64]
SharpFrom = tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sharpening:
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
            int(is_sharp(sharpness[0], self.by_chance[kind]).sum())
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

    def payload(self) -> dict[str, Any]:
        """JSON values; each kind's numbers are lists of moments, of layers, of heads."""
        return {
            "sharpness": {k: of_kind.round(3).tolist() for k, of_kind in self.sharpness.items()},
            "by_chance": self.by_chance,
            "sharp_from": self.sharp_from,
            "sharp_at_first": self.sharp_at_first,
            "heads": self.heads,
            "starts_with_structure": self.starts_with_structure,
        }


def sharpening(history: History) -> Sharpening:
    """Measures every moment of a history as `inside.statistics` measures a trace."""
    sharpness: dict[Kind, list[Array]] = {}
    by_chance: dict[Kind, float] = {}
    for step in history.steps:
        statistics = statistics_over(
            history.moment(step, pair) for pair in range(len(history.pairs))
        )
        for kind, of_kind in statistics.present():
            sharpness.setdefault(kind, []).append(of_kind.sharpness)
            by_chance[kind] = of_kind.by_chance["sharpness"]
    stacked: dict[Kind, Array] = {}
    sharp_from: dict[Kind, SharpFrom] = {}
    for kind, moments in sharpness.items():
        stacked[kind] = np.stack(moments)
        sharp_from[kind] = _sharp_from(history.steps, is_sharp(stacked[kind], by_chance[kind]))
    return Sharpening(
        steps=tuple(history.steps),
        sharpness=stacked,
        by_chance=by_chance,
        sharp_from=sharp_from,
    )


def moments_of(folder: Path, pair: int) -> dict[str, Any]:
    """What the page draws of a training: its moments on one sentence pair, and the curve.

    Args:
        folder: of a checkpoint.
        pair: of the history, from 0.
    Raises:
        HeadlightError: the checkpoint has no history, a broken one, or no such pair.
    """
    path = folder / FILE
    if not path.is_file():
        raise HeadlightError("no_history", f"{folder.name} has no history of its training.")
    try:
        history, measured = _read(path, path.stat().st_mtime_ns)
        curve = read_curve(folder / CURVE)
    except ValueError as error:
        raise HeadlightError("no_history", str(error)) from error
    if not 0 <= pair < len(history.pairs):
        raise HeadlightError("bad_request", f"The history has {len(history.pairs)} sentence pairs.")
    return {**history.payload(pair), **measured.payload(), "curve": curve}


@lru_cache(4)
def _read(path: Path, _changed: int) -> tuple[History, Sharpening]:
    history = History.load(path)
    return history, sharpening(history)


def is_sharp(sharpness: Array, by_chance: float) -> npt.NDArray[np.bool_]:
    """Sharp heads, bool [..., head]: at least half-way from even attention to one token."""
    return sharpness >= (1 + by_chance) / 2


def _sharp_from(steps: list[int], sharp: npt.NDArray[np.bool_]) -> SharpFrom:
    """The step from which on each head of `sharp` [moment, layer, head] stays so."""
    # Read backwards: sharp as long as every later moment is.
    stays: list[list[int]] = np.logical_and.accumulate(sharp[::-1]).sum(0).tolist()
    return tuple(
        tuple(steps[len(steps) - count] if count else None for count in layer) for layer in stays
    )
