"""Arrays as JSON values (shape, dtype, and the bytes as base64), and what a broken file raises."""

import base64
import gzip
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DAMAGED

ROWS = 64
"""Rows that are packed at once."""

Weights = npt.NDArray[np.float32]
Parts = npt.NDArray[np.uint16]

WHOLE = 65535
"""Parts of a whole, which weights are counted in."""

DTYPES = {"float16": np.dtype("<f2"), "float32": np.dtype("<f4")}
"""Types that a trace's weights may have, little-endian."""

PACKED: dict[str, np.dtype[Any]] = {**DTYPES, "uint8": np.dtype("u1")}


def read_only(array: npt.NDArray[Any]) -> Weights:
    """An array of any shape as float32 that nobody can write to; a copy only where it must be."""
    array = np.ascontiguousarray(array, np.float32)
    array.flags.writeable = False
    return array


def finite(array: npt.NDArray[np.floating[Any]]) -> list[Any]:
    """An array of any shape as nested lists; NaN and infinity, which JSON lacks, are None."""
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
    """Weights as 65,535ths, layer by layer; each row's sum stays what it was.

    Of what is 0 above the diagonal, the rows of the lower triangle alone are written.
    """
    kept = kept_of(weights)
    layers = weights if weights.ndim == 4 else weights[None]
    return packed_parts(weights.shape, kept, [parts_of(layer, kept) for layer in layers])


def kept_of(weights: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which cells are written, [query, key]: all, or the lower triangle where all others are 0."""
    queries, keys = weights.shape[-2:]
    if queries == keys and not np.triu(weights.reshape(-1, queries, keys).max(0), 1).any():
        return np.tri(queries, keys, dtype=bool)
    return np.ones((queries, keys), bool)


def parts_of(weights: npt.NDArray[Any], kept: npt.NDArray[np.bool_]) -> Parts:
    """Weights [..., query, key] as 65,535ths [..., cell], off by one of them at most."""
    parts = np.empty((*weights.shape[:-2], int(kept.sum())), "<u2")
    # Some rows at a time, which fit into a processor's cache, up to the last cell that is kept.
    done = 0
    for start in range(0, len(kept), ROWS):
        own = kept[start : start + ROWS]
        keys = int(np.flatnonzero(own.any(0)).max(initial=-1)) + 1
        cells = np.flatnonzero(own[:, :keys])
        for at in product(*map(range, weights.shape[:-2])):
            # What is rounded in a row's running sum moves no sum, and makes nothing of a 0.
            sums = np.cumsum(weights[at][start : start + ROWS, :keys], -1, dtype=np.float64)
            sums *= WHOLE
            whole = np.rint(sums, out=sums).astype(np.int32)
            whole[:, 1:] -= whole[:, :-1].copy()
            whole = np.minimum(whole, WHOLE, out=whole).take(cells)
            parts[at][done : done + len(cells)] = whole
        done += len(cells)
    return parts


def packed_parts(
    shape: Sequence[int], kept: npt.NDArray[np.bool_], runs: Sequence[Parts], level: int = 6
) -> dict[str, Any]:
    """65,535ths as JSON values, each run of them compressed by itself.

    A run's bytes stand in two planes, the higher ones first: both compress better so.

    Args:
        shape: of all, as weights; its first axis is that of the runs, unless there is one alone.
        kept: which cells there are, bool [query, key].
        runs: each [..., cell].
        level: of gzip; 1 takes a fifth of the time, and a tenth more bytes.
    """
    planes = (np.concatenate((it >> 8, it & 255), axis=None).astype(np.uint8) for it in runs)
    return {
        "shape": list(shape),
        "dtype": "uint16",
        "triangle": not kept.all(),
        "data": [compressed(it.tobytes(), level) for it in planes],
    }


def compressed(data: bytes, level: int = 6) -> str:
    """Bytes as base64 of gzip."""
    return base64.b64encode(gzip.compress(data, level, mtime=0)).decode("ascii")


def unpack(value: Mapping[str, Any], *, whole: bool = True) -> Weights:
    """The array that `pack` packed: float32, in its shape.

    If `whole`, the rows of float16 weights [..., query, key] are made to sum to 1 again.
    """
    packed: object = value
    if not isinstance(packed, dict) or not {"data", "shape", "dtype"} <= packed.keys():
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
