"""A trace as one HTML file: the same viewer, without a server and without a network.

The viewer's script, styles and texts are written into the page.
"""

import base64
import html
import json
from functools import cache
from string import Template
from typing import TYPE_CHECKING, Any

from .viewer import ASSETS, script, styles

if TYPE_CHECKING:
    from ..recording.trace import AttentionTrace

ICON = "favicon.svg"
FRAME_HEIGHT = 900

# The policy makes it certain: whatever the file holds, the browser fetches nothing for it.
PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
<title>$title</title>
<link rel="icon" href="$icon">
<style>$styles</style>
<script type="application/json" id="headlight-files">$files</script>
<script type="application/json" id="headlight-trace">$trace</script>
</head>
<body>
<noscript>This trace is drawn by JavaScript, which is switched off.</noscript>
<div id="headlight"></div>
<script type="module">
$script
const trace = JSON.parse(document.getElementById("headlight-trace").textContent);
mount(document.getElementById("headlight"), { models: [], model: trace.model, trace }, null);
</script>
</body>
</html>
""")


def replay_html(trace: "AttentionTrace") -> str:
    """A whole page that shows the trace as Headlight does, stepping and all.

    Args:
        trace: any trace. Its weights are written as float16, as the page gets them.
    Returns:
        HTML that asks no host for anything; no text of the trace is markup in it.
    """
    files = _files()
    # A lone surrogate, which a source may hold, is no character that a file can have.
    title = f"{trace.source} · Headlight".encode("utf-8", "replace").decode()
    return PAGE.substitute(
        title=html.escape(title),
        icon=files[ICON],
        styles=styles(),
        script=script("main.js"),
        files=_script_json(files),
        trace=_script_json(trace.to_dict("float16")),
    )


def replay_frame(trace: "AttentionTrace") -> str:
    """`replay_html` in a frame that can reach nothing around it, for a notebook.

    It may print (`allow-modals`), which is how a picture becomes a PDF.
    """
    return (
        f'<iframe srcdoc="{html.escape(replay_html(trace))}" title="Headlight" '
        'sandbox="allow-scripts allow-downloads allow-modals" '
        f'style="width: 100%; height: {FRAME_HEIGHT}px; border: 0"></iframe>'
    )


@cache
def _files() -> dict[str, Any]:
    """What the viewer reads, by the names under assets/: texts, and the icon's `data:` address."""
    icon = base64.b64encode((ASSETS / ICON).read_bytes()).decode()
    return {ICON: f"data:image/svg+xml;base64,{icon}"} | {
        f"locales/{path.name}": json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((ASSETS / "locales").glob("*.json"))
    }


def _script_json(value: object) -> str:
    """JSON in ASCII, so that every string can be written, that no `</script>` in it can end."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
