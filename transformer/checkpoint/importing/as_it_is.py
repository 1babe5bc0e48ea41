"""Models of the hub fetched as they are, for the library that they were made with."""

import json
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...errors import HeadlightError
from ..folder import CONFIG
from ..hub.progress import Progress
from ..hub.whole import look_up_whole
from ..places import downloads_folder
from .download import alone_with, fetch_all, storing

ORIGIN = "headlight.json"
"""The file that says, beside a model's own, where they are from."""


@dataclass(frozen=True)
class AsItIs:
    """A model that was fetched as it is.

    Attributes:
        origin: its name on the hub, with @ and a revision if one was asked for.
        folder: where it is.
        revision: its commit.
        license: as its card names it; may be empty.
    """

    origin: str
    folder: Path
    revision: str
    license: str


def fetched(folder: Path | None = None) -> list[AsItIs]:
    """The models that were fetched as they are, in alphabetical order; or the one in a folder."""
    paths = [folder] if folder else sorted(_shelf().glob(f"*/{CONFIG}"))
    return [it for path in paths if (it := _read(path if folder else path.parent))]


def fetch_as_it_is(model: str, progress: Progress | None = None) -> Path:
    """Fetches a model of the hub, or what is left of it to fetch, and returns its folder.

    Args:
        model: its name, or NAME@REVISION, which has a folder of its own.
        progress: told how far it is; may cancel.
    Raises:
        HeadlightError: as `download`.
    """
    progress = progress or Progress()
    target = _shelf() / model.replace("/", "--")
    with storing(target.parent):
        progress.set("asking")
        listing = look_up_whole(model)
        parts = downloads_folder() / ".downloads" / target.name
        with alone_with(listing.name, parts):
            if not target.exists():
                folder = parts / listing.revision
                fetch_all(listing, folder, progress, copies=1)
                facts = {"origin": model, "revision": listing.revision, "license": listing.license}
                (folder / ORIGIN).write_text(json.dumps(facts), encoding="utf-8")
                target.parent.mkdir(parents=True, exist_ok=True)
                folder.replace(target)
            shutil.rmtree(parts, ignore_errors=True)
        progress.set("done")
    return target


def remove_as_it_is(model: str) -> None:
    """Removes a model that was fetched as it is.

    Raises:
        HeadlightError: there is no such one, or the disk refuses.
    """
    model_here = next((it for it in fetched() if it.origin == model), None)
    if model_here is None:
        raise HeadlightError(
            "not_downloaded", f"{model} was not downloaded, so it is not removed", model=model
        )
    with storing(model_here.folder.parent):
        shutil.rmtree(model_here.folder)


def _shelf() -> Path:
    return downloads_folder() / ".guests"


def _read(folder: Path) -> AsItIs | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        facts = json.loads((folder / ORIGIN).read_text(encoding="utf-8"))
        return AsItIs(str(facts["origin"]), folder, str(facts["revision"]), str(facts["license"]))
    return None
