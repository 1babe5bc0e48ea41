"""`headlight.view`: attention out of any model, in the viewer, as BertViz's views are called."""

import sys
from collections.abc import Sequence
from operator import index
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, cast

from transformer.guests.arguments import is_flag, is_whole, shortly
from transformer.guests.generated import is_generated, view_generated
from transformer.guests.view import view_tensors
from transformer.trace.guest import Side
from transformer.trace.kinds import Kind
from transformer.trace.trace import AttentionTrace

_notes: set[str] = set()


class Page(NamedTuple):
    """A page as HTML, as `html_action="return"` gives it: `.data` is its text."""

    data: str

    def _repr_html_(self) -> str:
        return self.data


def view(
    attention: object = None,
    tokens: object = None,
    sentence_b_start: int | None = None,
    *,
    encoder_attention: object = None,
    decoder_attention: object = None,
    cross_attention: object = None,
    encoder_tokens: object = None,
    decoder_tokens: object = None,
    include_layers: Sequence[int] | None = None,
    include_heads: Sequence[int] | None = None,
    prettify_tokens: bool = True,
    layer: int | None = None,
    heads: Sequence[int] | None = None,
    row: int = 0,
    attention_mask: object = None,
    causal: bool | None = None,
    tokenizer: object = None,
    source: object = None,
    title: str = "",
    html_action: Literal["view", "return"] | None = None,
    display_mode: str | None = None,
) -> Any:
    """Attention that a model returned, as a trace, which a notebook shows as the viewer.

    Tensors are PyTorch's (in any precision, on any device), NumPy's, JAX's or TensorFlow's. Nothing
    is renormalised; rows of NaN or zeros are shown as masked. Layers and heads that are named as
    numbers count from 0, as in BertViz.

    Args:
        attention: self-attention of an encoder or of a decoder: by layer [batch, head, query, key]
            or [head, query, key], or one array [layer, head, query, key]; or what `generate`
            returned.
        tokens: its tokens, texts; without them, they are numbered.
        sentence_b_start: where the second of two sentences begins.
        encoder_attention: of an encoder-decoder, the encoder's.
        decoder_attention: the decoder's.
        cross_attention: the decoder's to the encoder.
        encoder_tokens: what the encoder read.
        decoder_tokens: what the decoder read.
        include_layers: which layers to take; each keeps its number.
        include_heads: which heads: those after the last of them are left out, so that each keeps
            its number.
        prettify_tokens: whether Ġ, ▁, ## and </w> are shown as the starts of words that they mark.
        layer: what is open first.
        heads: the first of them is open first.
        row: which text of a batch.
        attention_mask: of the text that the model read first, 0 where a token is padding, on
            either side; it is cut away.
        causal: whether tokens see only what came before; None reads it from the weights, and says
            so.
        tokenizer: for what `generate` returned: it names the tokens.
        source: for what an encoder-decoder's `generate` returned: the ids, or the tokens, of the
            encoder.
        title: the model's name, say.
        html_action: "view" shows it now; "return" returns an object whose `.data` is HTML, in the
            trace's place.
        display_mode: taken, as BertViz has it; the viewer follows the notebook's theme.
    Returns:
        The trace: `.save("x.html")` writes it as a page, `.json` and `.npz` as numbers.
    Raises:
        ValueError: something cannot be; the sentence names the argument, its shape and what was
            expected.
    """
    _check(html_action, row, causal, prettify_tokens)
    if display_mode is not None:
        _say_once("display_mode is taken and does nothing: the viewer follows its surroundings.")
    shared: dict[str, Any] = {
        "row": index(cast(Any, row)),
        "attention_mask": attention_mask,
        "prettify": prettify_tokens,
        "include_layers": include_layers,
        "include_heads": include_heads,
        "layer": layer,
        "heads": heads,
        "title": str(title or ""),
    }
    by_kind: dict[Kind, object] = {
        "encoder_self": encoder_attention,
        "decoder_self": decoder_attention,
        "cross": cross_attention,
    }
    given: dict[Kind, object] = {k: it for k, it in by_kind.items() if it is not None}
    if attention is None and any(map(is_generated, given.values())):
        attention, given = _together(given), {}
    if isinstance(attention, SimpleNamespace) or is_generated(attention):
        if given or sentence_b_start is not None:
            raise ValueError("attention is what generate() returned: it comes alone")
        trace = view_generated(
            attention,
            tokens,
            encoder_tokens,
            decoder_tokens,
            tokenizer=tokenizer,
            source=source,
            **shared,
        )
        return _shown(trace, html_action)
    if tokenizer is not None or source is not None:
        raise ValueError(
            "tokenizer= and source= belong to what generate() returned; name tokens=, or "
            "encoder_tokens= and decoder_tokens="
        )
    texts = {"tokens": tokens, "encoder_tokens": encoder_tokens, "decoder_tokens": decoder_tokens}
    trace, guessed = view_tensors(
        *_named(attention, given, texts),
        alone=attention is not None,
        causal=causal,
        sentence_b_start=sentence_b_start,
        **shared,
    )
    if guessed:
        _say_once(
            "Read as a decoder's attention, as no token looks ahead; causal=False reads it as an "
            "encoder's."
        )
    return _shown(trace, html_action)


