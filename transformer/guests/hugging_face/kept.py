"""Where rows of weights are kept as they come: one array for all layers, filled in place."""

import numpy as np
import torch
from torch import Tensor

from ...trace.packing import Weights


class Kept:
    """The weights of layers that are alike, over a text that grows by a known number of tokens.

    Beside what is kept there is never a copy of it: on the CPU the array is the trace's own, of
    which the system gives only what has been written to; elsewhere it stays on the device, so that
    nobody waits for it meanwhile.

    Args:
        layers: how many.
        block: the first rows that came, [batch, head, query, key].
        rows: how many more there will be at most.
        keys: the same of keys.
    """

    def __init__(self, layers: int, block: Tensor, rows: int, keys: int) -> None:
        _, heads, queries, width = block.shape
        self._shape = layers, heads, queries + rows, width + keys
        self._numbers: Weights | None = None
        if block.device.type == "cpu":
            self._numbers = np.zeros(self._shape, np.float32)
            self._tensor = torch.from_numpy(self._numbers)
        else:
            self._tensor = torch.zeros(self._shape, dtype=block.dtype, device=block.device)
        self._taken: Weights | None = None

    def put(self, layer: int, first: int, block: Tensor) -> bool:
        """Writes weights [1, head, row, key] of a layer from row `first` on; False: no room."""
        last, width = first + block.size(-2), block.size(-1)
        if last > self._shape[2] or width > self._shape[3] or block.size(0) != 1:
            return False
        self._tensor[layer, :, first:last, :width] = block[0]
        return True

    def taken(self, rows: int, keys: int) -> Weights:
        """All that came, float32 [layer, head, query, key], after which no more is put."""
        if self._taken is None:
            self._taken = self._moved_up(rows, keys)
        return self._taken

    def _moved_up(self, rows: int, keys: int) -> Weights:
        layers, heads, *_ = self._shape
        if self._numbers is None:
            whole = np.zeros((layers, heads, rows, keys), np.float32)
            for into, layer in zip(whole, self._tensor, strict=True):
                into[...] = layer[:, :rows, :keys].float().cpu().numpy()
            return whole
        if (rows, keys) == self._shape[2:]:
            return self._numbers
        # It ended early: each head moves up to where the one before it ends.
        flat = self._numbers.reshape(-1)
        size = rows * keys
        for at, head in enumerate(self._numbers.reshape(-1, *self._shape[2:])):
            flat[at * size : (at + 1) * size] = head[:rows, :keys].reshape(-1)
        return flat[: layers * heads * size].reshape(layers, heads, rows, keys)
