"""What outputs alone show, where nothing that was seen inside explains it."""

from torch import Tensor

from ..eyes.calling import NoLogits
from .anatomy.patterns import classify_causal
from .basis.clues import ERRORS, Clues, Reason
from .examination import Examination
from .probes.training import norms_of_batches

ROUNDING = 3e-5  # of the largest logit: sums over rows of different length round differently
EXPLAIN = {*ERRORS, "scale_wrong"} - {"not_registered", "gradient_cut"}
"""What may be behind any difference of the logits."""
UNEQUAL = ("cross_mask_wrong", "cross_reads_target", "batch_leak", "heads_mixed")


def judge_more(examination: Examination, clues: Clues) -> None:
    """`batch_leak` by padding, `prefix_differs`, and a `future_leak` that training alone has."""
    seen = examination.seen
    if seen is None or not seen.usable:
        return
    least = ROUNDING * float(seen.logits.abs().max())
    neighbour = examination.neighbour
    if neighbour is not None and neighbour > least and not clues.has(*EXPLAIN):
        clues.add("batch_leak", "other_padding", change=neighbour)
    if examination.in_training is not None and not clues.has(*EXPLAIN):
        of_batch = bool(norms_of_batches(examination.caller))
        evidence = "future_by_batch_norm" if of_batch else "future_in_training"
        clues.add("future_leak", evidence, change=examination.in_training)
    # A prefix reads the same source: what padding there does, is the length's doing, too.
    beside = [clue for clue in clues.items if clue.evidence == "padding_beside_attention"]
    if examination.prefix is not None and not clues.has(*EXPLAIN - {c.code for c in beside}):
        prefix_length, change = examination.prefix
        if change > least:
            clues.items = [clue for clue in clues.items if clue not in beside]
            length = seen.batch.tgt.size(1)
            clues.add("prefix_differs", kept=prefix_length, length=length, change=change)


def judge_lengths(examination: Examination, clues: Clues) -> None:
    """`cross_mask_wrong` where no source and target of different lengths can be read."""
    assert examination.shapes is not None
    error = examination.shapes.unequal
    if error is None:
        return
    causes = [c for c in UNEQUAL if clues.has(c)]
    if causes:
        clues.add(causes[0], "lengths_crash", error=error[:200])
    else:
        clues.add("cross_mask_wrong", "lengths_alone", error=error[:200])


def why_unexamined(examination: Examination) -> Reason:
    """Why nothing could be run, and what its owner may do about it."""
    failure = examination.failure
    if isinstance(failure, NoLogits):
        if failure.last:
            return Reason("returned_last", {"what": failure.returned, "last": failure.last})
        return Reason("returned", {"what": failure.returned})
    error = (examination.problems or ["?"])[0].rstrip(".")
    return Reason("raised_pair" if examination.has_source else "raised", {"error": error})


def classify_leaks(leaks: Tensor, seen: Tensor) -> str:
    """A leak's code, by bool [position, token]; each of several layers adds a later position."""
    reach = [int(row.nonzero().max()) - at for at, row in enumerate(leaks) if bool(row.any())]
    hidden = ~seen
    hidden.fill_diagonal_(False)
    full = all(at + step == leaks.size(1) - 1 for at, step in enumerate(reach))
    if not full and len(set(reach[: len(reach) - reach[0]])) == 1:
        return "causal_off_by_one"
    return "mask_inverted" if classify_causal(hidden) == "mask_inverted" else "future_leak"
