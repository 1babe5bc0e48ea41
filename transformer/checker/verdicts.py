"""From what was measured to what is wrong: a symptom is named after its cause where one is known.

Outputs alone cannot tell a missing mask from heads that are mixed: both leak. So what was seen
inside comes first, and a symptom becomes a finding of its own only if nothing inside explains it.
"""

import torch
from torch import Tensor

from .clues import CODES, INSIDE, Clue, Clues
from .examination import Examination
from .inside.memory import judge_memory
from .inside.patterns import classify_causal

LEAKS = (
    "future_leak",
    "causal_off_by_one",
    "mask_inverted",
    "mask_value_too_small",
    "mask_after_softmax",
    "softmax_axis",
    "heads_mixed",
    "batch_leak",
    "cross_reads_target",
)
PADDING_LEAKS = ("cross_mask_wrong", "positions_not_reset", *LEAKS[2:8])
UNEQUAL = ("cross_mask_wrong", "cross_reads_target", "batch_leak", "heads_mixed")
ROUNDING = 3e-5  # of the largest logit: sums over rows of different length round differently


def decide(examination: Examination, irrelevant: set[str]) -> tuple[list[Clue], tuple[str, ...]]:
    """The clues that stay, and the codes that stay unknown."""
    clues = Clues()
    measured, inside = examination.clues, examination.inside
    clues.unknown |= measured.unknown
    if inside is None:
        clues.cannot_tell(*INSIDE)
    else:
        clues.found += inside.clues.found
        clues.unknown |= inside.clues.unknown
    clues.found += [clue for clue in measured.found if clue.code != "batch_leak"]
    if examination.shapes is None:
        clues.cannot_tell(*CODES)
    else:
        _batch(examination, clues)
        _memory(examination, clues)
        _future(examination, clues)
        _padding(examination, clues)
        _nan(examination, clues)
        _order(examination, clues)
        _lengths(examination, clues)
    found = [clue for clue in clues.found if clue.code not in irrelevant]
    known = {clue.code for clue in found} | irrelevant
    return found, tuple(code for code in CODES if code in clues.unknown and code not in known)


def _batch(examination: Examination, clues: Clues) -> None:
    leaks = [clue for clue in examination.clues.found if clue.code == "batch_leak"]
    if not clues.has("softmax_axis", "heads_mixed"):
        clues.found += leaks
    if examination.seen is not None and not examination.seen.usable:
        clues.cannot_tell("batch_leak")


def _memory(examination: Examination, clues: Clues) -> None:
    seen, inside = examination.seen, examination.inside
    if not examination.has_source or inside is None:
        return
    change: float | None = None
    if seen is not None and seen.usable and seen.src is not None:
        change = float(seen.src.max())
        change = 0.0 if change <= seen.noise else change
    if inside.attentions and inside.result:
        judge_memory(inside.graph, inside.attentions, inside.result, change, clues)
    elif change == 0.0:
        clues.add("memory_ignored", "deaf", change=0.0)
        clues.cannot_tell("cross_reads_target")


def _future(examination: Examination, clues: Clues) -> None:
    seen, inside = examination.seen, examination.inside
    looked = inside is not None and "decoder_self" in inside.kinds
    if seen is None or not seen.usable:
        if not looked:
            clues.cannot_tell("future_leak", "causal_off_by_one", "mask_inverted")
        return
    table = seen.tgt
    if table.size(0) != table.size(1):  # the module shifts the target itself
        table = table[:, : table.size(0)]
    leaks = (table > seen.noise).triu(1)
    if not bool(leaks.any()):
        if not looked:  # a residual shows its own token whatever the mask hides
            clues.cannot_tell("causal_off_by_one")
        return
    strongest = table.masked_fill(~leaks, 0)
    position, token = divmod(int(strongest.argmax()), table.size(1))
    values = {
        "token": token + 1,
        "position": position + 1,
        "change": float(strongest.max()),
    }
    causes = [code for code in LEAKS if clues.has(code)]
    if causes:
        if causes[0] in LEAKS[:7]:
            clues.add(causes[0], "future_logits", **values)
        return
    code = "future_leak" if looked else _by_outputs(leaks, table > seen.noise)
    clues.add(code, "future_logits", **values)
    if not looked:
        clues.cannot_tell(*INSIDE)


