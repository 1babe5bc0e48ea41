"""Which number stands for which token of the probe batch."""

from dataclasses import dataclass

import torch
from torch import Tensor

from .batches import Batch


@dataclass(frozen=True)
class Tokens(Batch):
    """Numbers for the tokens of one batch: the source's first, row by row, then the target's.

    A side may hold vectors, [batch, length, feature], in the place of ids.
    """

    @classmethod
    def of(cls, batch: Batch) -> "Tokens":
        """The tokens of a batch."""
        return cls(batch.src, batch.tgt, batch.encoder)

    @property
    def num_src(self) -> int:
        """Source tokens of the whole batch."""
        return 0 if self.src is None else _count(self.src)

    @property
    def num_all(self) -> int:
        """All tokens of the whole batch."""
        return self.num_src + _count(self.tgt)

    def labels(self, ids: Tensor) -> Tensor:
        """The labels of `src` or `tgt`, in its shape."""
        first = 0 if ids is self.src else self.num_src
        numbers = first + torch.arange(_count(ids))
        return numbers.view(*ids.shape[:2], *(1,) * (ids.dim() - 2)).expand(ids.shape)

    def is_src(self, label: Tensor) -> Tensor:
        """Whether each label is a source token's: bool, in the labels' shape."""
        return (label >= 0) & (label < (self.num_all if self.encoder else self.num_src))

    def is_tgt(self, label: Tensor) -> Tensor:
        """Whether each label is a target token's: bool, in the labels' shape."""
        return ~self.is_src(label) & (label >= 0) & (label < self.num_all)

    def sentence(self, label: Tensor) -> Tensor:
        """The row of the batch that each label's token stands in, in the labels' shape."""
        length = 1 if self.src is None else self.src.size(1)
        in_tgt = (label - self.num_src) // self.tgt.size(1)
        return in_tgt.where(label >= self.num_src, label // length)

    def position(self, label: Tensor) -> Tensor:
        """The column of the batch that each label's token stands in, in the labels' shape."""
        length = 1 if self.src is None else self.src.size(1)
        in_tgt = (label - self.num_src) % self.tgt.size(1)
        return in_tgt.where(label >= self.num_src, label % length)

    def ids(self, label: Tensor) -> Tensor:
        """The token id of each label, in the labels' shape; −1 where a label is no token."""
        flat = (
            [self.tgt.flatten()] if self.src is None else [self.src.flatten(), self.tgt.flatten()]
        )
        table = torch.cat(flat).cpu()
        real = (label >= 0) & (label < len(table))
        return table[label.clamp(0, len(table) - 1)].where(real, -1)


def _count(ids: Tensor) -> int:
    return ids.size(0) * ids.size(1)
