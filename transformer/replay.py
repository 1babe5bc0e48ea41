"""A trace as one HTML file: the same viewer, without a server and without a network.

The viewer's modules, styles and texts lie in the file as `data:` addresses. An import map gives the
modules names, because a `data:` module has no folder that "./store.js" could be looked up in.
"""

import base64
import html
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .trace import AttentionTrace

ASSETS = Path(__file__).resolve().parent.parent / "assets"
TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
IMPORT = re.compile(r'"\./([\w-]+\.js)"')
FRAME_HEIGHT = 900

# The policy makes it certain: whatever the file holds, the browser fetches nothing for it.
PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' \
data:; style-src 'unsafe-inline' data:; img-src data: blob:; connect-src data:">
<title>$title</title>
<link rel="icon" href="$icon">
<style>body { margin: 0; }</style>
<script type="importmap">$imports</script>
<script type="application/json" id="headlight-files">$files</script>
<script type="application/json" id="headlight-trace">$trace</script>
</head>
<body>
<noscript>This trace is drawn by JavaScript, which is switched off.</noscript>
<div id="headlight"></div>
<script type="module">
import { mount } from "headlight/main.js";
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
    files = _viewer()
    # A lone surrogate, which a source may hold, is no character that a file can have.
    title = f"{trace.source} · Headlight".encode("utf-8", "replace").decode()
    return PAGE.substitute(
        title=html.escape(title),
        icon=files["favicon.svg"],
        imports=_script_json({"imports": _named(files, modules=True)}),
        files=_script_json(_named(files, modules=False)),
        trace=_script_json(trace.to_dict("float16")),
    )


def replay_frame(trace: "AttentionTrace") -> str:
    """`replay_html` in a frame that can reach nothing around it, for a notebook."""
    return (
        f'<iframe srcdoc="{html.escape(replay_html(trace))}" title="Headlight" '
        'sandbox="allow-scripts allow-downloads" '
        f'style="width: 100%; height: {FRAME_HEIGHT}px; border: 0"></iframe>'
    )


@cache
def _viewer() -> dict[str, str]:
    """Every file of the viewer as a `data:` address, by its name under assets/."""
    addresses: dict[str, str] = {}
    for path in sorted(ASSETS.rglob("*")):
        if path.suffix not in TYPES:
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".js":
            text = IMPORT.sub(r'"headlight/\1"', text)
        data = base64.b64encode(text.encode()).decode()
        name = path.relative_to(ASSETS).as_posix()
        addresses[name] = f"data:{TYPES[path.suffix]};charset=utf-8;base64,{data}"
    return addresses


def _named(files: Mapping[str, str], modules: bool) -> dict[str, str]:
    """The modules under the names that they import one another by, or all other files."""
    prefix = "headlight/" if modules else ""
    return {prefix + name: data for name, data in files.items() if name.endswith(".js") == modules}


def _script_json(value: object) -> str:
    """JSON in ASCII, so that every string can be written, that no `</script>` in it can end."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
