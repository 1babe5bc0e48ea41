"""Padding at the end of the source must change nothing, and turn nothing into NaN."""

from dataclasses import replace

import torch
from torch import Tensor

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


def neighbour_change(caller: Caller, maker: Maker, seen: Visibility) -> float | None:
    """The most that padding in other sentences changes the logits of the first one.

    None where it cannot be told: one sentence alone, or logits that are no numbers.
    """
    padded = maker.padded(seen.batch)
    if len(padded.tgt) < 2 or not seen.usable:
        return None
    sides = {name: getattr(padded, name) for name in ("src", "tgt")}
    for name, ids in sides.items():
        if ids is not None:
            ids[0] = seen.batch.ids_of(name)[0]
    try:
        logits = caller.logits(replace(padded, **sides))
    except CallFailed:
        return None
    change = (logits[0] - seen.logits[0]).abs()
    return float(change.max()) if bool(change.isfinite().all()) else None


def nan_rows(caller: Caller, batch: Batch) -> Tensor | None:
    """Of a padded batch, which [batch, tgt] logits are NaN; also along PyTorch's fast path."""
    found: Tensor | None = None
    for fast in (False, True):
        torch.backends.mha.set_fastpath_enabled(fast)
        try:
            nan = caller.logits(batch).isnan().any(-1)
            found = nan if found is None else found | nan
        except CallFailed:
            continue
        finally:
            torch.backends.mha.set_fastpath_enabled(False)
    return found
