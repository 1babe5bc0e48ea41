"""The Gradio page. Wiring only: what people see is drawn by the viewer in assets/."""

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import gradio as gr
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from answers import DEFAULT_MODEL, answer, first_page, trace
from transformer.errors import HeadlightError
from transformer.translator import use_one_thread

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

ASSETS = Path(__file__).parent / "assets"
FILES = sorted(path for path in ASSETS.rglob("*") if path.is_file())
VERSION = hashlib.sha256(b"".join(path.read_bytes() for path in FILES)).hexdigest()[:12]
"""In the address of every asset, so that no browser shows yesterday's viewer after an upgrade."""

use_one_thread()


def trace_for_programs(  # noqa: D103
    source: str,
    model: str = DEFAULT_MODEL,
    prefix: list[int] | None = None,
    sampling: dict[str, Any] | None = None,
) -> dict[str, Any]:
    try:
        return trace(source, model, prefix, sampling)
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
