"""Models of the hub, fetched for whoever owns this machine: one at a time, watched and ended."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from .. import checkpoint
from ..checkpoint.hub.progress import Progress
from ..checkpoint.hub.whole import Whole, look_up_whole, name_and_revision
from ..checkpoint.importing.as_it_is import AsItIs, fetch_as_it_is, fetched, remove_as_it_is
from ..checkpoint.importing.download import OFFERED, download, is_downloaded, remove
from ..checkpoint.importing.families import offered
from ..errors import HeadlightError
from ..guests.hugging_face.families import REFUSED
from ..measure.representative import measure_by_examples
from .guests.files import check_size, files_of
from .guests.guests import Guests
from .guests.named import form_of, is_path
from .models import Models, describe_all
from .wire.requests import Wish

THREADS = 8
"""One fetches; the others are for the page, which looks up several models while it watches."""

GUESTS = (
    *("openai-community/gpt2", "distilbert/distilgpt2"),
    *("HuggingFaceTB/SmolLM2-135M-Instruct", "Qwen/Qwen3-0.6B"),
    *("google-bert/bert-base-uncased", "google-bert/bert-base-multilingual-cased"),
    *("google-t5/t5-small", "facebook/nllb-200-distilled-600M"),
)
"""Eight worth seeing, two of each form."""

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

    def payload(self) -> dict[str, Any]:
        """A download's stage: those of `Progress`, then "measuring", then "done" or "failed"."""
        stage = "measuring" if self.progress.stage == "done" else self.progress.stage
        received, total = self.progress.received, self.progress.total
        payload = {"model": self.model, "stage": self.ended or stage}
        payload |= {"received": received, "total": total, "name": self.name}
        return payload | ({"error": self.problem} if self.problem else {})


class Downloads:
    """Fetches models, and removes those that were fetched.

    Args:
        models: in memory; a removed one is forgotten.
        guests: where a model that is fetched as it is goes.
    """

    def __init__(self, models: Models, guests: Guests) -> None:
        self._models = models
        self._guests = guests
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
                models = [*(GUESTS if self._guests.open else ()), *OFFERED]
                return {"offers": {"models": models, "here": _here(), "download": self._progress()}}
            case "look_up":
                return {"listing": self._listing(model)}
            case "start":
                self._start(model)
            case "cancel":
                if self._last:
                    self._last.progress.cancel()
            case "remove":
                if model in self._guests:
                    remove_as_it_is(model)
                    self._guests.forget(model)
                else:
                    remove(model)
                    self._models.forget(model)
                return {"models": describe_all()}
            case "progress":
                pass
        payload = self._progress()
        done = payload is not None and payload["stage"] == "done"
        return {"download": payload} | ({"models": describe_all()} if done else {})

    def _listing(self, model: str) -> dict[str, Any]:
        """What there is to know of a model before it is fetched, or of a folder."""
        if self._guests.open and is_path(model):
            name = self._guests.look_at(model)
            files = files_of(name.place)
            payload = {"name": model, "size": files.size, "license": files.license}
            return payload | self._guests.seems(name)
        try:
            listing = offered(*name_and_revision(model))
        except HeadlightError as error:
            if error.code not in ("unknown_family", "no_such_model") or not self._guests.open:
                raise
            listing = look_up_whole(model)
            check_as_it_is(listing, self._guests.dtype)
        payload = {"name": listing.name, "size": listing.size, "license": listing.license}
        if isinstance(listing, Whole):
            payload |= {"family": str(listing.config.get("model_type", ""))}
            payload |= {"form": form_of(listing.config), "parameters": listing.parameters}
        return payload

    def _progress(self) -> dict[str, Any] | None:
        return self._last and self._last.payload()

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
            if self._guests.open and is_path(model):
                self._last.name = self._guests.add(model)
                self._last.ended = "done"
                return
            self._threads.submit(self._run, self._last)

    def _fetched(self, it: _Download) -> str:
        """What it is called here, once all of it is."""
        model, revision = name_and_revision(it.model)
        try:
            folder = download(model, revision=revision, progress=it.progress)
            measure_by_examples(folder)
            return folder.name
        except HeadlightError as error:
            if error.code not in ("unknown_family", "no_such_model") or not self._guests.open:
                raise
        check_as_it_is(look_up_whole(it.model), self._guests.dtype)
        fetch_as_it_is(it.model, it.progress)
        return self._guests.add(it.model)

    def _run(self, it: _Download) -> None:
        try:
            it.name = self._fetched(it)
        except HeadlightError as error:
            it.problem = {"code": error.code, "details": error.details}
        except Exception:
            logger.exception("a download failed")
            it.problem = {"code": "server_error", "details": {}}
        it.ended = "failed" if it.problem else "done"


def check_as_it_is(listing: Whole, dtype: str) -> None:
    """Refuses what could not be drawn truly, or would not fit into memory, before it is fetched.

    Raises:
        HeadlightError: naming the reason.
    """
    kind = str(listing.config.get("model_type", ""))
    if why := REFUSED.get(kind):
        sentence = f"{listing.name} ({kind}) cannot be drawn: {why}"
        raise HeadlightError("guest_undrawn", sentence, model=listing.name)
    check_size(listing.name, listing.weights_size, listing.width, dtype)


def _here() -> list[dict[str, Any]]:
    """What was downloaded earlier: its name here, and what the hub said of it."""
    folders = (checkpoint.find(name) for name in checkpoint.available())
    ours = [_describe(folder) for folder in folders if is_downloaded(folder)]
    return [*ours, *map(_as_it_is, fetched())]


def _as_it_is(it: AsItIs) -> dict[str, Any]:
    size = sum(path.stat().st_size for path in it.folder.iterdir() if path.is_file())
    return {"name": it.origin, "origin": it.origin, "size": size, "license": it.license}


def _describe(folder: Path) -> dict[str, Any]:
    card = checkpoint.read_card(folder)
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    payload = {"name": folder.name, "origin": card["origin"], "size": size}
    return payload | {"license": card.get("license", "")}
