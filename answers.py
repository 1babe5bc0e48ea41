"""What the page's server answers: pure functions of a request that anyone may have written."""

import logging
from functools import cache
from threading import Lock
from typing import Any

from transformer import Translator, checkpoint
from transformer.errors import HeadlightError

MAX_CHARACTERS = 2_000
"""More than any model here reads; the model's own limit, in tokens, is checked by the model."""

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


def trace(source: str, model: str) -> dict[str, Any]:
    """Translate a sentence and return every attention weight that the translation was made of.

    Args:
        source: the sentence, in the model's source language.
        model: the name of an installed model, such as "en-zh".
    Returns:
        The trace as JSON ("headlight-trace", version 1): tokens, candidates of every step, and
        the weights [layer, head, query, key] as base64 of little-endian float16.
    Raises:
        HeadlightError: no such model, or a source that it cannot translate.
    """
    check_characters(source)
    return translator(model).trace(source).to_dict("float16")


def answer(request: object) -> dict[str, Any]:
    """One of the viewer's requests, answered: what was asked for, or an error's code."""
    try:
        match request:
            case {"ask": "trace", "source": str(source), "model": str(model)}:
                return {"trace": trace(source, model)}
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
        card = checkpoint.read_card(checkpoint.find(name))
    except HeadlightError as error:
        logger.warning("%s", error)
        card = {}
    return {"name": name, "title": card.get("title", {}), "examples": card.get("examples", [])}
