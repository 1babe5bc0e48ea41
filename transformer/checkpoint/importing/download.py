"""Models of the hub on this machine: fetched, installed beside those that came along, removed.

    DOWNLOADS/NAME/                       an installed checkpoint
              .guests/OWNER--MODEL/       a model as its makers saved it (as_it_is.py)
              .downloads/OWNER--MODEL/…  what is being fetched, or was left half fetched

Every function may be called from any thread.
"""

import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ...errors import CheckpointError, HeadlightError
from ..alone import alone
from ..folder import read_card
from ..hub.fetching import fetch
from ..hub.listing import File, Listing
from ..hub.progress import Progress
from ..places import available, downloads_folder, find, new_folder
from .convert import install
from .families import family_of, offered

OFFERED = (
    *("Helsinki-NLP/opus-mt-en-zh", "Helsinki-NLP/opus-mt-zh-en"),
    *("Helsinki-NLP/opus-mt-en-fr", "Helsinki-NLP/opus-mt-fr-en"),
    *("Helsinki-NLP/opus-mt-en-de", "Helsinki-NLP/opus-mt-de-en"),
    *("Helsinki-NLP/opus-mt-en-es", "Helsinki-NLP/opus-mt-es-en"),
    *("Helsinki-NLP/opus-mt-en-ru", "Helsinki-NLP/opus-mt-ru-en"),
    "Helsinki-NLP/opus-mt-en-ROMANCE",
)
"""What the page proposes; any other of a known family can be given. The last is multilingual."""


def download(
    model: str, name: str = "", revision: str | None = None, progress: Progress | None = None
) -> Path:
    """Fetches a model of the hub, or what is left of it to fetch, and installs it as a checkpoint.

    Args:
        model: on the hub, such as Helsinki-NLP/opus-mt-en-zh.
        name: of the checkpoint; by default the last part of `model`.
        revision: on the hub: a branch, a commit or a pull request ("refs/pr/1").
        progress: told how far it is; may cancel.
    Returns:
        The checkpoint's folder.
    Raises:
        HeadlightError: `bad_name`, `name_taken`, `no_such_model`, `unknown_family`,
            `hub_unreachable`, `disk_full`, `cannot_store`, `download_cancelled`, `download_running`
            or `broken_checkpoint`; the sentence says more.
    """
    progress = progress or Progress()
    name = name or model.rpartition("/")[2]
    target = new_folder(name)
    with storing(target.parent):
        progress.set("asking")
        listing = offered(model, revision)
        parts = downloads_folder() / ".downloads" / listing.name.replace("/", "--")
        with alone_with(listing.name, parts):
            new_folder(name)  # another process may have been faster
            with _of_use(parts):
                folder = parts / listing.weights.revision

                def look(file: File) -> None:
                    # The rest may tell that the weights are in vain.
                    if file == listing.weights:
                        family_of(folder).config(folder)

                # It lies there twice until what was fetched is deleted.
                fetch_all(listing, folder, progress, copies=2, before=look)
                progress.set("installing")
                facts = {"origin": listing.name, "license": listing.license}
                install(folder, target, listing.name, facts)
            shutil.rmtree(parts, ignore_errors=True)
        progress.set("done")
    return target


def remove(name: str) -> None:
    """Removes a checkpoint that was downloaded; one that came along or was trained here stays.

    Raises:
        HeadlightError: there is no such checkpoint, or it was not downloaded.
    """
    folder = find(name) if name in available() else None
    if folder is None or not is_downloaded(folder):
        raise HeadlightError(
            "not_downloaded", f"{name} was not downloaded, so it is not removed", model=name
        )
    with storing(folder.parent):
        shutil.rmtree(folder)


def is_downloaded(folder: Path) -> bool:
    """Whether a checkpoint came from the hub, and so can be fetched again."""
    if folder.parent != downloads_folder():
        return False
    try:
        return bool(read_card(folder).get("origin"))
    except HeadlightError:
        return False


@contextmanager
def _of_use(parts: Path) -> Iterator[None]:
    """Keeps what was fetched, for the next call to go on with, unless it is no use."""
    try:
        yield
    except CheckpointError:
        shutil.rmtree(parts, ignore_errors=True)
        raise


def fetch_all(
    listing: Listing,
    folder: Path,
    progress: Progress,
    *,
    copies: int,
    before: Callable[[File], object] = lambda _: None,
) -> None:
    """Fetches into a folder what is not there yet, the weights last.

    Args:
        listing: of the model.
        folder: called as its state is; what lies beside it is of others, and goes.
        progress: told how far it is.
        copies: how often it will lie on the disk.
        before: called before each file.
    """
    for other in folder.parent.glob("*"):
        if other != folder:  # of another state of the model
            shutil.rmtree(other, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    here = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    needed = copies * listing.size - here
    if (free := shutil.disk_usage(folder).free) < needed:
        raise _disk_full(folder, needed, free)
    done = 0
    for file in listing.files:
        before(file)
        fetch(
            listing.name,
            file,
            folder,
            lambda received, here=done: progress.set("fetching", here + received, listing.size),
        )
        progress.set("fetching", done := done + file.size, listing.size)


@contextmanager
def alone_with(model: str, parts: Path) -> Iterator[None]:
    """Two downloads of a model would write into one file, be they of one process or of two."""
    parts.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        try:
            held.enter_context(alone(parts.with_name(f"{parts.name}.lock")))
        except BlockingIOError as error:
            raise HeadlightError(
                "download_running", f"{model} is already being downloaded", model=model
            ) from error
        yield


@contextmanager
def storing(folder: Path) -> Iterator[None]:
    """Says what the disk refuses in one sentence.

    Raises:
        HeadlightError: `disk_full` or `cannot_store`, instead of an OSError.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full(folder, 0, 0) from error
        reason = error.strerror or str(error)
        raise HeadlightError(
            "cannot_store",
            f"nothing can be stored in {folder}: {reason}",
            folder=str(folder),
            reason=reason,
        ) from error


def _disk_full(folder: Path, needed: int, free: int) -> HeadlightError:
    sizes = f": {needed / 1e6:.0f} MB are needed and {free / 1e6:.0f} MB are free" if needed else ""
    return HeadlightError(
        "disk_full", f"the disk that holds {folder} is too full{sizes}", folder=str(folder)
    )
