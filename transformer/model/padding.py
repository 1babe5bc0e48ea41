"""Rows of unequal length as one tensor."""

from collections.abc import Sequence

import torch
from torch import Tensor


def pad(rows: Sequence[Sequence[int]], pad_id: int, device: torch.device | str = "cpu") -> Tensor:
    """Rows of ids, filled up at the end with `pad_id` → int64 [batch, longest]."""
    longest = max(map(len, rows))
    filled = [[*ids, *[pad_id] * (longest - len(ids))] for ids in rows]
    return torch.tensor(filled, dtype=torch.long, device=device)
