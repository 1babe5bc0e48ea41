"""What outputs alone show, where nothing that was seen inside explains it."""

from .basis.calling import NoLogits
from .basis.clues import ERRORS, Clues, Reason
from .examination import Examination
from .probes.training import norms_of_batches

ROUNDING = 3e-5  # of the largest logit: sums over rows of different length round differently
PREFIXES = {*ERRORS, "scale_wrong"} - {"parameter_unused", "not_registered", "gradient_cut"}


def judge_more(examination: Examination, clues: Clues) -> None:
    """`batch_leak` by padding, `prefix_differs`, and a `future_leak` that training alone has."""
    seen = examination.seen
    if seen is None or not seen.usable:
        return
    least = ROUNDING * float(seen.logits.abs().max())
    neighbour = examination.neighbour
    if neighbour is not None and neighbour > least and not clues.has(*PREFIXES):
        clues.add("batch_leak", "other_padding", change=neighbour)
    if examination.in_training is not None and not clues.has(*PREFIXES):
        of_batch = bool(norms_of_batches(examination.caller))
        evidence = "future_by_batch_norm" if of_batch else "future_in_training"
        clues.add("future_leak", evidence, change=examination.in_training)
    if examination.prefix is not None and not clues.has(*PREFIXES):
        kept, change = examination.prefix
        if change > least:
            length = seen.batch.tgt.size(1)
            clues.add("prefix_differs", kept=kept, length=length, change=change)


def why_unexamined(examination: Examination) -> Reason:
    """Why nothing could be run, and what its owner may do about it."""
    failure = examination.failure
    if isinstance(failure, NoLogits):
        if failure.last:
            return Reason("returned_last", {"what": failure.returned, "last": failure.last})
        return Reason("returned", {"what": failure.returned})
    error = (examination.problems or ["?"])[0].rstrip(".")
    return Reason("raised_pair" if examination.has_source else "raised", {"error": error})
