"""What the page's server answers: pure functions of a request that anyone may have written."""

import base64
import json
import logging
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Literal, cast

from transformer import AttentionTrace, Sampling, Translator, checkpoint
from transformer.bertviz import bertviz_html
from transformer.errors import HeadlightError

MAX_CHARACTERS = 2_000
"""More than any model here reads; the model's own limit, in tokens, is checked by the model."""

MAX_TRACE = 16_000_000
"""Characters of a trace's JSON: twelve layers of twelve heads, 96 tokens long."""

MAX_PREFIX = 2_000
"""Tokens; more than any model here writes."""

MAX_INTERVENTIONS = 500
"""Every head of twelve layers of twelve, of all three kinds, and some."""

DEFAULT_MODEL = "en-zh"

logger = logging.getLogger("headlight")
loading = Lock()


@cache
def load(name: str) -> Translator:
    """A model, read from disk the first time that someone asks for it."""
    return Translator.load(name)


def translator(model: str) -> Translator:
    """An installed model, by the name that a stranger wrote.

    Raises:
        HeadlightError: there is none of this name.
    """
    if model not in checkpoint.available():
        raise HeadlightError(
            "unknown_model", f"There is no model {model[:80]!r}.", model=model[:80]
        )
    with loading:
        return load(model)


def check_characters(source: str) -> None:
    """Refuses a text so long that even counting its tokens would be a burden.

    Raises:
        HeadlightError: the text is that long.
    """
    if len(source) > MAX_CHARACTERS:
        raise HeadlightError(
            "too_many_characters",
            f"The sentence has {len(source)} characters; the limit is {MAX_CHARACTERS}.",
            length=len(source),
            limit=MAX_CHARACTERS,
        )


def read_prefix(value: object) -> list[int]:
    """Token ids, as a stranger sent them; whether they fit the model is for the model to say.

    Raises:
        HeadlightError: they are no list of ids, or one longer than any model's target.
    """
    match value:
        case None:
            return []
        case list() if len(ids := cast(list[object], value)) <= MAX_PREFIX and all(
            type(i) is int and 0 <= i < 2**31 for i in ids
        ):
            return cast(list[int], ids)
        case _:
            raise HeadlightError("bad_request", "A prefix is a list of token ids.")


def read_sampling(value: object) -> Sampling | None:
    """How to draw, as a stranger asked for it; None is greedy decoding.

    Raises:
        HeadlightError: it is of another form, or a number is out of range.
    """
    match value:
        case None:
            return None
        case {"temperature": float() | int() as t, "top_k": int(k), "seed": int(seed)} if len(
            cast(dict[str, object], value)
        ) == 3 and bool not in map(type, (t, k, seed)):
            return Sampling(t, k, seed)
        case _:
            raise HeadlightError("bad_request", "Sampling has a temperature, a top_k and a seed.")


def read_interventions(value: object) -> list[str]:
    """Interventions in text form, as a stranger sent them; the model says whether they fit it.

    Raises:
        HeadlightError: they are no list of texts, or a list longer than anyone would make.
    """
    match value:
        case None:
            return []
        case list() if len(texts := cast(list[object], value)) <= MAX_INTERVENTIONS and all(
            isinstance(text, str) for text in texts
        ):
            return cast(list[str], texts)
        case _:
            raise HeadlightError("bad_request", "Interventions are a list of texts.")


def trace(
    source: str, model: str, prefix: object = None, sampling: object = None
) -> dict[str, Any]:
    """Translate a sentence and return every attention weight that the translation was made of.

    Args:
        source: the sentence, in the model's source language; a decoder-only model continues it.
        model: the name of an installed model, such as "en-zh".
        prefix: ids of target tokens that the translation is made to begin with, or null.
        sampling: {"temperature", "top_k", "seed"}, or null for greedy decoding.
    Returns:
        The trace as JSON ("headlight-trace", version 1): tokens, candidates of every step, and
        the weights [layer, head, query, key] as base64 of little-endian float16.
    Raises:
        HeadlightError: no such model, or a source that it cannot translate.
    """
    check_characters(source)
    forced, how = read_prefix(prefix), read_sampling(sampling)
    return translator(model).trace(source, forced, sampling=how).to_dict("float16")


def read_trace(value: object) -> AttentionTrace:
    """A trace that the page was given, and sends back.

    Raises:
        HeadlightError: it is none, or larger than any that the page could show.
    """
    try:
        if not isinstance(value, dict) or len(json.dumps(value)) > MAX_TRACE:
            raise ValueError(f"a trace is an object of at most {MAX_TRACE} characters")
        return AttentionTrace.from_dict(cast(dict[str, Any], value))
    except (ValueError, RecursionError) as error:
        raise HeadlightError("bad_request", f"This is no trace: {error}") from error


def file(trace: AttentionTrace, suffix: Literal["html", "npz"]) -> str:
    """What `AttentionTrace.save` writes, as base64."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"trace.{suffix}")
        trace.save(path)
        return base64.b64encode(path.read_bytes()).decode()


def answer(request: object) -> dict[str, Any]:
    """One of the viewer's requests, answered: what was asked for, or an error's code."""
    try:
        match cast(dict[str, Any], request):
            case {"ask": "trace", "source": str(source), "model": str(model)}:
                asked = cast(dict[str, object], request)
                return {"trace": trace(source, model, asked.get("prefix"), asked.get("sampling"))}
            case {"ask": "file", "format": "html" | "npz" as suffix, "trace": sent}:
                return {"file": file(read_trace(sent), suffix)}
            case {
                "ask": "bertviz",
                "view": "head" | "model" as view,
                "theme": "light" | "dark" as theme,
                "trace": sent,
            }:
                return {"bertviz": bertviz_html(read_trace(sent), view, theme)}
            case {
                "ask": "worked_out",
                "model": str(model),
                "source": str(source),
                "target": target,
                "kind": "encoder_self" | "decoder_self" | "cross" as kind,
                "layer": int(layer),
                "head": int(head),
            } if target:
                check_characters(source)
                ids = read_prefix(target)
                changes = read_interventions(cast(dict[str, object], request).get("interventions"))
                shown = translator(model).work_out(source, ids, kind, layer, head, changes)
                return {"worked_out": shown.to_dict()}
            case _:
                raise HeadlightError("bad_request", "No such request is known here.")
    except HeadlightError as error:
        return {"error": {"code": error.code, "details": error.details}}
    except Exception:
        logger.exception("a request failed")
        return {"error": {"code": "server_error", "details": {}}}


def first_page() -> dict[str, Any]:
    """What the viewer shows before anyone types: the models, and a trace of the first example."""
    models = [describe(name) for name in checkpoint.available()]
    if not models:
        return {"models": [], "model": "", "error": {"code": "no_models", "details": {}}}
    model = next((model for model in models if model["name"] == DEFAULT_MODEL), models[0])
    source = next(iter(model["examples"]), "")
    page = {"models": models, "model": model["name"]}
    return page | answer({"ask": "trace", "source": source, "model": model["name"]})


def describe(name: str) -> dict[str, Any]:
    """A model for the page's picker. A broken one is listed too: choosing it says what is wrong."""
    try:
        config, card = checkpoint.read_config(checkpoint.find(name))
    except HeadlightError as error:
        logger.warning("%s", error)
        return {"name": name, "title": {}, "examples": [], "decoder_only": False}
    return {
        "name": name,
        "title": card.get("title", {}),
        "examples": card.get("examples", []),
        "decoder_only": config.decoder_only,
    }
