"""What was measured of a checkpoint's heads over many sentences, in a small file beside it."""

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import DAMAGED
from .arrays import read_arrays
from .whole import write_whole

HEADS = "heads.npz"


class MeasuredHeads(NamedTuple):
    """Arrays by name, and what there is to say of them, as JSON values."""

    arrays: Mapping[str, npt.NDArray[Any]]
    labels: Mapping[str, Any]


def write_heads(folder: Path, checkpoint: str, measured: MeasuredHeads) -> None:
    """Writes them into a checkpoint's folder, for the weights whose hash is `checkpoint`."""
    labels = json.dumps({**measured.labels, "checkpoint": checkpoint}).encode()
    arrays: dict[str, Any] = {**measured.arrays, "labels": np.frombuffer(labels, np.uint8)}
    content = BytesIO()
    np.savez_compressed(content, **arrays)
    write_whole(folder / HEADS, content.getvalue())


def read_heads(folder: Path, checkpoint: str) -> MeasuredHeads | None:
    """What `write_heads` wrote; None if there is none, or it is of other weights, or broken.

    A model works without it, so that nothing here keeps it from being loaded.
    """
    try:
        arrays = read_arrays(folder / HEADS)
        labels = json.loads(arrays.pop("labels").tobytes())
    except DAMAGED:
        return None
    if not isinstance(labels, dict) or labels.get("checkpoint") != checkpoint:
        return None
    return MeasuredHeads(arrays, labels)
