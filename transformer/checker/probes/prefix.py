"""A prefix alone, against the same prefix within a longer target."""

from dataclasses import replace

from ...eyes.calling import Caller, CallFailed
from .visibility import Visibility


def prefix_change(caller: Caller, seen: Visibility) -> tuple[int, float] | None:
    """The most that leaving out what follows changes a position, and how many tokens are left.

    None where it cannot be told: the module reads no other length.
    """
    batch = seen.batch
    for length in range(batch.tgt.size(1) - 1, 1, -1):
        try:
            logits = caller.logits(replace(batch, tgt=batch.tgt[:, :length]))
        except CallFailed:
            continue
        change = (logits - seen.logits[:, : logits.size(1)]).abs()
        if logits.shape[::2] == seen.logits.shape[::2] and bool(change.isfinite().all()):
            return length, float(change.max())
    return None
