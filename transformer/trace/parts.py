"""The weights of one kind as 65,535ths, a head after the other: half their size as float32."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .guest import Cells, Layers
from .head_names import Aggregate, Choice, parse_choice
from .packing import WHOLE, Parts, Weights, compressed, kept_of, packed_parts, parts_of

SMALL = 32
"""Rows and columns of a thumbnail at most."""


@dataclass(frozen=True, eq=False)
class HeadsInParts:
    """All heads of one kind.

    Attributes:
        counts: by layer, how many heads it has; 0 of one without attention.
        queries: rows of a head.
        keys: columns of a head.
        triangle: whether the cells are those of the lower triangle alone.
        parts: uint16 [head, cell].
    """

    counts: tuple[int, ...]
    queries: int
    keys: int
    triangle: bool
    parts: Parts

    @classmethod
    def of(cls, layers: Layers) -> "HeadsInParts":
        """Weights by layer, [head, query, key] or None."""
        there = [layer for layer in layers if layer is not None]
        kept = np.logical_or.reduce([kept_of(layer) for layer in there])
        counts = tuple(0 if layer is None else len(layer) for layer in layers)
        parts = np.empty((sum(counts), int(kept.sum())), "<u2")
        at = 0
        for layer in there:
            parts[at : at + len(layer)] = parts_of(layer, kept)
            at += len(layer)
        queries, keys = kept.shape
        return cls(counts, queries, keys, not kept.all(), parts)

    @classmethod
    def read(cls, payload: Mapping[str, Any], data: bytes | memoryview) -> "HeadsInParts":
        """The inverse of `payload` and of the bytes of `parts`."""
        counts = tuple(map(int, payload["counts"]))
        parts = np.frombuffer(data, "<u2").reshape(sum(counts), -1)
        return cls(counts, payload["queries"], payload["keys"], payload["triangle"], parts)

    def payload(self) -> dict[str, Any]:
        """The heads' shape, as JSON values."""
        shape = {"counts": list(self.counts), "queries": self.queries, "keys": self.keys}
        return {**shape, "triangle": self.triangle}

    @cached_property
    def kept(self) -> Cells:
        """Which cells there are, [query, key]."""
        if self.triangle:
            return np.tri(self.queries, self.keys, dtype=bool)
        return np.ones((self.queries, self.keys), bool)

    def weights(self) -> Weights:
        """All heads as weights, [head, query, key]; each row sums to what it summed to before."""
        weights = np.zeros((len(self.parts), self.queries, self.keys), np.float32)
        for head, own in zip(weights, self.parts, strict=True):
            head[self.kept] = own
            head /= WHOLE
            # What is 1 to the rounding of its parts was 1.
            sums = head.sum(-1, keepdims=True)
            np.divide(head, sums, out=head, where=np.abs(sums - 1) < 1 / WHOLE)
        return weights

    def has(self, choice: Choice) -> bool:
        """Whether there is such a head, or any that an aggregate joins."""
        layer, head = choice
        if isinstance(layer, int) and layer >= len(self.counts):
            return False
        most = self.counts[layer] if isinstance(layer, int) else max(self.counts)
        return most > 0 if isinstance(head, str) else head < most

    def packed(self, names: Sequence[str]) -> dict[str, Any]:
        """Heads and aggregates by their names, [name, 1, query, key], as JSON values."""
        runs = [self.chosen(parse_choice(name)) for name in names]
        shape = (len(names), 1, self.queries, self.keys)
        return packed_parts(shape, self.kept, runs, level=1)

    def chosen(self, choice: Choice) -> Parts:
        """One head, or an aggregate, [cell]; heads are joined before layers are."""
        layer, head = choice
        if isinstance(layer, int):
            start = sum(self.counts[:layer])
            own = self.parts[start : start + self.counts[layer]]
            return own[head] if isinstance(head, int) else _rounded(_joined(own, head))
        there = [at for at, _ in enumerate(self.counts) if self.has((at, head))]
        each = (self._of_layer(at, head) for at in there)
        total = next(each)
        for own in each:
            total = np.maximum(total, own) if layer == "max" else total + own
        return _rounded(total if layer == "max" else total / len(there))

    def _of_layer(self, layer: int, head: int | Aggregate) -> npt.NDArray[np.float64]:
        start = sum(self.counts[:layer])
        if isinstance(head, int):
            return self.parts[start + head].astype(np.float64)
        return _joined(self.parts[start : start + self.counts[layer]], head)


def thumbnails(layers: Layers) -> dict[str, Any]:
    """Every head in bytes [head, row, key], as JSON values.

    Each byte is the largest weight of the cells that fall together, in 255ths, rounded up.
    """
    there = [layer for layer in layers if layer is not None]
    queries, keys = there[0].shape[1:]
    size = min(SMALL, queries), min(SMALL, keys)
    rows, columns = _starts(queries, size[0]), _starts(keys, size[1])
    # Row by row first: `reduceat` is slow where it is not along the last axis.
    flat = [np.stack([it[:, a:b].max(1) for a, b in pairwise([*rows, queries])], 1) for it in there]
    most = [np.maximum.reduceat(it, columns, 2) for it in flat]
    small = np.minimum(np.ceil(255 * np.concatenate(most)), 255).astype(np.uint8)
    return {"rows": size[0], "keys": size[1], "data": compressed(small.tobytes())}


def _starts(cells: int, groups: int) -> list[int]:
    """The first cell of each group: cell i falls into group i × groups // cells."""
    return [-(-group * cells // groups) for group in range(groups)]


def _joined(heads: Parts, how: Aggregate) -> npt.NDArray[np.float64]:
    return heads.max(0).astype(np.float64) if how == "max" else heads.mean(0, dtype=np.float64)


def _rounded(parts: npt.NDArray[np.float64]) -> Parts:
    """Whole parts, such that the sum over any run of cells is off by one at most."""
    sums = np.rint(np.cumsum(parts))
    return np.minimum(np.diff(sums, prepend=0), WHOLE).astype("<u2")
