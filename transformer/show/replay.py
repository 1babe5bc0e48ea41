"""A trace as one HTML file: the same viewer, without a server and without a network.

The viewer's script, styles and texts are written into the page.
"""

import base64
import html
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from ..texts import template
from .viewer import ASSETS, script, styles

if TYPE_CHECKING:
    from ..trace.trace import AttentionTrace

ICON = "favicon.svg"
FRAME_HEIGHT = 900

# The policy makes it certain: whatever the file holds, the browser fetches nothing for it.
PAGE = template("transformer.show", "replay.html")


def replay_html(trace: "AttentionTrace") -> str:
    """A whole page that shows the trace as Headlight does, stepping and all.

    Args:
        trace: any trace. Its weights are written as 65,535ths, compressed.
    Returns:
        HTML that asks no host for anything; no text of the trace is markup in it.
    """
    return _replay(trace.to_dict("uint16"), trace.source)


def replay_template() -> str:
    """The replay's page without a trace, for those who write one into it in JavaScript.

    `HEADLIGHT-TITLE` stands for the trace's source, as HTML, and `"HEADLIGHT-VALUES"` for the
    trace, as JSON without a `<`.
    """
    return _replay("HEADLIGHT-VALUES", "HEADLIGHT-TITLE")


def _replay(values: object, title: str) -> str:
    return page_html(
        values,
        name="headlight-trace",
        title=title,
        door="main.js",
        begin="mountSaved(element, values);",
        otherwise="This trace is drawn by JavaScript, which is switched off.",
    )


def page_html(
    values: object,
    *,
    name: str,
    title: str,
    door: str,
    begin: str,
    otherwise: str,
    language: str = "en",
) -> str:
    """A page of the viewer that carries all it shows.

    Args:
        values: JSON-ready; the page has them under its id `name`.
        name: of the element that holds them.
        title: of the page, as text.
        door: the viewer's module that draws them.
        begin: JavaScript that calls it, with `element` and `values`.
        otherwise: HTML for whoever has switched JavaScript off.
        language: of the page until its script runs.
    Returns:
        HTML that asks no host for anything; no text of `values` or `title` is markup in it.
    """
    files = viewer_files()
    # A lone surrogate, which a source may hold, is no character that a file can have.
    whole = f"{title} · Headlight".encode("utf-8", "replace").decode()
    return PAGE.substitute(
        language=language,
        title=html.escape(whole),
        icon=files[ICON],
        styles=styles(),
        script=script(door),
        files=script_json(files),
        name=name,
        values=script_json(values),
        begin=begin,
        otherwise=otherwise,
    )


def replay_frame(trace: "AttentionTrace") -> str:
    """`replay_html` in a frame that can reach nothing around it, for a notebook."""
    return frame(replay_html(trace))


def frame(page: str) -> str:
    """A page in a frame that can reach nothing around it.

    It may print (`allow-modals`), which is how a picture becomes a PDF.
    """
    return (
        f'<iframe srcdoc="{html.escape(page)}" title="Headlight" '
        'sandbox="allow-scripts allow-downloads allow-modals" '
        f'style="width: 100%; height: {FRAME_HEIGHT}px; border: 0"></iframe>'
    )


@cache
def viewer_files() -> dict[str, Any]:
    """What the viewer reads, by the names under assets/: texts, and the icon's `data:` address."""
    icon = base64.b64encode((ASSETS / ICON).read_bytes()).decode()
    return {ICON: f"data:image/svg+xml;base64,{icon}"} | {
        f"locales/{path.name}": json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((ASSETS / "locales").glob("*.json"))
    }


def script_json(value: object) -> str:
    """JSON in ASCII, so that every string can be written, that no `</script>` in it can end."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
