"""The Gradio page. Wiring only: what people see is drawn by the viewer in assets/."""

import hashlib
import logging
import os
import sys
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import gradio as gr
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from transformer import Translator, checkpoint
from transformer.errors import HeadlightError
from transformer.translator import use_one_thread

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

MAX_CHARACTERS = 2_000
"""More than any model here reads; the model's own limit, in tokens, is checked by the model."""

DEFAULT_MODEL = "en-zh"
ASSETS = Path(__file__).parent / "assets"
FILES = sorted(path for path in ASSETS.rglob("*") if path.is_file())
VERSION = hashlib.sha256(b"".join(path.read_bytes() for path in FILES)).hexdigest()[:12]
"""In the address of every asset, so that no browser shows yesterday's viewer after an upgrade."""

logger = logging.getLogger("headlight")
use_one_thread()
loading = Lock()


@cache
def load(name: str) -> Translator:
    """A model, read from disk the first time that someone asks for it."""
    return Translator.load(name)


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
    if model not in checkpoint.available():
        raise HeadlightError(
            "unknown_model", f"There is no model {model[:80]!r}.", model=model[:80]
        )
    if len(source) > MAX_CHARACTERS:
        raise HeadlightError(
            "too_many_characters",
            f"The sentence has {len(source)} characters; the limit is {MAX_CHARACTERS}.",
            length=len(source),
            limit=MAX_CHARACTERS,
        )
    with loading:
        translator = load(model)
    return translator.trace(source).to_dict("float16")


def answer(request: object) -> dict[str, Any]:
    """The viewer's request, which anyone may have written, answered: a trace or an error's code."""
    try:
        match request:
            case {"source": str(source), "model": str(model)}:
                return {"trace": trace(source, model)}
            case _:
                raise HeadlightError("bad_request", "A request has a source and a model.")
    except HeadlightError as error:
        return {"error": {"code": error.code, "details": error.details}}
    except Exception:
        logger.exception("a trace failed")
        return {"error": {"code": "server_error", "details": {}}}


def first_page() -> dict[str, Any]:
    """What the viewer shows before anyone types: the models, and a trace of the first example."""
    models = [describe(name) for name in checkpoint.available()]
    if not models:
        return {"models": [], "model": "", "error": {"code": "no_models", "details": {}}}
    model = next((model for model in models if model["name"] == DEFAULT_MODEL), models[0])
    source = next(iter(model["examples"]), "")
    page = {"models": models, "model": model["name"]}
    return page | answer({"source": source, "model": model["name"]})


def describe(name: str) -> dict[str, Any]:
    """A model for the page's picker. A broken one is listed too: choosing it says what is wrong."""
    try:
        card = checkpoint.read_card(checkpoint.find(name))
    except HeadlightError as error:
        logger.warning("%s", error)
        card = {}
    return {"name": name, "title": card.get("title", {}), "examples": card.get("examples", [])}


def trace_for_programs(source: str, model: str = DEFAULT_MODEL) -> dict[str, Any]:  # noqa: D103
    try:
        return trace(source, model)
    except HeadlightError as error:
        raise gr.Error(str(error)) from error


trace_for_programs.__doc__ = trace.__doc__

with gr.Blocks(title="Headlight", fill_width=True) as demo:
    gr.HTML(
        value=first_page(),
        html_template="",
        js_on_load=f"""
            import(`${{window.gradio_config.root}}/headlight/{VERSION}/main.js`).then((viewer) =>
                viewer.mount(element, props.value, server.answer),
            );
        """,
        apply_default_css=False,
        server_functions=[answer],
    )
    gr.api(trace_for_programs, api_name="trace", concurrency_limit=None)


def launch(**options: Any) -> tuple[Any, str, str]:
    """`demo.launch` with everything that the page relies on; `options` go first."""
    fonts = ["system-ui", "sans-serif"]
    defaults: dict[str, Any] = {
        "app_kwargs": {"routes": [Mount(f"/headlight/{VERSION}", StaticFiles(directory=ASSETS))]},
        "favicon_path": ASSETS / "favicon.svg",
        "footer_links": [],
        "run_history": False,
        "ssr_mode": False,
        "theme": gr.themes.Base(font=fonts, font_mono=["ui-monospace", "monospace"]),
    }
    return demo.launch(**defaults | options)


if __name__ == "__main__":
    on_a_space = "SPACE_ID" in os.environ
    launch(inbrowser=not on_a_space and "--no-browser" not in sys.argv)
