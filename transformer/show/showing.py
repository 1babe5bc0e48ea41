"""A trace before somebody's eyes: in a notebook's cell, or else in a browser."""

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .replay import replay_html

if TYPE_CHECKING:
    from ..trace.trace import AttentionTrace


def show(trace: "AttentionTrace") -> None:
    """Shows a trace as the viewer.

    Outside a notebook the page lies in the folder for temporary files, and its place is printed,
    as there may be no browser.
    """
    notebook = cast(Any, sys.modules.get("IPython"))
    if notebook is not None and notebook.get_ipython() is not None:
        notebook.display.display(trace)
        return
    path = Path(tempfile.mkdtemp(prefix="headlight-")) / "trace.html"
    path.write_text(replay_html(trace), encoding="utf-8")
    sys.stdout.write(f"{path}\n")
    webbrowser.open(path.as_uri())
