"""The installed models: what the page's picker says of them, and each in memory once it is used."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

from .. import checkpoint
from ..checkpoint.arrays import read_arrays
from ..errors import DAMAGED, HeadlightError
from ..show.bertviz import bertviz_installed
from ..translator import Translator, offers_of

logger = logging.getLogger("headlight")


class Models:
    """Models in memory. Whoever waits for one that is being loaded keeps no one else waiting."""

    def __init__(self) -> None:
        self._lock = Lock()  # held to look a name up, never while a file is read
        self._loads: dict[str, Future[Translator]] = {}
        self._loaders = ThreadPoolExecutor(2, thread_name_prefix="load")

    def load(self, name: str) -> Future[Translator]:
        """A model, read from disk the first time that someone asks for it.

        Raises:
            HeadlightError: none of this name is installed; what is wrong with a broken one is
                raised by the future, and the next request tries again.
        """
        with self._lock:
            load = self._loads.get(name)
            # A load that failed counts for those who waited; the file may have been mended since.
            if load is not None and not (load.done() and load.exception()):
                return load
            installed(name)
            load = self._loads[name] = self._loaders.submit(Translator.load, name)
            return load

    def forget(self, name: str) -> None:
        """Lets go of a model that was removed."""
        with self._lock:
            self._loads.pop(name, None)


README = "README.md"

LAST = 1_000
"""The place in the picker of a model whose card names none."""


def describe_all() -> list[dict[str, Any]]:
    """Every installed model for the page's picker, the most useful first, as their cards say."""
    described = {name: describe(name) for name in checkpoint.available()}
    return sorted(described.values(), key=lambda model: (model.pop("order"), model["name"]))


SHOWN: dict[str, Any] = {
    "title": {},
    "about": {},
    "action": {},
    "examples": [],
    "start": None,
    "source_language": "",
    "target_language": "",
    "longest": 0,
}
"""What the picker takes from a card, and what stands there where the card has none."""


def describe(name: str) -> dict[str, Any]:
    """A model for the page's picker. A broken one is listed too: choosing it says what is wrong."""
    folder = checkpoint.find(name)
    config, card, codes = None, dict[str, Any](), list[str]()
    try:
        config, card = checkpoint.read_config(folder)
        codes = checkpoint.language_codes(folder)
    except HeadlightError as error:
        logger.warning("%s", error)
    order = card.get("order")
    return {
        **{field: card.get(field, absent) for field, absent in SHOWN.items()},
        "name": name,
        "language_codes": codes,
        "decoder_only": config is not None and config.decoder_only,
        "offers": sorted(offers_of(config, card)) if config else [],
        "has_card": (folder / README).is_file(),
        "order": order if isinstance(order, int) else LAST,
    }


def installed(name: str) -> Path:
    """The folder of a model.

    Raises:
        HeadlightError: none of this name is installed.
    """
    if not checkpoint.is_installed(name):
        raise HeadlightError("unknown_model", f"There is no model {name[:80]!r}.", model=name[:80])
    return checkpoint.find(name)


def at_hand() -> dict[str, Any]:
    """The models, and the page's tabs that cannot be filled here; reads files."""
    return {"models": describe_all(), "lacking": [] if bertviz_installed() else ["bertviz"]}


def card_text(name: str) -> str:
    """A model's card: Markdown, without the lines for the Hub at its top.

    Where something beside the model is damaged, the card begins with it: the model goes without.

    Raises:
        HeadlightError: no model of this name is installed, or it has no card.
    """
    path = installed(name) / README
    if not path.is_file():
        raise HeadlightError("unknown_model", f"{name} has no card.", model=name)
    text = path.read_text(encoding="utf-8", errors="replace")
    text = text.split("---\n", 2)[-1] if text.startswith("---\n") else text
    damaged = (each.name for each in sorted(path.parent.glob("*.npz")) if _is_damaged(each))
    return "".join(f"**{file} is damaged**, and left out.\n\n" for file in damaged) + text


def cards_in_short(name: str) -> dict[str, str]:
    """A model's card in other languages, half a page each, by language: Markdown."""
    paths = sorted(installed(name).glob("README.*.md"))
    return {path.stem.split(".")[1]: path.read_text("utf-8", errors="replace") for path in paths}


def _is_damaged(path: Path) -> bool:
    """Whether nobody can read a file of arrays."""
    try:
        read_arrays(path)
    except DAMAGED:
        return True
    return False
