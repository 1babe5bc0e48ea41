"""Probes of order: that of words must matter, that of sentences in the batch must not."""

from ...eyes.batches import Batch
from ...eyes.calling import Caller
from ..basis.clues import Clues
from .visibility import Visibility


def probe_batch(caller: Caller, seen: Visibility, clues: Clues) -> None:
    """`batch_leak`: another sentence changes the logits, or the place in the batch does."""
    if seen.batch.tgt.size(0) < 2:
        clues.cannot_tell("one_sentence", "batch_leak")
        return
    if seen.others > seen.noise:
        clues.add("batch_leak", "other_sentence", change=seen.others)
        return
    if seen.anywhere:
        return
    order = [*range(1, seen.batch.tgt.size(0)), 0]
    moved = seen.batch.rows(order)
    change = (caller.logits(moved) - seen.logits[order]).abs().max()
    if float(change) > 20 * seen.noise:
        clues.add("batch_leak", "place_in_batch", change=float(change))


def source_order_change(caller: Caller, seen: Visibility) -> tuple[float, float] | None:
    """How much swapping two source words changes the logits, and how much changing one does."""
    batch: Batch = seen.batch
    if batch.src is None or seen.src is None or batch.src.size(1) < 3:
        return None
    swapped = batch.swapped("src", 0, 2)
    change = (caller.logits(swapped) - seen.logits).abs().max()
    return float(change), float(seen.src.max())