def _by_outputs(leaks: Tensor, seen: Tensor) -> str:
    """From logits alone; with several layers, one later position each adds up."""
    reach = [int(row.nonzero().max()) - at for at, row in enumerate(leaks) if bool(row.any())]
    hidden = ~seen
    hidden.fill_diagonal_(False)
    full = all(at + step == leaks.size(1) - 1 for at, step in enumerate(reach))
    if not full and len(set(reach[: len(reach) - reach[0]])) == 1:
        return "causal_off_by_one"
    return "mask_inverted" if classify_causal(hidden) == "mask_inverted" else "future_leak"


def _padding(examination: Examination, clues: Clues) -> None:
    seen, inside = examination.seen, examination.inside
    if not examination.has_source:
        return
    looked = inside is not None and bool(inside.kinds & {"encoder_self", "cross"})
    if examination.padding is None or seen is None:
        if not looked:
            clues.cannot_tell("padding_attended", "cross_mask_wrong")
        return
    largest = float(seen.logits.abs().max())
    if not looked:
        clues.cannot_tell("cross_mask_wrong")
    if examination.padding <= ROUNDING * largest:
        return
    if clues.has("padding_attended") or not clues.has(*PADDING_LEAKS):
        clues.add("padding_attended", "padding_logits", change=examination.padding)


def _nan(examination: Examination, clues: Clues) -> None:
    seen = examination.seen
    plain_is_nan = seen is not None and not seen.usable
    if plain_is_nan or clues.has("softmax_axis", "mask_inverted", "positions_not_reset"):
        clues.cannot_tell("nan_on_padded_row")
        return
    nan = examination.nan
    if nan is not None and bool(nan.any()):
        clues.add("nan_on_padded_row", "nan_rows", positions=int(nan.sum()), all=int(nan.numel()))
    elif examination.own_nan and bool((examination.maker.own.tgt == examination.pad_id).any()):
        clues.add("nan_on_padded_row", "nan_own")
    elif examination.own_nan and examination.maker.own.src is not None:
        if bool((examination.maker.own.src == examination.pad_id).any()):
            clues.add("nan_on_padded_row", "nan_own")


def _order(examination: Examination, clues: Clues) -> None:
    inside, seen = examination.inside, examination.seen
    sees = {} if inside is None else inside.sees_order
    if clues.has("batch_leak"):
        return  # positions that run along the batch leave none along the sentence
    if clues.has("heads_mixed"):
        clues.cannot_tell("no_positions")  # nobody knows which row is whose
        return
    by_outputs: bool | None = None
    if examination.order is not None and seen is not None:
        swapped, replaced = examination.order
        if replaced > 100 * seen.noise:
            by_outputs = swapped > max(1e-4 * replaced, 20 * seen.noise)
    source = sees.get("encoder_self")
    if inside is None or "encoder_self" not in inside.kinds:
        source = by_outputs
    target = sees.get("decoder_self")
    if source is False and examination.has_source:
        swapped = examination.order[0] if examination.order is not None else 0.0
        clues.add("no_positions", "order_src", change=swapped)
    if target is False:
        clues.add("no_positions", "order_tgt")
    if target is None or (examination.has_source and source is None):
        clues.cannot_tell("no_positions")


def _lengths(examination: Examination, clues: Clues) -> None:
    assert examination.shapes is not None
    error = examination.shapes.unequal
    if error is None:
        return
    causes = [c for c in UNEQUAL if clues.has(c)]
    clues.add(causes[0] if causes else "cross_mask_wrong", "lengths_crash", error=error[:200])


def as_list(table: Tensor) -> tuple[tuple[float, ...], ...]:
    """A table of finite numbers, ready for JSON."""
    rounded = torch.nan_to_num(table.float(), nan=0.0, posinf=0.0, neginf=0.0)
    return tuple(tuple(round(float(x), 6) for x in row) for row in rounded)