def _check(html_action: object, row: object, causal: object, prettify_tokens: object) -> None:
    if html_action not in (None, "view", "return"):
        raise ValueError(
            f'html_action is {shortly(html_action)}; expected "view", "return" or None'
        )
    if not is_whole(row):
        raise ValueError(f"row={shortly(row)}; expected which text of the batch, counted from 0")
    if not (causal is None or is_flag(causal)):
        raise ValueError(f"causal={shortly(causal)}; expected True, False or None")
    if not is_flag(prettify_tokens):
        raise ValueError(f"prettify_tokens={shortly(prettify_tokens)}; expected True or False")


def _named(
    attention: object, given: dict[Kind, object], texts: dict[str, object]
) -> tuple[dict[Kind, object], dict[Kind, str], dict[Side, object], dict[Side, str]]:
    """Tensors by kind, texts by side, and the argument that each of them is.

    Raises:
        ValueError: arguments that do not go together.
    """
    if (attention is None) == (not given):
        raise ValueError(
            "expected attention=, or some of encoder_attention=, decoder_attention= and "
            "cross_attention=; " + ("there is neither" if attention is None else "there are both")
        )
    if attention is not None:
        if texts["encoder_tokens"] is not None or texts["decoder_tokens"] is not None:
            raise ValueError(
                "encoder_tokens= and decoder_tokens= belong to encoder_attention= and "
                "decoder_attention=; name tokens="
            )
        alone: dict[Kind, str] = {"encoder_self": "attention"}
        return {"encoder_self": attention}, alone, {"src": texts["tokens"]}, {"src": "tokens"}
    if texts["tokens"] is not None:
        raise ValueError("tokens belong to attention=; name encoder_tokens= and decoder_tokens=")
    names: dict[Kind, str] = {
        "encoder_self": "encoder_attention",
        "decoder_self": "decoder_attention",
        "cross": "cross_attention",
    }
    sides: dict[Side, str] = {"src": "encoder_tokens", "tgt": "decoder_tokens"}
    return given, names, {side: texts[name] for side, name in sides.items()}, sides


def _together(given: dict[Kind, object]) -> SimpleNamespace:
    """What `generate` returned, of its parts: tuples by step of tuples by layer."""
    if not is_generated(given.get("decoder_self")):
        raise ValueError(
            "cross_attention is what generate() returned: name its decoder_attentions as "
            "decoder_attention=, too"
        )
    return SimpleNamespace(
        encoder_attentions=given.get("encoder_self"),
        decoder_attentions=given["decoder_self"],
        cross_attentions=given.get("cross"),
    )


def _shown(trace: AttentionTrace, action: str | None) -> AttentionTrace | Page:
    if action == "return":
        return Page(trace._repr_html_())  # pyright: ignore[reportPrivateUsage]
    if action == "view":
        notebook = cast(Any, sys.modules.get("IPython"))
        if notebook is not None and notebook.get_ipython() is not None:
            notebook.display.display(trace)
        else:
            _say_once('There is no notebook to show it in: view(...).save("x.html") writes a page.')
    return trace


def _say_once(sentence: str) -> None:
    if sentence not in _notes:
        _notes.add(sentence)
        sys.stdout.write(f"{sentence}\n")
