"""What transformers' `generate` returned, stitched: one row a step, over a cache that grows."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ..trace.guest import Cells, Form, Side
from ..trace.kinds import Kind
from ..trace.trace import AttentionTrace
from .given import Parts, assembled, cut, opened
from .labels import Labels, read_labels
from .sequences import (
    beams_of,
    candidates_of,
    decoded,
    end_of,
    item_of,
    kept_rows,
    not_padding,
    sequence_of,
    source_of,
    target_texts,
)
from .stitched import stitched
from .tensors import Given, chosen_of, read_attention, shape_of, up_to
from .view import read_mask, texts_of


def is_generated(attention: object) -> bool:
    """Whether this is what `generate` returned, or its attention, a tuple by step of tuples."""
    if hasattr(attention, "sequences"):
        return True
    steps = cast(Any, attention)
    if not isinstance(attention, tuple | list) or not steps:
        return False
    sizes: dict[type, tuple[int, ...]] = {tuple: (3, 4), list: (4,)}
    wanted = sizes.get(steps[0].__class__, ())
    return bool(wanted) and any(len(getattr(it, "shape", ())) in wanted for it in steps[0])


def view_generated(
    output: Any,
    tokens: object,
    encoder_tokens: object,
    decoder_tokens: object,
    *,
    tokenizer: Any,
    source: object,
    row: int,
    attention_mask: object,
    prettify: bool,
    include_layers: Sequence[int] | None,
    include_heads: Sequence[int] | None,
    layer: int | None,
    heads: Sequence[int] | None,
    title: str,
) -> AttentionTrace:
    """The trace of one text that was generated; arguments as `headlight.view` has them.

    Raises:
        ValueError: it cannot be told; the sentence says why, and what to do.
    """
    steps, _ = _steps_of(output)
    crossing = getattr(output, "cross_attentions", None)
    ids, count = sequence_of(output, row)
    one: Any = next((it for it in steps[0] if it is not None), None)
    if not count and len(shape_of(one)) == 4:
        count = shape_of(one)[0]
    beams = beams_of(output, row, len(steps))
    steps = steps[: len(beams)]
    prompt = shape_of(one)[-2]
    rows = prompt + len(steps) - 1
    ids = _ids_of(ids, rows)
    at = item_of(attention_mask, row, count)
    keep = np.ones(rows, bool)
    if crossing is None:
        keep = kept_rows(attention_mask, ids, tokenizer, at, prompt, rows)
    kinds = up_to(_kinds_of(output, beams, row, count, include_layers, ~keep), include_heads)
    texts = texts_of("tokens", decoder_tokens if decoder_tokens is not None else tokens)
    texts = target_texts(texts, ids, keep, tokenizer)
    labels: dict[Side, Labels] = {}
    fields: dict[str, Any] = {"model": title}
    if crossing is not None:
        length = kinds["cross"].size()[1]
        source_texts, source_ids = source_of(
            source, encoder_tokens, tokenizer, length, item_of(source, row, count)
        )
        masked = read_mask(attention_mask, at)
        if masked is None and source_ids is not None:
            masked = not_padding(source_ids, tokenizer)
        if masked is not None:
            kinds, source_texts, source_ids = _without_padding(
                kinds, source_texts, source_ids, masked
            )
        labels["src"] = read_labels(source_texts, prettify=prettify)
        fields |= {} if source_ids is None else {"src_ids": tuple(source_ids)}
    ends = end_of(ids, rows, prompt, tokenizer)
    keep[ends:] = False
    if not keep.all():
        kinds = _with_rows(kinds, keep)
        # What was written last is read by no row.
        positions = [*np.flatnonzero(keep), ends]
        texts = tuple(texts[at] for at in positions)
        ids = None if ids is None else [ids[at] for at in positions]
    begun = int(keep[:prompt].sum())
    read = read_labels(texts, prettify=prettify)
    labels["tgt"] = Labels(read.shown[:-1], read.words[:-1])
    fields |= {
        "tgt_out": read.shown[1:],
        "tgt_ids": () if ids is None else tuple(ids[1:]),
        "prefix_length": begun - 1,
        "heads": opened(kinds, layer, heads),
        "translation": decoded(tokenizer, ids, read.shown),
    }
    if ids is not None:
        fields["candidates"] = candidates_of(output, beams, ids, begun, prettify, tokenizer)
    form: Form = "decoder" if crossing is None else "encoder-decoder"
    return assembled(Parts(form=form, kinds=kinds, labels=labels, fields=fields))


def _kinds_of(
    output: Any,
    beams: Sequence[int],
    row: int,
    count: int,
    layers: Sequence[int] | None,
    masked: Cells,
) -> dict[Kind, Given]:
    """The weights of one text by kind, along the beams that ended in it."""
    steps, name = _steps_of(output)
    crossing = getattr(output, "cross_attentions", None)
    encoder = getattr(output, "encoder_attentions", None) if crossing is not None else None
    depths: dict[Kind, int] = {"encoder_self": len(encoder)} if encoder else {}
    depths |= {"decoder_self": len(steps[0])}
    depths |= {} if crossing is None else {"cross": len(crossing[0])}
    chosen = chosen_of(layers, depths)
    kinds: dict[Kind, Given] = {}
    if encoder and chosen["encoder_self"] != []:
        kinds["encoder_self"] = _encoder_self(encoder, row, count, chosen["encoder_self"])
    last = len(beams)
    kinds["decoder_self"] = stitched(name, steps[:last], beams, chosen["decoder_self"], masked)
    if crossing is not None:
        kinds["cross"] = stitched(
            "cross_attentions", crossing[:last], beams, chosen["cross"], fixed=True
        )
    return kinds


def _encoder_self(
    encoder: Sequence[Any], row: int, count: int, layers: Sequence[int] | None
) -> Given:
    """The encoder's attention to one text of a batch, whose texts beams may have repeated."""
    texts = shape_of(next(it for it in encoder if it is not None))[0]
    mine = row * texts // max(count, 1)
    return read_attention("encoder_attentions", encoder, row=mine, include_layers=layers)


