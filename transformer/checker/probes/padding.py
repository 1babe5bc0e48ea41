"""Padding at the end of the source must change nothing, and turn nothing into NaN."""

from dataclasses import replace

import torch
from torch import Tensor, nn

from ...eyes.batches import Batch, Maker
from ...eyes.calling import Caller, CallFailed
from .visibility import Visibility


def padding_change(caller: Caller, maker: Maker, seen: Visibility) -> float | None:
    """The most that two padding tokens after every source change the logits.

    None where it cannot be told: no source, or the module cannot read the longer one.
    """
    batch = seen.batch
    ids = batch.tgt if batch.encoder else batch.src
    if ids is None or ids.size(1) < 4 or not seen.usable:
        return None
    short, padding = ids[:, :-2], torch.full_like(ids[:, :2], maker.pad_id)
    sides = (short, torch.cat([short, padding], dim=1))
    try:
        bare, long = (
            caller.logits(replace(batch, **{"tgt" if batch.encoder else "src": side}))
            for side in sides
        )
    except CallFailed:
        return None
    change = (long[:, : bare.size(1)] - bare).abs()
    return float(change.max()) if bool(change.isfinite().all()) else None


def read_padded(caller: Caller, padded: Batch) -> Tensor | None:
    """Logits [batch, tgt, vocab] of a padded batch; None if the module cannot read it."""
    try:
        return caller.logits(padded)
    except CallFailed:
        return None


def neighbour_change(padded: Batch, logits: Tensor | None, seen: Visibility) -> float | None:
    """The most that padding in other sentences changes the first of `logits` [batch, tgt, vocab].

    None where it cannot be told: the first is padded, too, or its logits are no numbers.
    """
    batch = seen.batch
    pairs = [(padded.tgt, batch.tgt), (padded.src, batch.src)]
    sides = [(one, other) for one, other in pairs if one is not None and other is not None]
    if logits is None or any(not torch.equal(one[0], other[0]) for one, other in sides):
        return None
    if len(padded.tgt) < 2 or not seen.usable:
        return None
    change = (logits[0] - seen.logits[0]).abs()
    return float(change.max()) if bool(change.isfinite().all()) else None


def nan_rows(caller: Caller, batch: Batch, logits: Tensor | None) -> Tensor | None:
    """Rows with NaN, bool [batch, tgt], of a padded batch's logits; on PyTorch's fast path, too."""
    rows = None if logits is None else logits.isnan().any(-1)
    if not any(isinstance(part, nn.TransformerEncoderLayer) for part in caller.module.modules()):
        return rows
    torch.backends.mha.set_fastpath_enabled(True)
    try:
        nan = caller.logits(batch).isnan().any(-1)
    except CallFailed:
        return rows
    finally:
        torch.backends.mha.set_fastpath_enabled(False)
    return nan if rows is None else rows | nan
