"""The weights of many passes, step after step, put together as if they had been one."""

import numpy as np
import torch
from torch import Tensor

from ..decoding import LiveRows
from ..model.towers import Tower
from ..trace.kinds import Kind
from ..trace.packing import Weights
from .hooks import Recording, Site


class Steps(Recording):
    """What every pass of a decode attended to: the encoder's one, and the decoder's, row by row.

    Args:
        live: which rows of the batch a pass computes.
    """

    def __init__(self, live: LiveRows) -> None:
        super().__init__()
        self._live = live
        self._count = len(live.now)
        # By kind, for every pass its rows and their weights, a layer each.
        self._passes: dict[Kind, list[tuple[list[int], list[Tensor]]]] = {}

    def capture(self, where: Kind | Tower, site: Site, layer: int, tensor: Tensor) -> None:
        """Keeps the weights of one layer's pass, [batch, head, query, key]."""
        assert site == "weights"
        assert where != "encoder"
        assert where != "decoder"
        passes = self._passes.setdefault(where, [])
        if layer == 0:
            passes.append((self._live.now, []))
        passes[-1][1].append(tensor)

    def weights_of(self, kind: Kind) -> Weights:
        """[batch, layer, head, query, key]; 0 where a query came before a key, or after its end."""
        passes = [
            (rows, torch.stack(layers, 1).cpu().numpy()) for rows, layers in self._passes[kind]
        ]
        if len(passes) == 1:
            return passes[0][1]
        queries, keys = sum(each.shape[3] for _, each in passes), passes[-1][1].shape[4]
        *sizes, _, _ = passes[0][1].shape
        whole = np.zeros((*sizes, queries, keys), np.float32)
        start = 0
        for rows, weights in passes:
            stop, seen = start + weights.shape[3], weights.shape[4]
            where = slice(None) if len(rows) == self._count else rows
            whole[where, :, :, start:stop, :seen] = weights
            start = stop
        return whole
