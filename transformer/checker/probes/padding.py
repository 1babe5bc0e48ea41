"""Padding at the end of the source must change nothing, and turn nothing into NaN."""

import torch
from torch import Tensor

from ..batches import Batch, Maker
from ..calling import Caller, CallFailed
from .visibility import Visibility


def padding_change(caller: Caller, maker: Maker, seen: Visibility) -> float | None:
    """The most that two padding tokens after every source change the logits.

    None where it cannot be told: no source, or the module cannot read the longer one.
    """
    batch = seen.batch
    if batch.src is None or batch.src.size(1) < 4 or not seen.usable:
        return None
    short = Batch(batch.src[:, :-2], batch.tgt)
    padding = torch.full_like(batch.src[:, :2], maker.pad_id)
    assert short.src is not None
    long = Batch(torch.cat([short.src, padding], dim=1), batch.tgt)
    try:
        bare = caller.logits(short.src, short.tgt)
        change = (caller.logits(long.src, long.tgt) - bare).abs()
    except CallFailed:
        return None
    return float(change.max()) if bool(change.isfinite().all()) else None


def nan_rows(caller: Caller, batch: Batch) -> Tensor | None:
    """Of a padded batch, which [batch, tgt] logits are NaN; also along PyTorch's fast path."""
    found: Tensor | None = None
    for fast in (False, True):
        torch.backends.mha.set_fastpath_enabled(fast)
        try:
            nan = caller.logits(batch.src, batch.tgt).isnan().any(-1)
            found = nan if found is None else found | nan
        except CallFailed:
            continue
        finally:
            torch.backends.mha.set_fastpath_enabled(False)
    return found