def _with_rows(kinds: dict[Kind, Given], keep: Cells) -> dict[Kind, Given]:
    """Attention without the decoder's rows, and its keys, that are not to be kept."""
    cut_kinds = dict(kinds)
    cut_kinds["decoder_self"] = cut(kinds["decoder_self"], keep, keep)
    if "cross" in kinds:
        cut_kinds["cross"] = cut(kinds["cross"], keep, None)
    return cut_kinds


def _steps_of(output: Any) -> tuple[Any, str]:
    """The attention of what writes, by step, and its name."""
    steps: Any = getattr(output, "decoder_attentions", None) or getattr(output, "attentions", None)
    bare: object = output
    if isinstance(bare, tuple | list):
        steps = output
    if not steps:
        raise ValueError(
            "output has no attentions: call generate(..., return_dict_in_generate=True, "
            'output_attentions=True) on a model loaded with attn_implementation="eager"'
        )
    crosses = getattr(output, "cross_attentions", None) is not None
    return steps, "decoder_attentions" if crosses else "attentions"


def _ids_of(ids: list[int] | None, rows: int) -> list[int] | None:
    """A sequence up to the token that the last row wrote."""
    if ids is None:
        return None
    if len(ids) <= rows:
        raise ValueError(
            f"output.sequences has {len(ids)} tokens for {rows} rows of attention: with "
            "inputs_embeds there are no ids of the prompt, and assisted generation "
            "(assistant_model, prompt_lookup_num_tokens) keeps rows of rejected tokens"
        )
    return ids[: rows + 1]


def _without_padding(
    kinds: dict[Kind, Given], texts: tuple[str, ...], ids: list[int] | None, keep: Cells
) -> tuple[dict[Kind, Given], tuple[str, ...], list[int] | None]:
    """Attention to a source, its labels and its ids, without what is padding."""
    length = kinds["cross"].size()[1]
    if len(keep) != length:
        raise ValueError(
            f"attention_mask has {len(keep)} tokens, but cross_attentions {length} keys"
        )
    cuts: dict[Kind, tuple[Cells | None, Cells]] = {
        "encoder_self": (keep, keep),
        "cross": (None, keep),
    }
    cut_kinds = dict(kinds)
    for kind, (queries, keys) in cuts.items():
        if kind in cut_kinds:
            cut_kinds[kind] = cut(cut_kinds[kind], queries, keys)
    left = None if ids is None else [it for it, keeps in zip(ids, keep, strict=True) if keeps]
    return cut_kinds, tuple(it for it, keeps in zip(texts, keep, strict=True) if keeps), left
