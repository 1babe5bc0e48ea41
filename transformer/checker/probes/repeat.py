"""The same call twice: chance, and memory of the last call."""

from ...eyes.batches import Batch
from ...eyes.calling import Caller, CallFailed
from ..basis.clues import Clues


def probe_repeats(caller: Caller, batch: Batch, clues: Clues) -> None:
    """`dropout_in_eval` and `positions_not_reset`.

    Raises:
        CallFailed: the module does not run on this batch at all.
    """
    first = caller.logits(batch)
    noise = 1e-6 * max(float(first.nan_to_num(0).abs().max()), 1e-3)
    change = float((caller.logits(batch, seed=1) - first).abs().nan_to_num(0).max())
    if change > noise:
        clues.add("dropout_in_eval", change=change)
        caller.still = True
        first = caller.logits(batch)
    try:
        caller.logits(batch)
        again = caller.logits(batch, restore=False)
        change = float((again - first).abs().nan_to_num(0).max())
    except CallFailed as error:
        if caller.hung:
            raise  # slow is not wrong
        clues.add("positions_not_reset", "second_call_fails", error=str(error))
        return
    if again.isnan().any() and not first.isnan().any():
        change = float("inf")
    if change > noise:
        clues.add("positions_not_reset", change=change)
