"""Files and folders that are whole or not there, however their writing ends: by a kill, a full disk
or a power cut. What takes a place is on the disk before it does.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .alone import alone

SAVING, LOCK = ".saving", ".saving.lock"


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file, or leaves the earlier one as it was."""
    temporary = path.with_name(f"{SAVING}.{path.name}")
    try:
        temporary.write_bytes(content)
        _sync(temporary)
        temporary.replace(path)
        _sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def staged_files(folder: Path) -> Iterator[Path]:
    """An empty folder within `folder`, for files that `put` moves there once all are written.

    Raises:
        BlockingIOError: somebody else is saving into `folder`.
    """
    place = folder / SAVING
    with alone(folder / LOCK):
        shutil.rmtree(place, ignore_errors=True)  # a killed one's
        place.mkdir()
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)


def put(place: Path, folder: Path, names: Iterable[str]) -> None:
    """Moves files of `place` into `folder`, in this order, each in the place of the earlier one."""
    names = [*names]
    for name in names:
        _sync(place / name)
    for name in names:
        (place / name).replace(folder / name)
    _sync_folder(folder)
    _sync_folder(folder.parent)  # which may have it since a moment


@contextmanager
def staged_folder(target: Path) -> Iterator[Path]:
    """An empty folder that becomes `target` at the end, in the place of an earlier one.

    An error leaves all as it was. So does a kill, but for a hidden folder beside the target, which
    the next one of this name takes away.

    Raises:
        BlockingIOError: somebody else is writing this folder.
    """
    place = target.with_name(f".{target.name}{SAVING}")
    new, before = place / "new", place / "before"

    def clear() -> None:
        if before.exists() and not target.exists():  # killed in between
            before.rename(target)
        shutil.rmtree(place, ignore_errors=True)

    target.parent.mkdir(parents=True, exist_ok=True)
    with alone(target.with_name(f".{target.name}{LOCK}")):
        clear()
        new.mkdir(parents=True)
        try:
            yield new
            _sync_all(new)
            if target.exists():
                target.rename(before)
            new.rename(target)
            _sync_folder(target.parent)
        finally:
            clear()


def _sync_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            _sync_folder(path)
        else:
            _sync(path)


def _sync(path: Path) -> None:
    """Waits until a file's content is on the disk, and no longer in the system's memory alone."""
    with path.open("rb+") as file:  # Windows wants a file that can be written
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    """Has the disk keep a folder's names, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
