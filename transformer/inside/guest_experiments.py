"""Experiments on guests: a change, every head off in turn, every word left out in turn."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from ..ask.passes import CELLS, Logs, row_by_row
from ..trace.changes import read_interventions, without_tokens
from ..trace.interventions import Intervention
from ..trace.kinds import KINDS, Kind
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from .distribution import Distribution, distribution_of
from .effect import Effect, effect_of
from .guest_passes import Scored, logits_of, logs_of, scored, words_and_pieces
from .leave_one_out import LeaveOneOut
from .sweep import Sweep

if TYPE_CHECKING:
    from ..guests.hugging_face.guest import HuggingFaceModel


def effect(
    guest: "HuggingFaceModel", trace: AttentionTrace, interventions: Sequence[Intervention | str]
) -> Effect:
    """Scores a guest's tokens with a change and without it: see `effect.effect`."""
    changes = read_interventions(interventions)
    guest.check(changes, trace)
    one = scored(guest, trace)
    with torch.no_grad():
        with guest.changed(trace.interventions):
            before = logits_of(guest, one)
        with guest.changed((*trace.interventions, *changes)):
            after = logits_of(guest, one)
    logs = logs_of(after, one.ids) - logs_of(before, one.ids)
    return effect_of(changes, logs[0], before, after)


def sweep(
    guest: "HuggingFaceModel", trace: AttentionTrace, kinds: Collection[Kind] = KINDS
) -> Sweep:
    """Switches off every head of a guest in turn: see `sweep.sweep`.

    A layer without attention, or with fewer heads than another, has zeros there.
    """
    one = scored(guest, trace)
    points = {(it.kind, it.layer): it for places in guest.learnt.layout.values() for it in places}
    guest_kinds: list[Kind] = [kind for kind in guest.learnt.heads if kind in kinds]
    heads: list[tuple[Kind, int, int]] = [
        (kind, layer, head)
        for kind in guest_kinds
        for layer, count in enumerate(guest.learnt.heads[kind])
        for head in range(count)
    ]
    deltas: dict[Kind, Weights] = {
        kind: np.zeros((len(counts), max(counts)), np.float32)
        for kind, counts in guest.learnt.heads.items()
        if kind in guest_kinds
    }
    with torch.no_grad(), guest.changed(trace.interventions):
        first = logits_of(guest, one)
        base = float(logs_of(first, one.ids).sum())
        # Outside the interface, heads of several rows may lie on one axis.
        size = max(1, CELLS // first[0].numel()) if guest.learnt.ordinals is None else 1
        for at in range(0, len(heads), size):
            batch = heads[at : at + size]
            off = [(points[kind, layer].weights, (head,)) for kind, layer, head in batch]
            with row_by_row(off):
                scores = logs_of(logits_of(guest, one, len(batch)), one.ids).sum(-1)
            for (kind, layer, head), score in zip(batch, scores.tolist(), strict=True):
                deltas[kind][layer, head] = score - base
    return Sweep(
        model=trace.model,
        source=trace.source,
        translation=trace.translation,
        log_probability=base,
        unit="nats",
        **{kind: read_only(deltas[kind]) if kind in deltas else None for kind in KINDS},
    )


def leave_one_out(
    guest: "HuggingFaceModel", trace: AttentionTrace, instead: Mapping[int, int] | None = None
) -> LeaveOneOut:
    """Deletes each word in turn and scores a guest's tokens again: see `leave_one_out`.

    Of an encoder, the rows are its hidden tokens, which are never left out.
    """
    one = scored(guest, trace)
    if instead:
        ids = tuple(instead.get(step, token) for step, token in enumerate(one.ids))
        one = replace(one, ids=ids)
    words, pieces = words_and_pieces(trace)
    hidden: set[int] = {*one.rows} if guest.form == "encoder" else set()
    with torch.no_grad():
        with guest.changed(trace.interventions):
            whole = logs_of(logits_of(guest, one), one.ids)[0]
        columns = [
            np.full(len(one.ids), np.nan)
            if hidden & {*word}
            else _without(guest, trace, one, word) - whole
            for word in pieces
        ]
    return LeaveOneOut(
        words=words,
        pieces=pieces,
        tgt_in=one.reads,
        tgt_out=one.says,
        deltas=read_only(np.stack(columns, 1) if columns else np.zeros((len(one.ids), 0))),
    )


def distribution(guest: "HuggingFaceModel", trace: AttentionTrace) -> Distribution:
    """How likely each step's tokens would be at every temperature: see `distribution`.

    The logits are a pass's over the whole text; in half precision they differ from those of the
    decoding by as much as its rounding does.
    """
    one = scored(guest, trace)
    with torch.no_grad(), guest.changed(trace.interventions):
        logits = logits_of(guest, one)[0]
    return distribution_of(logits, lambda ids: guest.texts.labels(ids).shown)


def _without(
    guest: "HuggingFaceModel", trace: AttentionTrace, one: Scored, word: Sequence[int]
) -> Logs:
    """Log-probabilities without a word; NaN where it had not been read yet."""
    side = "tgt" if guest.form == "decoder" else "src"
    changes = without_tokens(trace.interventions, side, word)
    positions = [at for at in range(len(one.arguments["input_ids"])) if at not in word]
    arguments = {
        # What is told of each token (which sentence it is of) goes with it.
        name: ids if name == "decoder_input_ids" else tuple(ids[at] for at in positions)
        for name, ids in one.arguments.items()
    }
    logs = np.full(len(one.ids), np.nan)
    if not positions:
        return logs
    if side == "src":
        moved = [sum(at < row for at in positions) for row in one.rows]
        rows = tuple(moved) if guest.form == "encoder" else one.rows
        judged, tokens = list(range(len(one.ids))), one.ids
    else:
        # The row before the word now says what came after it.
        before = [(word[0] - 1, word[-1])] if word[0] else []
        pairs = [*before, *((row, row) for row in positions if row > word[-1])]
        rows = tuple(positions.index(row) for row, _ in pairs)
        judged = [token for _, token in pairs]
        tokens = tuple(one.ids[token] for token in judged)
    if not rows:
        return logs
    shorter = replace(one, arguments=arguments, rows=rows, ids=tokens)
    with guest.changed(changes):
        logs[judged] = logs_of(logits_of(guest, shorter), tokens)[0]
    return logs
