"""Attention that somebody has at hand, tensors of a forward pass, as a trace."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ..trace.guest import Cells, Form, Mask, Side
from ..trace.kinds import Kind
from ..trace.trace import AttentionTrace
from .arguments import shortly
from .given import Parts, assembled, cut, looks_causal, opened, parts_of
from .labels import Labels, read_labels
from .tensors import Given, array_of, by_layer, chosen_of, in_words, read_attention, up_to

SIDES: dict[Kind, tuple[Side, Side]] = {
    "encoder_self": ("src", "src"),
    "decoder_self": ("tgt", "tgt"),
    "cross": ("tgt", "src"),
}


def view_tensors(
    given: dict[Kind, object],
    names: dict[Kind, str],
    tokens: dict[Side, object],
    token_names: dict[Side, str],
    *,
    alone: bool,
    row: int,
    attention_mask: object,
    causal: bool | None,
    include_layers: Sequence[int] | None,
    include_heads: Sequence[int] | None,
    prettify: bool,
    sentence_b_start: int | None,
    layer: int | None,
    heads: Sequence[int] | None,
    title: str,
) -> tuple[AttentionTrace, bool]:
    """The trace of a forward pass's attention.

    Args:
        given: of each kind, what a model returned; the one kind under "encoder_self" if `alone`.
        names: of the arguments, for sentences.
        tokens: of each side, its tokens, as strings; None numbers them.
        token_names: of their arguments.
        alone: whether it is the self-attention of one tower, an encoder's or a decoder's.
        row: this and what follows, as `headlight.view` has them.
        attention_mask: 0 where a token is padding.
        causal: whether tokens see only what came before; None reads it from the weights.
        include_layers: which layers to take.
        include_heads: up to which heads.
        prettify: whether marks of words' starts are shown as such.
        sentence_b_start: where the second of two sentences begins.
        layer: what is open first.
        heads: the first of them is open first.
        title: the model's name, say.
    Returns:
        The trace, and whether its weights were read as causal because they look so.
    """
    kinds: dict[Kind, Given] = _read_kinds(given, names, row, include_layers, include_heads)
    masked: Side = "src" if "src" in {side for kind in kinds for side in SIDES[kind]} else "tgt"
    keep = read_mask(attention_mask, row)
    labels: dict[Side, tuple[str, ...]] = {}
    for side, size in _sizes(kinds).items():
        mask = keep if side == masked else None
        if mask is not None and len(mask) != size:
            raise ValueError(
                f"attention_mask has {len(mask)} tokens, but {_shape_text(kinds, side)}"
            )
        labels[side] = _fitting(tokens.get(side), token_names[side], size, mask, kinds, side)
    for kind, (queries, keys) in SIDES.items():
        if kind in kinds and keep is not None:
            mine = (keep if queries == masked else None, keep if keys == masked else None)
            kinds[kind] = cut(kinds[kind], *mine)
    guessed = False
    masks: dict[Kind, Mask] = {}
    if alone:
        is_causal = looks_causal(kinds["encoder_self"]) if causal is None else causal
        guessed = causal is None and is_causal
        form: Form = "decoder" if is_causal else "encoder"
        if is_causal:
            kinds = {"decoder_self": kinds["encoder_self"]}
            labels = {"tgt": labels["src"]}
    else:
        form = "encoder-decoder" if {"decoder_self", "cross"} & kinds.keys() else "encoder"
        if "decoder_self" in kinds and _looks_ahead(kinds["decoder_self"], causal):
            masks["decoder_self"] = "none"
    side: Side = "src" if "src" in labels else "tgt"
    named = tokens.get("src" if alone else side)
    parts = parts_of(labels[side], _without_padding(sentence_b_start, keep, named))
    read: dict[Side, Labels] = {
        name: read_labels(texts, prettify=prettify) for name, texts in labels.items()
    }
    trace = assembled(
        Parts(
            form=form,
            kinds=kinds,
            labels=read,
            masks=masks,
            fields={"model": title, "heads": opened(kinds, layer, heads)},
            guest={"parts": {side: parts}} if parts else {},
        )
    )
    return trace, guessed


def _read_kinds(
    given: dict[Kind, object],
    names: dict[Kind, str],
    row: int,
    include_layers: Sequence[int] | None,
    include_heads: Sequence[int] | None,
) -> dict[Kind, Given]:
    """The layers and heads that are to be taken, of each kind that has some of them."""
    depths: dict[Kind, int] = {
        kind: len(by_layer(names[kind], value)) for kind, value in given.items()
    }
    kinds: dict[Kind, Given] = {
        kind: read_attention(names[kind], given[kind], row=row, include_layers=chosen)
        for kind, chosen in chosen_of(include_layers, depths).items()
        if chosen != []
    }
    return up_to(kinds, include_heads)


def _looks_ahead(decoder: Given, causal: bool | None) -> bool:
    """Whether a decoder's rows see what comes after them: as is said, or as its weights look."""
    if causal is not None:
        return not causal
    return decoder.size()[0] > 1 and not looks_causal(decoder)


