"""Gradio, imported here alone: it serves this machine's page, and is to ask nobody for anything."""

import os
import sys
import tempfile
from pathlib import Path

from transformer.checkpoint.hub.proxies import spare_loopback, without_proxies
from transformer.checkpoint.places import path_in


def _temporary_folder() -> Path:
    """Where Gradio writes as soon as there is a page.

    Raises:
        SystemExit: 2, after a sentence, if nobody may write there.
    """
    folder = path_in("GRADIO_TEMP_DIR")
    try:
        # One a user: on a machine of many, the first one's is shut to all others.
        user = getattr(os, "getuid", lambda: "own")()
        folder = folder or Path(tempfile.gettempdir(), f"gradio-{user}")
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        print(  # noqa: T201
            f"headlight: error: cannot write to {folder or 'any folder'}: {error.strerror}; "
            "GRADIO_TEMP_DIR names another folder",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    return folder


# It reads its settings, and makes its clients of HTTP, as it is imported.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["GRADIO_TEMP_DIR"] = str(_temporary_folder())
spare_loopback()
with without_proxies():
    import gradio as gr

__all__ = ["gr"]
