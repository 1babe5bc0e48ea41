"""Where a guest's files lie, how large they are, and whether they fit into memory."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checkpoint.hub.errors import SECONDS, endpoint, hub_errors
from ..checkpoint.hub.whole import MOST_TEXT
from ..checkpoint.importing.as_it_is import fetched
from ..errors import HeadlightError

WEIGHTS = (".safetensors", ".bin")
"""The first of which there is one."""

TEXTS = ("*.json", "*.txt", "*.model", "*.jinja", "README.md")
ROOM = 1.2
"""Of the bytes of its weights, what a model takes in memory."""

LICENSE = re.compile(r"^license:\s*([\w.-]+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Files:
    """A guest on this machine's disk.

    Attributes:
        folder: where they are.
        size: of its weights, in bytes.
        revision: of the Hub, its commit; empty of a folder of one's own.
        license: as its card names it; empty if it does not.
    """

    folder: Path
    size: int
    revision: str = ""
    license: str = ""


def files_of(place: str) -> Files:
    """The files of a model, fetched if they are not there.

    Args:
        place: the path of a folder, or a name on the Hub.
    Raises:
        HeadlightError: there is no such model, or the Hub is out of reach.
    """
    path = Path(place)
    if path.is_absolute():
        sizes = {it.name: it.stat().st_size for it in path.iterdir() if it.is_file()}
        size = _checked(place, sizes)
        if found := fetched(path):
            return Files(path, size, found[0].revision, found[0].license)
        return Files(path, size, "", _license(path))
    return _of_the_hub(place)


def check_fits(name: str, files: Files) -> None:
    """Refuses what would not fit into memory beside all that is there, before it is read.

    Raises:
        HeadlightError: naming how much it needs, and how much is free.
    """
    check_size(name, files.size)


def check_size(name: str, size: int) -> None:
    """The same of what is not yet there, by the size of its weights.

    Raises:
        HeadlightError: naming how much it needs, and how much is free.
    """
    free, needed = free_memory(), size * ROOM
    if free is not None and needed > free:
        raise HeadlightError(
            "guest_too_large",
            f"{name} needs {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free.",
            model=name,
            needed=f"{needed / 1e9:.1f}",
            free=f"{free / 1e9:.1f}",
        )


def free_memory() -> int | None:
    """Bytes that this process may still take; None where nobody tells."""
    found: list[int] = []
    with suppress(OSError, ValueError, IndexError):
        told = Path("/proc/meminfo").read_text(encoding="ascii")
        found.append(1024 * int(told.split("MemAvailable:")[1].split()[0]))
    with suppress(OSError, ValueError):  # of a container
        most = int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
        found.append(most - int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii")))
    if not found:
        with suppress(OSError, ValueError, AttributeError):
            found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found, default=None)


def _of_the_hub(name: str) -> Files:
    from huggingface_hub import HfApi, snapshot_download

    patterns: list[str] = [*TEXTS]
    sha = license = ""
    size = 0
    asked: dict[str, Any] = {"endpoint": endpoint()}
    try:
        with hub_errors(name):
            info: Any = HfApi(**asked).model_info(name, files_metadata=True, timeout=SECONDS)
            sizes = {it.rfilename: it.size or 0 for it in info.siblings or ()}
            sha, license = str(info.sha), getattr(info.card_data, "license", "") or ""
        size = _checked(name, sizes)
        check_size(name, size)
        patterns += _weights(sizes)
    except HeadlightError as error:
        if error.code != "hub_unreachable":
            raise
        # Whoever is offline has what was fetched before.
        try:
            folder = Path(snapshot_download(name, local_files_only=True))
            sizes = {it.name: it.stat().st_size for it in folder.iterdir() if it.is_file()}
            return Files(folder, _checked(name, sizes), folder.name, _license(folder))
        except OSError:
            raise error from None
    with hub_errors(name):
        told: dict[str, Any] = {"revision": sha, "allow_patterns": patterns}
        folder = Path(snapshot_download(name, **told, **asked))
    return Files(folder, size, sha, license if isinstance(license, str) else "")


def _weights(sizes: dict[str, int]) -> list[str]:
    for suffix in WEIGHTS:
        if found := [it for it in sizes if it.endswith(suffix) and "/" not in it]:
            return [it for it in found if not it.startswith(("training_args", "optimizer"))]
    return []


def _checked(name: str, sizes: dict[str, int]) -> int:
    """The bytes of the weights.

    Raises:
        HeadlightError: another file is too large to be read.
    """
    for file, size in sizes.items():
        text = file.endswith((".json", ".txt", ".model", ".jinja")) and "/" not in file
        if text and size > MOST_TEXT:
            raise HeadlightError(
                "guest", f"{name}: {file} has {size / 1e6:.0f} MB, which no model needs"
            )
    return sum(sizes[it] for it in _weights(sizes))


def _license(folder: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        head = (folder / "README.md").read_text(encoding="utf-8")[:4_000].split("---")
        if len(head) > 1 and (found := LICENSE.search(head[1])):
            return found[1]
    return ""
