"""From what was measured to what is wrong: a symptom is named after its cause where one is known.

Outputs alone cannot tell a missing mask from heads that are mixed: both leak. So what was seen
inside comes first, and a symptom becomes a finding of its own only if nothing inside explains it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from .anatomy.memory import hears_source, judge_memory
from .basis.clues import CODES, INSIDE, Clue, Clues, Reason
from .by_outputs import ROUNDING, classify_leaks, judge_lengths, judge_more, why_unexamined
from .examination import Examination
from .leaks import DOUBTFUL, beside_attention, explains, is_rounding, spreads_on_padding, strongest

LEAKS = (
    *("future_leak", "causal_off_by_one", "mask_inverted", "mask_value_too_small"),
    *("mask_after_softmax", "softmax_axis", "heads_mixed", "batch_leak", "cross_reads_target"),
)
OF_MASKS = ("mask_inverted", "mask_value_too_small", "mask_after_softmax", "cross_mask_wrong")
PADDING_LEAKS = ("cross_mask_wrong", "positions_not_reset", *LEAKS[2:8])
# What makes a parameter useless, is what is wrong: each of these leaves some unread.
LEAVES_UNUSED = (
    *("value_from_key", "key_from_query", "output_projection_missing", "memory_ignored"),
    *("norm_missing", "no_positions", "shared_layers", "layers_not_run", "residual_missing"),
    *("cross_reads_target", "made_in_forward", "activation_missing"),
)
# A symptom of each on the right is a finding of its own only where the left is not found.
EXPLAINED = {
    "made_in_forward": {"dropout_in_eval"},
    "layers_not_run": {"memory_ignored", "shared_layers"},
    "shared_layers": {"key_from_query"},
    "memory_ignored": {"gradient_cut"},
    "not_registered": {"dropout_in_eval"},  # eval() does not reach them
}
# What is concluded from where a trail of operations leads, which ends where numbers leave tensors.
OF_TRAILS = {
    *("memory_ignored", "parameter_unused", "layers_not_run", "cross_reads_target"),
    *("residual_missing", "residual_from_norm", "norm_missing", "activation_missing"),
    *("output_projection_missing", "no_positions"),
}
# Where heads are mixed, nobody knows which row is whose.
OF_ROWS = {
    *("future_leak", "causal_off_by_one", "mask_inverted", "padding_attended", "cross_mask_wrong"),
    *("value_from_key", "causal_in_encoder", "batch_leak"),
}


@dataclass(eq=False)
class Verdict:
    """What is wrong, what could not be told and why, and what else is worth knowing.

    Attributes:
        judged: how many codes were.
        unexamined: why there is no judgement at all; None where there is.
    """

    clues: list[Clue]
    unknown: dict[str, Reason]
    notes: list[Reason]
    judged: int = 0
    unexamined: Reason | None = None

    @property
    def codes(self) -> set[str]:
        """The codes of all clues."""
        return {clue.code for clue in self.clues}


def decide(examination: Examination) -> Verdict:
    """The clues that stay, and the codes that stay unknown."""
    clues = Clues()
    measured, inside = examination.clues, examination.inside
    if inside is not None:
        clues.take(inside.clues)
    clues.take(measured)
    clues.items = [clue for clue in clues.items if clue.code != "batch_leak"]
    if inside is not None:
        clues.items += [clue for clue in inside.clues.items if clue.code == "batch_leak"]
    notes: list[Reason] = []
    unexamined: Reason | None = None
    if examination.shapes is None:
        error = (examination.problems or ["?"])[0]
        clues.cannot_tell("not_run", *CODES, error=error)
        unexamined = why_unexamined(examination)
    elif _silent(examination):
        clues.items = [clue for clue in clues.items if clue.code in {"parameter_unused"}]
        clues.cannot_tell("silent", *CODES)
        unexamined = None if clues.items else Reason("silent")
    else:
        if inside is None:
            clues.cannot_tell("no_attention", *INSIDE)
        _batch(examination, clues)
        _memory(examination, clues)
        _future(examination, clues, notes)
        _padding(examination, clues, notes)
        _nan(examination, clues)
        _order(examination, clues)
        judge_lengths(examination, clues)
        judge_more(examination, clues)
    if any(clue.evidence == "gradient_outside" for clue in clues.items):
        broken = OF_TRAILS & {clue.code for clue in clues.items}
        clues.items = [clue for clue in clues.items if clue.code not in broken]
        clues.cannot_tell("trail_ends", *broken)
    out = set(examination.irrelevant)
    for cause, symptoms in EXPLAINED.items():
        out |= symptoms if clues.has(cause) else set()
    if any(clue.evidence == "no_cross" for clue in clues.items):
        out |= {"residual_missing", "norm_missing", "activation_missing"}
    if clues.has("heads_mixed"):
        clues.items = [clue for clue in clues.items if clue.code not in OF_ROWS]
        clues.cannot_tell("heads_mixed", *OF_ROWS)
    if clues.has(*LEAVES_UNUSED):
        out.add("parameter_unused")
    clues_left = [clue for clue in clues.items if clue.code not in out]
    judged = {clue.code for clue in clues_left} | out
    unknown = {c: clues.unknown[c] for c in CODES if c in clues.unknown and c not in judged}
    return Verdict(clues_left, unknown, notes, len(set(CODES) - out - set(unknown)), unexamined)


def _silent(examination: Examination) -> bool:
    """Whether the logits are the same whatever is read, as where all weights are 0."""
    seen = examination.seen
    if seen is None or not seen.usable:
        return False
    tables = [table for table in (seen.tgt, seen.src) if table is not None]
    return not any(bool((table > seen.noise).any()) for table in tables)


def _batch(examination: Examination, clues: Clues) -> None:
    leaks = [clue for clue in examination.clues.items if clue.code == "batch_leak"]
    inside = examination.inside
    in_one_row = inside is not None and any(a.in_one_row for a in inside.attentions)
    if in_one_row and clues.has(*OF_MASKS):  # one mask keeps both words and sentences apart
        clues.items = [clue for clue in clues.items if clue.code != "batch_leak"]
    elif not clues.has("softmax_axis", "heads_mixed"):
        clues.items += leaks
    if examination.seen is not None and not examination.seen.usable:
        clues.cannot_tell("not_finite", "batch_leak")


def _memory(examination: Examination, clues: Clues) -> None:
    seen, inside = examination.seen, examination.inside
    if not examination.has_source or inside is None:
        return
    change: float | None = None
    if seen is not None and seen.usable and seen.src is not None:
        change = float(seen.src.max())
        change = 0.0 if change <= seen.noise else change
    if inside.attentions and inside.result:
        judge_memory(
            inside.graph, inside.attentions, inside.result, change, inside.cross_hears, clues
        )
    elif change == 0.0:
        clues.add("memory_ignored", "deaf", change=0.0)
        clues.cannot_tell("no_attention", "cross_reads_target")


def _future(examination: Examination, clues: Clues, notes: list[Reason]) -> None:
    seen, inside = examination.seen, examination.inside
    if examination.encoder_only:
        return
    looked = inside is not None and "decoder_self" in inside.kinds
    if seen is None or not seen.usable:
        if not looked:
            codes = ("future_leak", "causal_off_by_one", "mask_inverted")
            clues.cannot_tell("not_finite", *codes)
        return
    table = seen.tgt
    if table.size(0) != table.size(1):  # the module shifts the target itself
        table = table[:, : table.size(0)]
    leaks = (table > seen.noise).triu(1)
    if bool(leaks.any()) and _is_rounding(examination, leaks, table):
        leaks = torch.zeros_like(leaks)
    if not bool(leaks.any()):
        if not looked:  # a residual shows its own token whatever the mask hides
            clues.cannot_tell("sees_itself", "causal_off_by_one")
        return
    if not examination.has_source:
        notes.append(Reason("encoder_perhaps"))
    position, token, change = strongest(table, leaks)
    values = {"token": token + 1, "position": position + 1, "change": change}
    if inside is not None and examination.has_source and clues.has("future_leak"):
        tokens = inside.attentions[0].tokens if inside.attentions else None
        if tokens is not None and not hears_source(inside.graph, tokens, inside.result):
            clues.items.insert(0, Clue("future_leak", "source_unread"))
    clue_codes = [c.code for c in clues.items if inside is None or explains(c, inside)]
    causes = [code for code in LEAKS if code in clue_codes]
    if causes:
        if causes[0] in LEAKS[:7]:
            clues.add(causes[0], "future_logits", **values)
        return
    code = "future_leak" if looked else classify_leaks(leaks, table > seen.noise)
    evidence = "future_beside_attention" if beside_attention(inside) else "future_logits"
    if spreads_on_padding(inside, leaks, seen.batch.tgt[0], examination.pad_id):
        evidence, values["pad_id"] = "future_row_hidden", examination.pad_id
    clues.add(code, evidence if looked else "future_outputs", **values)
    if not looked:
        clues.cannot_tell("outputs_only", *INSIDE)


def _is_rounding(examination: Examination, leaks: Tensor, table: Tensor) -> bool:
    seen = examination.seen
    assert seen is not None
    position, token, change = strongest(table, leaks)
    if change > DOUBTFUL * float(seen.logits.abs().max()):
        return False
    other = examination.maker.other("tgt", int(seen.batch.tgt[0, token]))
    changed = seen.batch.with_token("tgt", 0, token, other)
    return is_rounding(examination.caller, seen.batch, changed, position, change)


def _padding(examination: Examination, clues: Clues, notes: list[Reason]) -> None:
    seen, inside = examination.seen, examination.inside
    if not examination.has_source and not examination.encoder_only:
        return
    looked = inside is not None and bool(inside.kinds & {"encoder_self", "cross"})
    if examination.padding is None or seen is None:
        if not looked:
            clues.cannot_tell("no_padding_met", "padding_attended", "cross_mask_wrong")
        return
    largest = float(seen.logits.abs().max())
    if not looked:
        clues.cannot_tell("no_attention", "cross_mask_wrong")
    if examination.padding > ROUNDING * largest:
        if clues.has("padding_attended"):
            clues.add("padding_attended", "padding_logits", change=examination.padding)
        elif not clues.has(*PADDING_LEAKS, *(LEAKS if _one_row(examination) else ())):
            elsewhere = looked and "padding_attended" not in clues.unknown
            evidence = "padding_beside_attention" if elsewhere else "padding_logits"
            clues.add("padding_attended", evidence, change=examination.padding)
    other = examination.other_pad
    if other is not None and clues.has("padding_attended"):
        values = {"pad_id": examination.pad_id, "other": other}
        clues.items = [clue for clue in clues.items if clue.code != "padding_attended"]
        clues.cannot_tell("pad_unknown", "padding_attended", **values)
        notes.append(Reason("other_pad", {**values}))
    elif not examination.is_padded and not (inside is not None and inside.hides_padding):
        # A model that was never given any has no mask to be wrong.
        clues.items = [clue for clue in clues.items if clue.code != "padding_attended"]
        clues.cannot_tell("no_padding_given", "padding_attended", pad_id=examination.pad_id)


def _nan(examination: Examination, clues: Clues) -> None:
    seen = examination.seen
    plain_is_nan = seen is not None and not seen.usable
    if plain_is_nan or clues.has("softmax_axis", "mask_inverted", "positions_not_reset"):
        clues.cannot_tell("nan_explained", "nan_on_padded_row")
        return
    nan = examination.nan
    if nan is not None and bool(nan.any()):
        clues.add("nan_on_padded_row", "nan_rows", positions=int(nan.sum()), all=int(nan.numel()))
    elif examination.own_nan:
        clues.add("nan_on_padded_row", "nan_own")


def _order(examination: Examination, clues: Clues) -> None:
    inside, seen = examination.inside, examination.seen
    sees = {} if inside is None else inside.sees_order
    if clues.has("batch_leak"):
        return  # positions that run along the batch leave none along the sentence
    if any(clue.evidence == "softmax_over_batch" for clue in clues.items):
        clues.cannot_tell("order_unclear", "no_positions")
        return
    if clues.has("heads_mixed"):
        clues.cannot_tell("heads_mixed", "no_positions")  # nobody knows which row is whose
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
    if source is False and examination.has_source and not _one_row(examination):
        swapped = examination.order[0] if examination.order is not None else 0.0
        clues.add("no_positions", "order_src", change=swapped)
    if target is False and clues.has("mask_inverted"):
        clues.cannot_tell("order_hidden", "no_positions")
    elif target is False:
        clues.add("no_positions", "order_tgt")
    if examination.encoder_only:
        if source is False:
            clues.add("no_positions", "order_self")
        elif source is None:
            clues.cannot_tell("order_unclear", "no_positions")
    elif target is None or (
        examination.has_source and source is None and not _one_row(examination)
    ):
        clues.cannot_tell("order_unclear", "no_positions")


def _one_row(examination: Examination) -> bool:
    """Whether source and target are read in one row, so that there is no encoder."""
    inside = examination.inside
    return inside is not None and any(attention.both_sides for attention in inside.attentions)
