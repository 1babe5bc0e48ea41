"""Where checkpoints are, and what they are called."""

import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from ..errors import HeadlightError
from ..trace.came_along import came_along, is_installation
from .folder import CONFIG

RESERVED = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³])(\..*)?", re.IGNORECASE)
"""What Windows takes for a device, whatever comes after the first dot."""

LONGEST = 200
"""Bytes of a name; file systems take 255, and something is added while a model is saved."""


def checkpoints_folder() -> Path:
    """Where the checkpoints are that came along: $HEADLIGHT_CHECKPOINTS, or the project's own."""
    return path_in("HEADLIGHT_CHECKPOINTS") or came_along("checkpoints")


def trained_folder() -> Path:
    """Where trained checkpoints go: where imported ones do, but for a clone that names no folder.

    There it is the project's own, whose models are trained so.
    """
    if is_installation() or path_in("HEADLIGHT_DATA"):
        return downloads_folder()
    return checkpoints_folder()


def downloads_folder() -> Path:
    """Where imported checkpoints go, which are nobody's to keep in a repository.

    $HEADLIGHT_CHECKPOINTS, which then is the one folder of all; or the user's data folder, which
    $HEADLIGHT_DATA can move.
    """
    if path_in("HEADLIGHT_CHECKPOINTS"):
        return checkpoints_folder()
    try:
        own = path_in("HEADLIGHT_DATA") or _data_folder() / "headlight"
    except RuntimeError:  # whoever runs this has no home
        return checkpoints_folder()
    return own / "checkpoints"


def _data_folder() -> Path:
    """Where the user's system keeps what programs have fetched for them."""
    if sys.platform == "win32":
        return path_in("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return path_in("XDG_DATA_HOME") or Path.home() / ".local" / "share"


def path_in(variable: str) -> Path | None:
    """The path that a variable of the environment names; None if it is not set, or empty.

    `~` and `$HOME` are not always the shell's to expand: in a service's unit, say, or for Docker.
    """
    text = os.environ.get(variable)
    return Path(os.path.expandvars(text)).expanduser() if text else None


def available() -> list[str]:
    """The names of the installed checkpoints, in alphabetical order.

    One whose name begins with `_` is loaded by who knows it, and listed nowhere.
    """
    return sorted(name for name in _installed() if not name.startswith("_"))


def is_installed(name: str) -> bool:
    """Whether there is a checkpoint of this name, listed or not."""
    return name in _installed()


def find(name_or_folder: str | Path) -> Path:
    """The folder of an installed checkpoint's name, or the folder itself.

    Raises:
        HeadlightError: there is neither.
    """
    name, installed = str(name_or_folder), _installed()
    if name in installed:
        return installed[name]
    with suppress(OSError):  # say, a name longer than the file system allows
        if Path(name_or_folder).is_dir():
            return Path(name_or_folder)
    names = ", ".join(available()) or "none"
    raise HeadlightError(
        "unknown_model", f"there is no model {name!r}; installed: {names}", model=name
    )


def check_name(name: str) -> None:
    """Refuses what is no folder's name on every system, or would be listed nowhere.

    Raises:
        HeadlightError: nothing can be called so.
    """
    fits = re.fullmatch(r"[^\W_]([\w.-]*[\w-])?", name) and len(name.encode()) <= LONGEST
    if not fits or RESERVED.fullmatch(name):
        raise HeadlightError("bad_name", f"a checkpoint cannot be called {name!r}", name=name)


def new_folder(name: str) -> Path:
    """Where an imported checkpoint of this name will be.

    Raises:
        HeadlightError: nothing can be called so, or something already is, whatever its case.
    """
    check_name(name)
    target = downloads_folder() / name
    if name.casefold() in map(str.casefold, _installed()) or _holds_something(target):
        raise HeadlightError(
            "name_taken",
            f"there already is a model {name}: choose another name for the import",
            name=name,
        )
    return target


def _holds_something(path: Path) -> bool:
    """Whether there is a file, or a folder that is not empty."""
    return path.exists() and not (path.is_dir() and not any(path.iterdir()))


def _installed() -> dict[str, Path]:
    """The folders of checkpoints by name; one that came along hides a download of its name."""
    folders = (downloads_folder(), checkpoints_folder())
    return {
        path.parent.name: path.parent for folder in folders for path in folder.glob(f"*/{CONFIG}")
    }
