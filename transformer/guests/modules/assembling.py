"""What was caught of one text as a trace: labels, padding, masks and sinks."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np
import torch
from torch import Tensor

from ...trace.guest import (
    TOLERANCE,
    Cells,
    Form,
    Layers,
    Mask,
    Masks,
    Origin,
    Precision,
    Side,
    Window,
    may_attend,
)
from ...trace.kinds import KINDS, Kind
from ...trace.trace import AttentionTrace
from ..given import Parts, assembled
from ..labels import Labels, read_labels
from ..tensors import Array, Given, dtype_of
from ..view import texts_of
from .tables import Caught, Heads, Space

Tower = Literal["encoder", "decoder"]


def trace_of(
    caught: Caught,
    sides: Mapping[Side, Tensor],
    tokens: Mapping[Side, object],
    *,
    pad_id: int | None,
    kind: Tower | None,
    name: str,
    model_class: str,
    computes_in: torch.dtype,
    row: int,
) -> AttentionTrace:
    """The trace of one text.

    Args:
        caught: its attention.
        sides: of each side what the module was given of it, [length] of ids, or of numbers.
        tokens: of each side its labels, if somebody named them.
        pad_id: the id of padding, which is cut away; None for none.
        kind: what one tower alone is; None reads it from its masks.
        name: for titles.
        model_class: the name of the module's class.
        computes_in: what the module's weights are in: fused attention takes its softmax in float32.
        row: which text of a batch it is.
    Raises:
        ValueError: labels do not fit, or weights are none.
    """
    lengths = _lengths(caught, sides)
    token_masks = _token_masks(caught, sides, lengths, pad_id)
    alone = "src" not in sides
    encodes = alone and (kind == "encoder" or (kind is None and _looks_ahead(caught)))
    form: Form = "encoder-decoder"
    if any("both" in heads.spaces for layer in caught.layers.values() for heads in layer):
        form = "decoder"
    elif alone:
        form = "encoder" if encodes else "decoder"
    dtype = dtype_of([torch.empty(0, dtype=it) for it in {caught.dtype, computes_in}])
    kinds: dict[Kind, Given] = {}
    masks: dict[Kind, Mask | Masks] = {}
    sinks: dict[Kind, Layers] = {}
    for each in KINDS:
        if each in caught.kinds:
            named: Kind = "encoder_self" if encodes and each == "decoder_self" else each
            weights, allowed = _by_layer(caught, each, token_masks)
            _refuse_unknown(weights, named)
            by_layer_sinks = [
                None if it is None else _sink(it, named, n, dtype) for n, it in enumerate(weights)
            ]
            if any(it is not None for it in by_layer_sinks):
                sinks[named] = tuple(by_layer_sinks)
            kinds[named] = Given(named, tuple(weights), dtype, "torch")
            by_layer: Masks = tuple(None if it is None else _mask(it) for it in allowed)
            masks[named] = by_layer
    labels = _labels(sides, tokens, token_masks, lengths, form, row)
    fields: dict[str, Any] = {"model": name}
    ids = sides["tgt"] if alone else sides["src"]
    if form != "decoder" and not ids.is_floating_point():
        fields["src_ids"] = tuple(int(it) for it in ids[token_masks["tgt" if alone else "src"]])
    origin = Origin("module", "torch", model_class, dtype)
    return assembled(
        Parts(
            form=form,
            kinds=kinds,
            labels=labels,
            masks=masks,
            sinks=sinks,
            fields=fields,
            guest={"origin": origin},
        )
    )


def _lengths(caught: Caught, sides: Mapping[Side, Tensor]) -> dict[Space, int]:
    """How many tokens each side has: pieces of what a convolution read are counted in weights."""
    lengths: dict[Space, int] = {cast(Space, side): len(numbers) for side, numbers in sides.items()}
    for layer in caught.layers.values():
        for heads in layer:
            for axis, space in enumerate(heads.spaces):
                side = cast(Side, space)
                if space != "both" and sides[side].is_floating_point():
                    lengths[space] = heads.first[axis] + heads.weights.size(axis + 1)
    lengths["both"] = sum(lengths.get(side, 0) for side in ("src", "tgt"))
    return lengths


def _token_masks(
    caught: Caught, sides: Mapping[Side, Tensor], lengths: Mapping[Space, int], pad_id: int | None
) -> dict[Space, Tensor]:
    """Which tokens every attention has, padding apart, bool [token]."""
    token_masks: dict[Space, Tensor] = {
        space: torch.ones(length, dtype=torch.bool) for space, length in lengths.items()
    }
    for layer in caught.layers.values():
        for heads in layer:
            for axis, space in enumerate(heads.spaces):
                first, count = heads.first[axis], heads.weights.size(axis + 1)
                token_masks[space][:first] = False
                token_masks[space][first + count :] = False
    for side, ids in sides.items():
        if pad_id is not None and not ids.is_floating_point():
            token_masks[side] &= ids.cpu() != pad_id
            if not bool(token_masks[side].any()):
                name = side if "src" in sides else "src"
                raise ValueError(f"{name} has no token but padding, {pad_id}")
    if "src" in sides:
        token_masks["both"] &= torch.cat((token_masks["src"], token_masks["tgt"]))
    return token_masks


def _looks_ahead(caught: Caught) -> bool:
    """Whether a row of one tower alone may look at what comes after it."""
    return any(
        bool(heads.allowed.triu(1 + heads.first[0] - heads.first[1]).any())
        for layer in caught.layers.values()
        for heads in layer
    )


def _by_layer(
    caught: Caught, kind: Kind, token_masks: Mapping[Space, Tensor]
) -> tuple[list[Array | None], list[Cells | None]]:
    """By layer the weights of the tokens that are kept, and where they may attend."""
    count = 1 + max(layer for each, layer in caught.layers if each == kind)
    weights: list[Array | None] = [None] * count
    allowed: list[Cells | None] = [None] * count
    for (each, layer), members in caught.layers.items():
        if each == kind:
            parts = [_cut(heads, token_masks) for heads in members]
            weights[layer] = np.concatenate([part for part, _ in parts])
            allowed[layer] = np.logical_or.reduce([cells for _, cells in parts])
    return weights, allowed


def _cut(heads: Heads, token_masks: Mapping[Space, Tensor]) -> tuple[Array, Cells]:
    rows, columns = (
        token_masks[space][first : first + size]
        for space, first, size in zip(
            heads.spaces, heads.first, heads.weights.shape[1:], strict=True
        )
    )
    return heads.weights[:, rows][:, :, columns].numpy(), heads.allowed[rows][:, columns].numpy()


def _refuse_unknown(weights: Sequence[Array | None], kind: Kind) -> None:
    for number, layer in enumerate(weights):
        if layer is not None and not np.any(layer):
            raise ValueError(
                f"layer {number + 1} of {kind} gives nothing but NaN: is there some in the input, "
                "or in the module's weights?"
            )


def _sink(weights: Array, kind: Kind, layer: int, dtype: Precision) -> Array | None:
    """What each row gave to no token of the text, [head, query]; None for nothing."""
    sums = weights.sum(-1)
    if (sums > 1 + TOLERANCE[dtype]).any():
        raise ValueError(
            f"a row of layer {layer + 1} of {kind} sums to {sums.max():.4g}: "
            "its softmax does not run along the keys"
        )
    missing = np.where(np.any(weights, -1), 1 - sums, 0).astype(np.float32)
    return np.maximum(missing, 0) if (missing > TOLERANCE[dtype]).any() else None


def _mask(allowed: Cells) -> Mask:
    """A mask by its name, where it has one."""
    if allowed.all():
        return "none"
    queries, keys = allowed.shape
    if queries != keys:
        return allowed
    if np.array_equal(allowed, may_attend("causal", queries, keys)):
        return "causal"
    window = Window(int(allowed[-1].sum()))
    return (
        window
        if window.size and np.array_equal(allowed, may_attend(window, queries, keys))
        else allowed
    )


def _labels(
    sides: Mapping[Side, Tensor],
    tokens: Mapping[Side, object],
    token_masks: Mapping[Space, Tensor],
    lengths: Mapping[Space, int],
    form: Form,
    row: int,
) -> dict[Side, Labels]:
    """The labels of each side of the trace."""
    read: dict[Side, Labels] = {}
    for side, numbers in sides.items():
        argument: Side = "src" if "src" not in sides else side
        texts = _named(
            f"{argument}_tokens", tokens.get(argument), token_masks[side], lengths[side], row
        )
        if texts is None:
            several = numbers.is_floating_point()
            ids = (
                range(1, int(token_masks[side].sum()) + 1)
                if several
                else numbers.cpu()[token_masks[side]]
            )
            texts = [str(int(it)) for it in ids]
        elif not numbers.is_floating_point():
            read[side] = read_labels(texts)
            continue
        # In ids and pieces of a sound or a picture no mark says where a word begins: each is one.
        read[side] = Labels(tuple(texts), tuple(range(len(texts))))
    if form == "encoder-decoder" or len(sides) == 1:
        return {"src": read["tgt"]} if form == "encoder" else read
    joined = read["src"].shown + read["tgt"].shown  # one row of both
    words = [labels.words for labels in (read["src"], read["tgt"])]
    ahead = 1 + max((word for word in words[0] if word is not None), default=-1)
    later = (None if word is None else word + ahead for word in words[1])
    return {"tgt": Labels(joined, (*words[0], *later))}


def _named(
    name: str, tokens: object, token_mask: Tensor, length: int, row: int
) -> Sequence[str] | None:
    if isinstance(tokens, list | tuple):
        labels = cast(Sequence[object], tokens)
        if labels and isinstance(labels[0], list | tuple):
            if row >= len(labels):
                raise ValueError(
                    f"{name} has labels of {len(labels)} texts, but row={row} is asked"
                )
            labels = cast(Sequence[object], labels[row])
        tokens = labels
    texts = texts_of(name, tokens)
    if texts is None or len(texts) == int(token_mask.sum()):
        return texts
    if len(texts) != length:
        raise ValueError(f"{name} has {len(texts)} labels, but there are {length} tokens")
    return [text for text, keeps in zip(texts, token_mask, strict=True) if bool(keeps)]
