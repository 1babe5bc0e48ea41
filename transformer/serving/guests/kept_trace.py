"""A trace that a guest's process keeps, whoever may ask more about it."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from ...trace.guest import Guest, Layers
from ...trace.kinds import KINDS, Kind
from ...trace.packing import read_only
from ...trace.parts import HeadsInParts
from ...trace.trace import AttentionTrace

EXACT_BYTES = 32_000_000
"""Bytes of weights that are kept as computed; more are kept in parts, 1.6e-5 off at most."""


class KeptTrace:
    """A trace, whose weights take a half of their bytes, or a quarter, where there are many.

    Args:
        trace: a guest's.
        exact: bytes of weights that are kept as they are.
    """

    def __init__(self, trace: AttentionTrace, exact: int = EXACT_BYTES) -> None:
        self._exact: AttentionTrace | None = trace
        self._heads: dict[Kind, HeadsInParts] = {}
        layers: dict[Kind, Layers] = {k: it for k in KINDS if (it := trace.layers(k)) is not None}
        self._size = sum(it.nbytes for own in layers.values() for it in own if it is not None)
        if self._size > exact and trace.guest is not None:
            self._heads = {kind: HeadsInParts.of(own) for kind, own in layers.items()}
            self._size = sum(it.parts.nbytes for it in self._heads.values())
            self._arrays = {*trace.arrays()}
            names = {it.name for it in fields(trace)} - {*KINDS}
            self._rest: dict[str, Any] = {name: getattr(trace, name) for name in names}
            self._rest |= {**dict.fromkeys(KINDS), "guest": replace(trace.guest, ragged={})}
            self._exact = None

    def __len__(self) -> int:
        """Bytes of memory, about."""
        return self._size

    def trace(self) -> AttentionTrace:
        """The trace, put together anew where its weights are kept in parts."""
        if self._exact is not None:
            return self._exact
        whole: dict[Kind, Any] = {}
        ragged: dict[Kind, Layers] = {}
        for kind, heads in self._heads.items():
            weights = heads.weights()
            if kind in self._arrays:
                whole[kind] = read_only(weights.reshape(len(heads.counts), -1, *weights.shape[1:]))
            else:
                layers = np.split(weights, np.cumsum(heads.counts)[:-1])
                ragged[kind] = tuple(read_only(it) if len(it) else None for it in layers)
        guest: Guest = replace(self._rest["guest"], ragged=ragged)
        values: dict[str, Any] = {**self._rest, **whole, "guest": guest}
        return AttentionTrace(**values)
