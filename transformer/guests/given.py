"""Tensors and tokens put together as a trace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..trace.guest import (
    TOLERANCE,
    Cells,
    Form,
    Guest,
    Layers,
    Mask,
    Masks,
    Origin,
    Side,
    may_attend,
)
from ..trace.head_names import RepresentativeHead, head_name
from ..trace.interventions import Intervention
from ..trace.kinds import KINDS, Kind
from ..trace.packing import read_only
from ..trace.trace import AttentionTrace
from .arguments import check_numbers, is_whole, shortly
from .labels import Labels, is_special, spelled
from .tensors import Array, Given, checked

MOST_ROWS = 200
"""Rows that are zeros in some heads alone, each told as one intervention."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a trace is made of.

    Attributes:
        kinds: the attention of each kind that is there.
        labels: of each side that is there.
        masks: of kinds that are masked otherwise than ours, or of each of their layers.
        sinks: of kinds whose rows give a share to no token, by layer [head, query] or None.
        fields: further fields of the trace.
        guest: further fields of its guest.
    """

    form: Form
    kinds: Mapping[Kind, Given]
    labels: Mapping[Side, Labels]
    masks: Mapping[Kind, Mask | Masks] = field(default_factory=dict[Kind, Mask | Masks])
    sinks: Mapping[Kind, Layers] = field(default_factory=dict[Kind, Layers])
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    guest: Mapping[str, Any] = field(default_factory=dict[str, Any])


def cut(given: Given, queries: Cells | None, keys: Cells | None) -> Given:
    """Attention without its padding.

    Args:
        given: the attention, [head, query, key] by layer.
        queries: which rows are no padding, bool [query]; None keeps all.
        keys: which columns are no padding, bool [key]; None keeps all.
    Raises:
        ValueError: rows that are kept look at what would be cut.
    """
    layers: list[Array | None] = []
    for number, layer in enumerate(given.layers):
        if layer is not None:
            layer = layer if queries is None else layer[:, queries]
            if keys is not None:
                lost = float(np.nan_to_num(layer[:, :, ~keys]).sum(-1).max(initial=0))
                if lost > TOLERANCE[given.dtype]:
                    raise ValueError(
                        f"{given.name}[{number}] gives up to {lost:.2g} of a row to padding, which "
                        "is to be cut away: was the model given this attention_mask?"
                    )
                layer = layer[:, :, keys]
        layers.append(layer)
    return Given(given.name, tuple(layers), given.dtype, given.library)


def looks_causal(given: Given) -> bool:
    """Whether every weight above the diagonal is 0, of more than one token."""
    queries, keys = given.size()
    if queries != keys or queries < 2:
        return False
    return not any(np.triu(np.nan_to_num(it), 1).any() for it in given.layers if it is not None)


def assembled(parts: Parts) -> AttentionTrace:
    """The trace of what was given.

    Raises:
        ValueError: weights that are none, or shapes that do not fit the tokens.
    """
    arrays: dict[str, Any] = dict.fromkeys(KINDS)
    ragged: dict[Kind, Any] = {}
    masks: dict[Kind, Mask | Masks] = {}
    changes: list[Intervention] = []
    for kind, given in parts.kinds.items():
        sinks = parts.sinks.get(kind) or (None,) * len(given.layers)
        layers = _checked_layers(given, sinks)
        default: Mask = "causal" if kind == "decoder_self" else "none"
        mask_of = parts.masks.get(kind, default)
        layer_masks = mask_of if isinstance(mask_of, tuple) else (mask_of,) * len(layers)
        by_layer: list[Mask | None] = []
        for number, (layer, mask) in enumerate(zip(layers, layer_masks, strict=True)):
            if layer is None or mask is None:
                by_layer.append(None)
                continue
            _check_mask(given, number, layer, mask)
            by_layer.append(_with_empty_rows(layer, mask))
            changes += _switched_off(given, kind, number, layer, sinks[number])
        present = [it for it in by_layer if it is not None]
        if any(isinstance(it, np.ndarray) or it != present[0] for it in present):
            masks[kind] = tuple(by_layer)
        elif (one := present[0]) != default:
            masks[kind] = cast(Mask, one)
        shapes = {None if layer is None else layer.shape for layer in layers}
        weights = [read_only(layer) for layer in layers if layer is not None]
        if len(shapes) == 1:
            arrays[kind] = read_only(np.stack(weights))
        else:
            ragged[kind] = tuple(None if it is None else read_only(it) for it in layers)
    src, tgt = (parts.labels.get(side, Labels((), ())) for side in ("src", "tgt"))
    nothing: dict[str, Any] = {
        **dict.fromkeys(("model", "checkpoint", "translation"), ""),
        **dict.fromkeys(("src_ids", "tgt_ids", "candidates"), ()),
        **dict.fromkeys(("stop_reason", "sampling", "glosses")),
    }
    derived: dict[str, Any] = {
        "source": spelled(src.shown) if src.shown else spelled(tgt.shown),
        "src": src.shown,
        "tgt_in": tgt.shown,
        "tgt_out": (*tgt.shown[1:], "")[: len(tgt.shown)],
        "prefix_length": 0,
        "heads": {},
        "interventions": tuple(changes),
    }
    one = next(iter(parts.kinds.values()))
    guest: dict[str, Any] = {
        "origin": Origin("given", one.library, "", _least_exact(parts.kinds.values())),
        "words": {side: labels.words for side, labels in parts.labels.items() if labels.words},
        **parts.guest,
    }
    about = Guest(form=parts.form, ragged=ragged, mask=masks, sink=parts.sinks, **guest)
    return AttentionTrace(**{**nothing, **derived, **parts.fields}, **arrays, guest=about)


def opened(
    kinds: Mapping[Kind, Given], layer: int | None, heads: Sequence[int] | None
) -> dict[Kind, RepresentativeHead]:
    """The head that a picture of each kind begins with, if the caller named one, from 0."""
    if layer is None and heads is None:
        return {}
    number, head = layer or 0, 0
    most = max(len(given.layers) for given in kinds.values())
    check_numbers("layer", [number], most, "layers")
    if heads is not None:
        wide = [len(it) for given in kinds.values() for it in given.layers if it is not None]
        check_numbers("heads", heads, max(wide), "heads")
        head = heads[0]
    openings: dict[Kind, RepresentativeHead] = {}
    for kind, given in kinds.items():
        # Towers may be of unlike size: a kind without that head opens as it does unasked.
        weights = given.layers[number] if number < len(given.layers) else None
        if weights is not None and head < len(weights):
            openings[kind] = RepresentativeHead(head_name(number, head), "")
    if not openings:
        there = any(
            number < len(it.layers) and it.layers[number] is not None for it in kinds.values()
        )
        why = f"no head {head}" if there else "no attention, or include_layers leaves it out"
        raise ValueError(f"layer={number} has {why}")
    return openings


def parts_of(tokens: Sequence[str], second: int | None) -> tuple[int, ...] | None:
    """The sentence of each token, of two; -1 of special tokens; None if there is but one."""
    if second is None:
        return None
    if not is_whole(second) or not 0 < second < len(tokens):
        raise ValueError(
            f"sentence_b_start={shortly(second)}, but there are tokens 0 to {len(tokens) - 1}"
        )
    return tuple(-1 if is_special(it) else int(at >= second) for at, it in enumerate(tokens))


def _checked_layers(given: Given, sinks: Layers) -> list[Array | None]:
    return [
        None if layer is None else checked(f"{given.name}[{number}]", layer, given.dtype, sink)
        for number, (layer, sink) in enumerate(zip(given.layers, sinks, strict=True))
    ]


def _check_mask(given: Given, number: int, layer: Array, mask: Mask) -> None:
    if layer[:, ~may_attend(mask, *given.size())].any():
        raise ValueError(
            f"{given.name}[{number}] has weights above its diagonal: it is not causal, or it has "
            "rows of padding, which attention_mask= cuts away"
        )


def _with_empty_rows(weights: Array, mask: Mask) -> Mask:
    """The mask, closed where a row has no weight in any head."""
    empty: Cells = ~np.any(weights, (0, 2))
    if not empty.any() or empty.all():
        return mask
    cells: Cells = np.array(may_attend(mask, *weights.shape[1:]), bool)
    cells[empty] = False
    return cells


def _switched_off(
    given: Given, kind: Kind, layer: int, weights: Array, sink: Array | None
) -> list[Intervention]:
    """Heads without any weight, and rows that are zeros in some heads alone."""
    zero: Cells = ~np.any(weights, -1)
    if sink is not None:  # what all went there was not switched off
        zero &= sink == 0
    if zero.all():
        return [Intervention(kind, layer, None, "zero")]
    changes: list[Intervention] = []
    off: Cells = np.all(zero, -1)
    zero[:, zero.all(0)] = False
    changes += [Intervention(kind, layer, int(head), "zero") for head in np.flatnonzero(off)]
    rows: npt.NDArray[np.intp] = np.argwhere(zero & ~off[:, None])
    if len(rows) > MOST_ROWS:
        raise ValueError(f"{given.name}[{layer}] has {len(rows)} rows of zeros in some heads alone")
    changes += [Intervention(kind, layer, int(h), "zero", row=int(row)) for h, row in rows]
    return changes


def _least_exact(kinds: Any) -> Any:
    names = {given.dtype for given in kinds}
    return next(it for it in ("bfloat16", "float16", "float32") if it in names)
