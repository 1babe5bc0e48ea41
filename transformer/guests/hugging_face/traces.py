"""The trace of a guest: what was recorded and what was written, put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import GuestError
from ...trace.candidates import Candidate
from ...trace.guest import Form, Guest, Layers, Mask, Masks, Origin, Precision, Side
from ...trace.interventions import Intervention
from ...trace.kinds import KINDS, Kind
from ...trace.packing import Weights, read_only
from ...trace.representative import with_representative_heads
from ...trace.trace import AttentionTrace
from .decoding import Candidates
from .learning import Learnt
from .proof import not_finite
from .recording import Rows, Seen
from .texts import Read, Texts


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a trace says beside its weights; fields as a trace has them."""

    form: Form
    read: Read
    src: tuple[int, ...] = ()
    tgt_in: tuple[int, ...] = ()
    tgt_out: tuple[int, ...] = ()
    candidates: tuple[Candidates, ...] = ()
    forced_by: tuple[str | None, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    guest: Mapping[str, Any] = field(default_factory=dict[str, Any])


def traced(
    model: Any,
    texts: Texts,
    learnt: Learnt,
    rows: Rows,
    contents: Contents,
    changes: Sequence[Intervention],
    dtype: Precision,
) -> AttentionTrace:
    """The trace of one text.

    Args:
        model: of transformers.
        texts: its tokenizer.
        learnt: what its attention is.
        rows: what was recorded.
        contents: what is known besides.
        changes: interventions, which were there while it was recorded.
        dtype: what the model computes in.
    Raises:
        HeadlightError: what was recorded is no trace; its numbers overflowed, say.
    """
    weights, guest = _weights(learnt, rows, changes)
    words: dict[Side, tuple[int | None, ...]] = {}
    fields: dict[str, Any] = {
        **dict.fromkeys(("source", "translation", "checkpoint"), ""),
        **dict.fromkeys(("src", "tgt_in", "tgt_out", "tgt_ids"), ()),
        **dict.fromkeys(("stop_reason", "sampling", "glosses")),
        "prefix_length": 0,
        "heads": {},
        "interventions": tuple(changes),
        "src_ids": contents.src,
    }
    if contents.src:
        labels = texts.labels(contents.src, source=True)
        fields["src"], words["src"] = labels.shown, labels.words
    if contents.tgt_in:
        read = len(contents.tgt_in)
        labels = texts.labels([*contents.tgt_in, *contents.tgt_out[-1:]])
        words["tgt"] = labels.words[:read]
        fields |= {
            "tgt_in": labels.shown[:read],
            "tgt_out": (*labels.shown[1:], "")[:read],
            "tgt_ids": contents.tgt_out,
        }
    encodes = contents.form == "encoder"
    fields["candidates"] = tuple(
        tuple(
            Candidate(label, *numbers)
            for label, numbers in zip(
                texts.labels([it for it, *_ in step], source=encodes).shown, step, strict=True
            )
        )
        for step in contents.candidates
    )
    key_values = {
        kind: heads
        for kind, heads in learnt.key_value_heads.items()
        if any(it is not None and it != n for it, n in zip(heads, learnt.heads[kind], strict=True))
    }
    side: Side = "src" if contents.form == "encoder" else "tgt"
    parts: dict[Side, tuple[int, ...]] = {}
    if of := contents.read.parts:
        size = len(contents.src if encodes else contents.tgt_in)
        parts[side] = (*of, *[0] * size)[:size]
    guest |= {
        "origin": Origin("hooks", "transformers", type(model).__name__, dtype),
        "words": words,
        "parts": parts,
        "hidden": contents.read.hidden,
        "key_value_heads": key_values,
        "forced_by": contents.forced_by,
        "predicts": side,
    }
    try:
        trace = AttentionTrace(
            **{**fields, "model": texts.name, **contents.fields},
            **weights,
            guest=Guest(form=contents.form, **{**guest, **contents.guest}),
        )
    except ValueError as error:
        layers = [*weights.values(), *(it for own in guest["ragged"].values() for it in own)]
        if all(it is None or np.isfinite(it).all() for it in layers):
            why = f"{texts.name} cannot be drawn: {error}"
            raise GuestError(why, "guest_undrawn", model=texts.name) from error
        # A longer text than the proof's may overflow.
        raise not_finite(texts.name, dtype) from error
    # Layers of unlike numbers of heads are not measured together.
    return trace if guest["ragged"] else with_representative_heads(trace)


def _weights(
    learnt: Learnt, rows: Rows, changes: Sequence[Intervention]
) -> tuple[dict[str, Any], dict[str, Any]]:
    weights: dict[str, Any] = dict.fromkeys(KINDS)
    ragged: dict[Kind, Layers] = {}
    masks: dict[Kind, Mask | Masks] = {}
    sinks: dict[Kind, Layers] = {}
    for kind, heads in learnt.heads.items():
        causal = kind == "decoder_self"
        seen = [rows.taken((kind, number), causal) for number in range(len(heads))]
        if rows.is_whole(kind):
            weights[kind] = read_only(rows.whole(kind))
        else:
            ragged[kind] = tuple(None if it is None else read_only(it.weights) for it in seen)
        default: Mask = "causal" if causal else "none"
        by_layer: list[Mask | None] = [
            None if it is None else default if it.mask is None else it.mask for it in seen
        ]
        if any(it is not None and it.mask is not None for it in seen):
            first: Mask = next(it for it in by_layer if it is not None)
            alike = all(it is None or _same(it, first) for it in by_layer)
            every: Masks = tuple(by_layer)
            masks[kind] = first if alike else every
        if any(it is not None and it.sink is not None for it in seen):
            sinks[kind] = tuple(
                None if it is None else _sink(it, kind, number, changes)
                for number, it in enumerate(seen)
            )
    return weights, {"ragged": ragged, "mask": masks, "sink": sinks}


def _sink(seen: Seen, kind: Kind, number: int, changes: Sequence[Intervention]) -> Weights | None:
    """What a row gave to no token; nothing of heads that are switched off."""
    if seen.sink is None:
        return None
    sink: Weights = np.array(seen.sink)
    for change in changes:
        if change.effect == "zero" and change.kind == kind and change.layer in (None, number):
            sink[change.index()[1], change.rows] = 0
    return read_only(sink)


def _same(one: Mask, other: Mask) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return False
    return one == other
