"""Arrays as JSON values (shape, dtype, and the bytes as base64), and what a broken file raises."""

import base64
import gzip
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DAMAGED

Weights = npt.NDArray[np.float32]

DTYPES = {"float16": np.dtype("<f2"), "float32": np.dtype("<f4")}
"""Of a trace's weights."""

PACKED: dict[str, np.dtype[Any]] = {**DTYPES, "uint8": np.dtype("u1")}


def read_only(array: npt.NDArray[Any]) -> Weights:
    """`array` as float32 that nobody can write to; a copy only where it must be."""
    array = np.ascontiguousarray(array, np.float32)
    array.flags.writeable = False
    return array


def finite(array: npt.NDArray[np.floating[Any]]) -> list[Any]:
    """An array as nested lists; JSON has neither NaN nor infinity, so these are None."""
    if array.ndim > 1:
        return [finite(row) for row in array]
    return [float(value) if np.isfinite(value) else None for value in array]


def pack(array: npt.NDArray[Any], dtype: str) -> dict[str, Any]:
    """An array as JSON values: its shape, its dtype, and its bytes as base64, little-endian.

    Weights [layer, head, query, key], or of one layer without the first axis, may be "uint16" too:
    65,535 parts of a whole, compressed layer by layer, which `assets/trace/inflate.js` reads.
    """
    if dtype == "uint16":
        return _pack_parts(array)
    data = array.astype(PACKED[dtype]).tobytes()
    return {
        "shape": list(array.shape),
        "dtype": dtype,
        "data": base64.b64encode(data).decode("ascii"),
    }


def _pack_parts(weights: npt.NDArray[Any]) -> dict[str, Any]:
    """Weights as 65,535ths, off by one of them at most; each row's sum stays what it was.

    A layer's bytes stand in two planes, the higher ones first: both compress better so. Of what is
    0 above the diagonal, the rows of the lower triangle alone are written.
    """
    queries, keys = weights.shape[-2:]
    triangle = queries == keys and not np.triu(weights, 1).any()
    kept = np.tri(queries, keys, dtype=bool) if triangle else np.ones((queries, keys), bool)
    layers = weights if weights.ndim == 4 else weights[None]
    data: list[str] = []
    for layer in layers:
        # What is rounded in a row's running sum moves no sum, and makes nothing of a 0.
        sums = np.rint(np.cumsum(layer, -1, dtype=np.float64) * 65535)
        parts = np.diff(sums, prepend=0).astype("<u2")[:, kept]
        planes = np.concatenate((parts >> 8, parts & 255), axis=None).astype(np.uint8)
        data.append(base64.b64encode(gzip.compress(planes.tobytes(), 6, mtime=0)).decode("ascii"))
    return {
        "shape": list(weights.shape),
        "dtype": "uint16",
        "triangle": triangle,
        "data": data,
    }


def unpack(value: Mapping[str, Any], *, whole: bool = True) -> Weights:
    """The inverse of `pack`; rows of float16 weights are made to sum to 1 again if `whole`."""
    told: object = value
    if not isinstance(told, dict) or not {"data", "shape", "dtype"} <= told.keys():
        raise ValueError("this is no trace: its weights are no object of data, shape and dtype")
    data = base64.b64decode(value["data"], validate=True)
    shape: Sequence[int] = value["shape"]
    weights = np.frombuffer(data, DTYPES[value["dtype"]]).astype(np.float32).reshape(shape)
    if whole and value["dtype"] == "float16":
        # Rounding moves a row's sum by 2.5e-4 at most; a sum that is further off is no rounding's.
        sums = weights.sum(-1, keepdims=True)
        weights = np.where(np.abs(sums - 1) < 5e-4, weights / np.where(sums > 0, sums, 1), weights)
    return weights


@contextmanager
def refusing() -> Iterator[None]:
    """Turns whatever goes wrong inside a file that holds no trace into the one error for it."""
    try:
        yield
    except (OSError, ValueError):
        raise
    except (AttributeError, *DAMAGED) as error:
        raise ValueError(f"this is no trace: {error!r}") from error
