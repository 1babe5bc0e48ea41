"""What transformers' `generate` returned, stitched: one row a step, over a cache that grows."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..trace.guest import Form, Side
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
    not_padding,
    padding_of,
    sequence_of,
    source_of,
    target_texts,
)
from .stitched import Asked, is_assisted, stitched
from .tensors import Given, read_attention, shape_of, up_to
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
    asked = Asked(row, include_layers, include_heads)
    steps: Any = getattr(output, "decoder_attentions", None) or getattr(output, "attentions", None)
    bare: object = output
    if isinstance(bare, tuple | list):
        steps = output
    if not steps:
        raise ValueError(
            "output has no attentions: call generate(..., return_dict_in_generate=True, "
            'output_attentions=True) on a model loaded with attn_implementation="eager"'
        )
    crossing = getattr(output, "cross_attentions", None)
    ids, count = sequence_of(output, row)
    one: Any = next((it for it in steps[0] if it is not None), None)
    if not count and len(shape_of(one)) == 4:
        count = shape_of(one)[0]
    beams = beams_of(output, row, len(steps))
    steps = steps[: len(beams)]
    name = "attentions" if crossing is None else "decoder_attentions"
    kinds: dict[Kind, Given] = {"decoder_self": stitched(name, steps, beams, asked)}
    rows = kinds["decoder_self"].size()[0]
    if ids is not None:
        ids = ids[: rows + 1]
        if len(ids) != rows + 1:
            raise ValueError(
                f"output.sequences has {len(ids)} tokens for {rows} rows of attention: with "
                "inputs_embeds there are no ids of the prompt, and assisted generation "
                "(assistant_model, prompt_lookup_num_tokens) keeps rows of rejected tokens"
            )
    elif is_assisted(steps):
        raise ValueError("attention is assisted generation's: its rows are not one a token")
    labels: dict[Side, Labels] = {}
    texts = texts_of("tokens", decoder_tokens if decoder_tokens is not None else tokens)
    texts = target_texts(texts, ids, rows, tokenizer)
    told_: dict[str, Any] = {"model": title}
    form: Form = "decoder"
    source_cut: npt.NDArray[np.bool_] | None = None
    if crossing is not None:
        form = "encoder-decoder"
        kinds["cross"] = stitched(
            "cross_attentions", crossing[: len(beams)], beams, asked, fixed=True
        )
        encoder = getattr(output, "encoder_attentions", None)
        if encoder:
            first = shape_of(next(it for it in encoder if it is not None))[0]
            kinds["encoder_self"] = read_attention(
                "encoder_attentions",
                encoder,
                row=row * first // max(count, 1),
                include_layers=include_layers,
            )
            kinds["encoder_self"] = up_to(kinds["encoder_self"], include_heads)
        length = kinds["cross"].size()[1]
        shown, source_ids = source_of(
            source, encoder_tokens, tokenizer, length, item_of(source, row, count)
        )
        source_cut = read_mask(attention_mask, item_of(attention_mask, row, count))
        if source_cut is None and source_ids is not None:
            source_cut = not_padding(source_ids, tokenizer)
        if source_cut is not None and len(source_cut) != length:
            raise ValueError(
                f"attention_mask has {len(source_cut)} tokens, but cross_attentions {length} keys"
            )
        if source_cut is not None and not source_cut.all():
            for kind in ("encoder_self", "cross"):
                if kind in kinds:
                    queries = source_cut if kind == "encoder_self" else None
                    kinds[kind] = cut(kinds[kind], queries, source_cut)
            shown = tuple(it for it, keeps in zip(shown, source_cut, strict=True) if keeps)
            if source_ids is not None:
                source_ids = [i for i, keeps in zip(source_ids, source_cut, strict=True) if keeps]
        labels["src"] = read_labels(shown, prettify=prettify)
        if source_ids is not None:
            told_["src_ids"] = tuple(source_ids)
        padding = 0
    else:
        padding = padding_of(attention_mask, ids, tokenizer, row, count)
    ends = end_of(ids, rows, shape_of(one)[-2], tokenizer)
    keep = np.zeros(rows, bool)
    keep[padding:ends] = True
    if not keep.all():
        kinds["decoder_self"] = cut(kinds["decoder_self"], keep, keep)
        if "cross" in kinds:
            kinds["cross"] = cut(kinds["cross"], keep, None)
        texts = texts[padding : ends + 1]
        ids = None if ids is None else ids[padding : ends + 1]
    prompt = rows - len(steps) + 1 - padding
    read = read_labels(texts, prettify=prettify)
    labels["tgt"] = Labels(read.shown[:-1], read.words[:-1])
    told_ |= {
        "tgt_out": read.shown[1:],
        "tgt_ids": () if ids is None else tuple(ids[1:]),
        "prefix_length": prompt - 1,
        "heads": opened(kinds, layer, heads),
        "translation": decoded(tokenizer, ids, read.shown),
    }
    if ids is not None:
        told_["candidates"] = candidates_of(output, beams, ids, prompt, prettify, tokenizer)
    ordered = {
        kind: kinds[kind] for kind in ("encoder_self", "decoder_self", "cross") if kind in kinds
    }
    return assembled(
        Parts(form=form, kinds=cast("dict[Kind, Given]", ordered), labels=labels, told=told_)
    )
