"""The same call twice: chance, and memory of the last call."""

from ..batches import Batch
from ..calling import Caller, CallFailed
from ..clues import Clues


def probe_repeats(caller: Caller, batch: Batch, clues: Clues) -> None:
    """`dropout_in_eval` and `positions_not_reset`.

    Raises:
        CallFailed: the module does not run on this batch at all.
    """
    src, tgt = batch.src, batch.tgt
    first = caller.logits(src, tgt)
    noise = 1e-6 * max(float(first.nan_to_num(0).abs().max()), 1e-3)
    change = float((caller.logits(src, tgt, seed=1) - first).abs().nan_to_num(0).max())
    if change > noise:
        clues.add("dropout_in_eval", "dropout_in_eval", change=change)
        caller.still = True
        first = caller.logits(src, tgt)
    try:
        caller.logits(src, tgt)
        again = caller.logits(src, tgt, restore=False)
        change = float((again - first).abs().nan_to_num(0).max())
    except CallFailed as error:
        clues.add("positions_not_reset", "second_call_fails", error=str(error))
        return
    if again.isnan().any() and not first.isnan().any():
        change = float("inf")
    if change > noise:
        clues.add("positions_not_reset", "positions_not_reset", change=change)