def read_mask(attention_mask: object, row: int = 0) -> Cells | None:
    """Tokens of one text that are no padding, bool [token]; None if nobody said.

    Raises:
        ValueError: it is of another shape, or leaves nothing.
    """
    if attention_mask is None:
        return None
    mask = array_of(attention_mask, "attention_mask")
    if mask.ndim == 2:
        if not 0 <= row < len(mask):
            raise ValueError(f"row={row}, but attention_mask has shape {mask.shape}")
        mask = mask[row]
    if mask.ndim != 1 or not np.isin(mask, (0, 1)).all() or not mask.any():
        raise ValueError(
            f"attention_mask is {in_words(mask)}; expected [batch, token] or [token], 1 where a "
            "token is no padding, and 1 somewhere"
        )
    return mask.astype(bool)


def texts_of(name: str, tokens: object) -> tuple[str, ...] | None:
    """Tokens as given, if they are texts.

    Raises:
        ValueError: they are not.
    """
    if tokens is None:
        return None
    if isinstance(tokens, str) or not isinstance(tokens, Sequence | np.ndarray):
        raise ValueError(
            f"{name} is {in_words(tokens)}; expected a list of texts, one a token, such as "
            "tokenizer.convert_ids_to_tokens(ids) gives"
        )
    texts = list(cast(Sequence[Any], tokens))
    if wrong := [it for it in texts if not isinstance(it, str)]:
        raise ValueError(f"{name} has {shortly(wrong[0])} in it; expected texts, one a token")
    for text in texts:
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            raise ValueError(f"{name} has {text!r} in it: half of a surrogate pair is no sign")
    return tuple(map(str, texts))


def _without_padding(start: int | None, keep: Cells | None, tokens: object) -> int | None:
    """Where a second sentence begins once padding is cut away, if it was counted with it."""
    if start is None or keep is None or not 0 < start < len(keep):
        return start
    counted = tokens is None or len(cast(Sequence[Any], tokens)) == len(keep)
    return int(keep[:start].sum()) if counted else start


def _sizes(kinds: dict[Kind, Given]) -> dict[Side, int]:
    """How many tokens each side has.

    Raises:
        ValueError: two layers or kinds ask for unlike numbers.
    """
    sizes: dict[Side, tuple[int, str]] = {}
    for kind, given in kinds.items():
        for number, layer in enumerate(given.layers):
            if layer is None:
                continue
            where = f"{given.name}[{number}] has shape {layer.shape}"
            for side, size in zip(SIDES[kind], layer.shape[1:], strict=True):
                other, first = sizes.setdefault(side, (size, where))
                if other != size and first == where:
                    raise ValueError(
                        f"{where} (head, query, key), but self-attention has as many queries as "
                        "keys; hand in whole what generate() returned"
                    )
                if other != size:
                    raise ValueError(
                        f"{where}, which asks for {size} tokens, but {first} "
                        "(the first axis is the head, then query and key)"
                    )
    return {side: size for side, (size, _) in sizes.items()}


def _shape_text(kinds: dict[Kind, Given], side: Side) -> str:
    given = next(it for kind, it in kinds.items() if side in SIDES[kind])
    number, layer = next((n, it) for n, it in enumerate(given.layers) if it is not None)
    return f"{given.name}[{number}] has shape {layer.shape} (head, query, key)"


def _fitting(
    tokens: object, name: str, size: int, mask: Cells | None, kinds: dict[Kind, Given], side: Side
) -> tuple[str, ...]:
    texts = texts_of(name, tokens)
    left = size if mask is None else int(mask.sum())
    if texts is None:
        return tuple(str(number + 1) for number in range(left))
    if len(texts) == size and mask is not None:
        return tuple(text for text, keeps in zip(texts, mask, strict=True) if keeps)
    if len(texts) != left:
        raise ValueError(f"{name} has {len(texts)} tokens, but {_shape_text(kinds, side)}")
    return texts
