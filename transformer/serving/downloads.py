"""Models of the hub, fetched for whoever owns this machine: one at a time, watched and ended."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from .. import checkpoint
from ..checkpoint.hub.progress import Progress
from ..checkpoint.importing.download import OFFERED, download, is_downloaded, remove
from ..checkpoint.importing.families import offered
from ..errors import HeadlightError
from ..measure.representative import measure_by_examples
from .models import Models, describe_all

THREADS = 8
"""One fetches; the others are for the page, which looks up several models while it watches."""

Wish = Literal["offers", "progress", "cancel", "look_up", "start", "remove"]

logger = logging.getLogger("headlight")


@dataclass
class _Download:
    """One download, from when it was asked for.

    Attributes:
        model: on the hub.
        progress: until all is here.
        ended: how, once it has.
        name: of the checkpoint, if it is done.
        problem: code and details, if it failed.
    """

    model: str
    progress: Progress = field(default_factory=Progress)
    ended: str = ""
    name: str = ""
    problem: dict[str, Any] = field(default_factory=dict[str, Any])

    def told(self) -> dict[str, Any]:
        """How far it is: the stages of `Progress`, then "measuring", then "done" or "failed"."""
        stage = "measuring" if self.progress.stage == "done" else self.progress.stage
        received, total = self.progress.received, self.progress.total
        told = {"model": self.model, "stage": self.ended or stage}
        told |= {"received": received, "total": total, "name": self.name}
        return told | ({"error": self.problem} if self.problem else {})


class Downloads:
    """Fetches models, and removes those that were fetched.

    Args:
        models: in memory; a removed one is forgotten.
    """

    def __init__(self, models: Models) -> None:
        self._models = models
        self._lock = Lock()
        self._last: _Download | None = None
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="downloads")

    def answer(self, wish: Wish, model: str = "") -> "Future[dict[str, Any]]":
        """What was wished for of a model on the hub; to remove, of an installed one.

        The future raises a HeadlightError for what goes wrong.
        """
        return self._threads.submit(self._answer, wish, model)

    def close(self) -> None:
        """Ends what is being fetched; another download goes on from there."""
        if self._last:
            self._last.progress.cancel()
        self._threads.shutdown(wait=False)

    def _answer(self, wish: Wish, model: str) -> dict[str, Any]:
        match wish:
            case "offers":
                return {"offers": {"models": OFFERED, "here": _here(), "download": self._told()}}
            case "look_up":
                listing = offered(model)
                told = {"name": listing.name, "size": listing.size, "license": listing.license}
                return {"listing": told}
            case "start":
                self._start(model)
            case "cancel":
                if self._last:
                    self._last.progress.cancel()
            case "remove":
                remove(model)
                self._models.forget(model)
                return {"models": describe_all()}
            case "progress":
                pass
        told = self._told()
        done = told is not None and told["stage"] == "done"
        return {"download": told} | ({"models": describe_all()} if done else {})

    def _told(self) -> dict[str, Any] | None:
        return self._last and self._last.told()

    def _start(self, model: str) -> None:
        with self._lock:
            last = self._last
            if last and not last.ended:
                if last.model == model:  # asked for twice: both may watch
                    return
                raise HeadlightError(
                    "download_running", f"{last.model} is being downloaded", model=last.model
                )
            self._last = _Download(model)
            self._threads.submit(self._run, self._last)

    def _run(self, it: _Download) -> None:
        try:
            folder = download(it.model, progress=it.progress)
            measure_by_examples(folder)
            it.name = folder.name
        except HeadlightError as error:
            it.problem = {"code": error.code, "details": error.details}
        except Exception:
            logger.exception("a download failed")
            it.problem = {"code": "server_error", "details": {}}
        it.ended = "failed" if it.problem else "done"


def _here() -> list[dict[str, Any]]:
    """What was downloaded earlier: its name here, and what the hub said of it."""
    folders = (checkpoint.find(name) for name in checkpoint.available())
    return [_describe(folder) for folder in folders if is_downloaded(folder)]


def _describe(folder: Path) -> dict[str, Any]:
    card = checkpoint.read_card(folder)
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    told = {"name": folder.name, "origin": card["origin"], "size": size}
    return told | {"license": card.get("license", "")}
