"""Masks: what each kind of attention hides, against what it should hide."""

from dataclasses import replace

import torch
from torch import Tensor

from ...eyes.attention import Attention
from ...eyes.parts import by_sentences
from ..basis.clues import Clues
from .marks import Marks


def judge_marks(all_marks: list[Marks], clues: Clues) -> None:
    """`mask_after_softmax` and `mask_value_too_small`, wherever the mask is; a leak first."""
    for marks in sorted(all_marks, key=lambda marks: marks.attention.kind != "decoder_self"):
        if marks.late and not clues.has("mask_after_softmax"):
            sums = marks.attention.row_sums
            off = sums[(sums - 1).abs() > 1e-4]
            clues.add(
                "mask_after_softmax",
                "row_sums",
                place=marks.name,
                low=float(off.min()),
                high=float(off.max()),
            )
        if marks.weak and bool(marks.hidden.any()) and not clues.has("mask_value_too_small"):
            hidden_weights = marks.attention.weights[marks.hidden].nan_to_num(0)
            clues.add(
                "mask_value_too_small",
                "kept_weight",
                place=marks.name,
                number=marks.number,
                weight=float(hidden_weights.max()),
            )


def judge_causal(plain: list[Marks], clues: Clues) -> None:
    """The causal mask of decoder self-attention, on sentences without padding."""
    for marks in _of_sentences(plain):
        attention = marks.attention
        if attention.kind != "decoder_self" or not attention.along_sentence:
            continue
        hidden = marks.hidden
        if hidden.size(1) != hidden.size(2) or hidden.size(1) < 3:
            continue
        for table in _different(hidden):
            code = classify_causal(table)
            if code is None or clues.has(code):
                continue
            mine = (hidden == table).all(-1).all(-1)
            if code == "future_leak" and not bool((attention.used[mine].triu(1) != 0).any()):
                continue  # no later key gets weight, however it was hidden
            if marks.weak and code in {"mask_inverted", "future_leak"}:
                if bool((table | table.T).any()):
                    continue  # a mask is there; its number is what is wrong with it
            seen = (~table & _future(table)).nonzero()
            clues.add(
                code,
                f"{code}_weights",
                place=marks.name,
                query=int(seen[0, 0]) + 1 if len(seen) else 0,
                key=int(seen[0, 1]) + 1 if len(seen) else 0,
                seen=len(seen),
                cells=int(_future(table).sum()),
                past=int((table & ~_future(table)).sum()),
            )


def _of_sentences(all_marks: list[Marks]) -> list[Marks]:
    """Marks by sentence, where several sentences stand in one row."""
    return [
        replace(marks, attention=part, hidden=marks.hidden[:, rows][:, :, columns])
        for marks in all_marks
        for part, rows, columns in by_sentences(marks.attention)
    ]


def _different(tables: Tensor) -> list[Tensor]:
    tensors: list[Tensor] = []
    for table in tables:
        if not any(torch.equal(table, other) for other in tensors):
            tensors.append(table)
    return tensors


def _future(table: Tensor) -> Tensor:
    return torch.ones_like(table).triu(1)


def classify_causal(hidden: Tensor) -> str | None:
    """The code for hidden cells, bool [query, key], square; None if they are a causal mask."""
    future = _future(hidden)
    own = torch.eye(len(hidden), dtype=torch.bool)
    past = ~future & ~own
    leaks = future & ~hidden
    next_only = torch.ones_like(hidden).triu(1) & ~torch.ones_like(hidden).triu(2)
    if bool(hidden.all()):
        return "mask_inverted"
    if not bool(leaks.any()):
        own_hidden = bool(hidden.diagonal()[1:].all())
        return "causal_off_by_one" if own_hidden and not bool(hidden[past].all()) else None
    before = past[:-1]  # the last row has nothing to see instead
    if bool(hidden[:-1][before].all()) and bool(before.any()):
        return "mask_inverted"
    if bool((leaks == next_only).all()) and not bool(hidden.diagonal().any()):
        return "causal_off_by_one"
    return "future_leak"


