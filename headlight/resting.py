"""Lets a page at rest rest: Gradio's notice of loading asks for frames for ever."""

import re
from collections.abc import Iterator
from pathlib import Path

from .gradio_alone import gr

ASSETS = Path(gr.__file__).parent / "templates/frontend/assets"
# The notice counts its seconds frame by frame, and goes on when it is taken away: sixty times a
# second, on every screen of a class, for nobody.
COUNT_ON = re.compile(r"(\bperformance\.now\(\)-\w+\(\w+\)\)/1e3\)),\w+&&\w+\(\)")


def notices_at_rest() -> Iterator[tuple[str, str]]:
    """Gradio's notice of loading without its clock: its file's name, and its text."""
    for file in ASSETS.glob("statustracker-*.js"):
        yield file.name, COUNT_ON.sub(r"\1", file.read_text(encoding="utf-8"))
