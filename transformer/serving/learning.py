"""How a model learnt: its checkpoint's history and learning curve, as JSON."""

import base64
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .. import checkpoint
from ..errors import HeadlightError
from ..recording.kinds import KINDS, Kind
from ..training.history import FILE, History
from ..training.learned import CURVE, Learned, learned, read_curve
from .requests import HistoryAsked

LEVELS = 255
"""A weight travels as a byte: 1 is 255. It is drawn in 256 colours anyway."""


def history(asked: HistoryAsked) -> dict[str, Any]:
    """Every moment of a history on one pair, what was measured on all of them, and the curve.

    Raises:
        HeadlightError: there is no such model or pair, or the model has no history.
    """
    installed = asked.model in checkpoint.available()
    path = checkpoint.find(asked.model) / FILE if installed else None
    if path is None:
        name = asked.model[:80]
        raise HeadlightError("unknown_model", f"There is no model {name!r}.", model=name)
    if not path.is_file():
        raise HeadlightError("no_history", f"{asked.model} has no history of its training.")
    try:
        kept, found = _read(path, path.stat().st_mtime_ns)
        curve = read_curve(path.parent / CURVE)
    except ValueError as error:
        raise HeadlightError("no_history", str(error)) from error
    if not 0 <= asked.pair < len(kept.pairs):
        raise HeadlightError("bad_request", f"The history has {len(kept.pairs)} sentence pairs.")
    weights: dict[Kind, Any] = {}
    for kind in KINDS:
        if kind in found.sharpness:
            weights[kind] = _pack(kept, asked.pair, kind)
    return {
        "history": {
            "steps": list(found.steps),
            "pairs": kept.pairs,
            "curve": curve,
            "sharpness": {k: of_kind.round(3).tolist() for k, of_kind in found.sharpness.items()},
            "by_chance": found.by_chance,
            "sharp_from": found.sharp_from,
            "sharp_at_first": found.sharp_at_first,
            "heads": found.heads,
            "starts_with_structure": found.starts_with_structure,
            "weights": weights,
        }
    }


@lru_cache(4)
def _read(path: Path, _changed: int) -> tuple[History, Learned]:
    kept = History.load(path)
    return kept, learned(kept)


def _pack(kept: History, pair: int, kind: Kind) -> dict[str, Any]:
    """Of every moment, [moment, layer, head, query, key]."""
    weights = np.stack([kept.weights[step][pair][kind] for step in kept.steps])
    quantised = np.rint(weights.astype(np.float32) * LEVELS).astype(np.uint8)
    return {
        "shape": list(quantised.shape),
        "dtype": "uint8",
        "data": base64.b64encode(quantised.tobytes()).decode("ascii"),
    }