def judge_padding(padded: list[Marks], pad_id: int, clues: Clues) -> None:
    """What encoder self-attention and cross-attention hide of a padded source."""
    judged = False
    for marks in padded:
        attention = marks.attention
        if attention.kind not in {"encoder_self", "cross"} or not attention.along_sentence:
            continue
        hidden = marks.hidden
        is_pad = (attention.key_ids == pad_id)[:, None, :].expand_as(hidden)
        real = attention.query_ids != pad_id
        some = is_pad.any(-1) & ~is_pad.all(-1) & real
        others = _of_others(attention)[some]
        pads, rest, hid = is_pad[some], ~is_pad[some], hidden[some]
        if not len(pads):
            continue
        judged = True
        seen, lost = pads & ~hid, rest & hid & ~others
        weight = attention.used[some][pads].nan_to_num(0)
        values = {"place": marks.name, "weight": float(weight.max()), "lost": int(lost.sum())}
        if bool((hid == rest).all()):
            if not marks.weak:  # with a weak number, which side is marked is a guess
                clues.add("mask_inverted", "padding_inverted", **values)
        elif marks.by_score and not bool(seen.any()):
            clues.cannot_tell("mask_by_score", "cross_mask_wrong")
        elif attention.kind == "cross" and bool(lost.any()) and not marks.by_score:
            clues.add("cross_mask_wrong", "cross_hides_words", **values)
        elif bool(seen.any()) and not marks.weak and values["weight"]:
            clues.add("padding_attended", "padding_weights", **values)
    if not judged:
        clues.cannot_tell("no_padding_met", "padding_attended", "cross_mask_wrong")


def _of_others(attention: Attention) -> Tensor:
    """Cells that cross-attention may well hide: of another sentence, or of the target beside it."""
    tokens, query, key = attention.tokens, attention.query, attention.key
    other = tokens.sentence(key)[:, None, :] != tokens.sentence(query)[:, :, None]
    real = (key >= 0)[:, None, :] & (query >= 0)[:, :, None]
    beside = tokens.is_tgt(key)[:, None, :] & tokens.is_src(key).any(-1)[:, None, None]
    return real & (other | beside)


def hides_padding(marks: Marks, pad_id: int) -> bool:
    """Whether padding is hidden from some word, however well that worked."""
    attention = marks.attention
    if attention.kind not in {"encoder_self", "cross"}:
        return False
    is_pad = (attention.key_ids == pad_id)[:, None, :].expand_as(marks.hidden)
    words = (attention.query_ids != pad_id)[:, :, None]
    return bool((marks.hidden & is_pad & words).any())


def judge_cross(plain: list[Marks], clues: Clues) -> None:
    """Judges cross-attention without padding, where it should hide nothing."""
    for marks in plain:
        hidden, attention = marks.hidden, marks.attention
        if attention.kind not in {"cross", "encoder_self"} or not attention.along_sentence:
            continue
        if marks.by_score:
            clues.cannot_tell("mask_by_score", "cross_mask_wrong")
        elif bool(hidden.all()):
            clues.add("mask_inverted", "all_hidden", place=marks.name)
        elif attention.kind == "cross" and not clues.has("cross_mask_wrong"):
            lost = int((hidden & ~_of_others(attention)).sum())
            if lost:
                values = {"place": marks.name, "weight": 0.0, "lost": lost}
                clues.add("cross_mask_wrong", "cross_hides_words", **values)


def judge_causal_encoder(plain: list[Marks], clues: Clues) -> None:
    """`causal_in_encoder`: an encoder whose words see only those before them."""
    for marks in _of_sentences(plain):
        attention, hidden = marks.attention, marks.hidden
        if attention.kind != "encoder_self" or not attention.along_sentence or attention.part:
            continue
        if hidden.size(1) != hidden.size(2) or hidden.size(1) < 3 or marks.weak:
            continue
        future = _future(hidden[0]).expand_as(hidden)
        if bool((hidden == future).all()):
            cells = int(_future(hidden[0]).sum())
            clues.add("causal_in_encoder", place=marks.name, cells=cells)
            return
