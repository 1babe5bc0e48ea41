"""The same call twice: chance, and memory of the last call."""

from contextlib import suppress

from torch import Tensor

from ...eyes.batches import Batch
from ...eyes.calling import Caller, CallFailed
from ..basis.clues import Clues


def probe_repeats(caller: Caller, batch: Batch, first: Tensor, clues: Clues) -> Tensor:
    """Probes `dropout_in_eval` and `positions_not_reset`.

    Args:
        caller: of the module, which has read something before.
        batch: what it reads.
        first: its logits [batch, tgt, vocab], of a call from the module's state as it was found.
        clues: to add to.
    Returns:
        Logits for further calls to compare with, in that shape: `first`, unless chance is in it.
    Raises:
        CallFailed: the module does not run on this batch at all.
    """
    noise = 1e-6 * max(float(first.nan_to_num(0).abs().max()), 1e-3)
    with suppress(CallFailed):  # what fails here is called again below, where it is told
        again = caller.logits(batch, restore=False, seed=1)
        if _change(first, again) <= noise:
            return first
    if (change := _change(first, caller.logits(batch, seed=1))) > noise:
        clues.add("dropout_in_eval", change=change)
        caller.still = True
    first = caller.logits(batch)
    try:
        change = _change(first, caller.logits(batch, restore=False))
    except CallFailed as error:
        if caller.hung:
            raise  # slow is not wrong
        clues.add("positions_not_reset", "second_call_fails", error=str(error))
        return first
    if change > noise:
        clues.add("positions_not_reset", change=change)
    return first


def _change(first: Tensor, again: Tensor) -> float:
    """The most that logits differ by; infinite where some are no numbers any more."""
    if first.shape != again.shape or (again.isnan().any() and not first.isnan().any()):
        return float("inf")
    return float((again - first).abs().nan_to_num(0).max())
