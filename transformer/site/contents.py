"""Everything that a site is made of, by path; a folder and a single file hold the same."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..show.replay import replay_template
from ..show.viewer import ASSETS, script, styles
from .answers import Answers
from .chosen import Chosen, choose

ENGINE, FROM_DISK, REPLAY = "joined/engine.js", "joined/from_disk.js", "replay.html"
ICONS = ("favicon.svg", "icons/192.png", "icons/512.png", "icons/maskable.png")


@dataclass(frozen=True)
class Contents:
    """A site.

    Attributes:
        texts: the page's own files but for its pictures: JSON, scripts, styles and a page.
        pictures: its icons.
        models: what it brings along.
    """

    texts: dict[str, bytes]
    pictures: dict[str, bytes]
    models: list[Chosen]

    @property
    def build(self) -> str:
        """The short hash of all of it: no two sites that differ have the same."""
        whole = hashlib.sha256()
        for path, content in sorted({**self.texts, **self.pictures}.items()):
            whole.update(path.encode() + hashlib.sha256(content).digest())
        return whole.hexdigest()[:12]


def contents_of(names: Sequence[str]) -> Contents:
    """The site of these models.

    Raises:
        HeadlightError: a model cannot come along; see `choose`.
    """
    models = choose(names)
    answers = Answers([model.name for model in models])
    site: dict[str, Any] = {
        "engine": ENGINE,
        "replay": REPLAY,
        "models": {model.name: model.listing() for model in models},
        "answers": answers.listing,
    }
    own_style = (ASSETS / "site" / "arriving.css").read_text(encoding="utf-8")
    texts = {
        "site.json": json.dumps(site, separators=(",", ":")),
        "joined/site.js": script("site.js"),
        ENGINE: script("engine/worker.js", classic=True),
        FROM_DISK: script("site/from_disk.js", classic=True),
        "joined/viewer.css": styles() + own_style,
        REPLAY: replay_template(),
    }
    locales = sorted((ASSETS / "locales").glob("*.json"))
    return Contents(
        {
            **{path: text.encode() for path, text in texts.items()},
            **{f"locales/{path.name}": path.read_bytes() for path in locales},
            **answers.files,
        },
        {path: (ASSETS / path).read_bytes() for path in ICONS},
        models,
    )
