"""Files of a guest: where they lie, how large they are, and whether they fit into memory."""

import json
import os
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any, cast

from ...checkpoint.hub.progress import Progress
from ...checkpoint.hub.whole import (
    MOST_TEXT,
    TEXT,
    look_up_whole,
    name_and_revision,
    width_of,
)
from ...checkpoint.importing.as_it_is import fetch_as_it_is, fetched
from ...checkpoint.weights import read_header
from ...errors import CheckpointError, GuestError, HeadlightError

WEIGHTS = (".safetensors", ".bin")
"""The first of which there is one."""

NO_WEIGHTS = ("training_args.bin", "optimizer.bin")
"""What a training leaves beside them."""

ROOM = 1.2
"""Memory of a model, as a multiple of its weights' bytes."""

WIDTHS = {"float32": 4, "float16": 2, "bfloat16": 2}
"""Bytes of a number, by what a model computes in."""

LICENSE = re.compile(r"^license:\s*([\w.-]+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Files:
    """A guest on this machine's disk.

    Attributes:
        folder: where they are.
        size: of its weights, in bytes.
        revision: of the Hub, its commit; empty of a folder of one's own.
        license: as its card names it; empty if it does not.
        width: bytes of a number as it is stored; 0 if nobody knows.
        dtype: what its configuration has it computed in; empty if it does not say.
    """

    folder: Path
    size: int
    revision: str = ""
    license: str = ""
    width: float = 0.0
    dtype: str = ""


def files_of(place: str, progress: Progress | None = None, dtype: str = "auto") -> Files:
    """The files of a model, fetched if they are not there.

    Args:
        place: the path of a folder, or a name on the Hub, NAME or NAME@REVISION.
        progress: told how far a download is; may cancel.
        dtype: what it is to be computed in.
    Raises:
        HeadlightError: there is no such model, it would not fit into memory, or the Hub is out of
            reach.
    """
    path = Path(place)
    if path.is_absolute():
        own = _in_folder(path)
        from_hub = next(iter(fetched(path)), None)
        if from_hub is None:
            return own
        return replace(own, revision=from_hub.revision, license=from_hub.license)
    if cached := _in_cache(place):
        return cached
    listing = look_up_whole(place)
    check_size(place, listing.weights_size, listing.width, dtype)
    return files_of(str(fetch_as_it_is(place, progress)))


def check_fits(name: str, files: Files, dtype: str = "auto") -> None:
    """Refuses what would not fit into memory beside all that is there, before it is read.

    Raises:
        HeadlightError: naming how much it needs, and how much is free.
    """
    check_size(name, files.size, files.width, files.dtype if dtype == "auto" else dtype)


def check_size(name: str, size: int, width: float = 0.0, dtype: str = "auto") -> None:
    """Refuses a model that is yet to be fetched and will not fit, by the size of its weights.

    Args:
        name: of the model.
        size: of its weights as they are stored, in bytes.
        width: bytes of one number of them; 0 if nobody knows.
        dtype: what it is to be computed in.
    Raises:
        HeadlightError: naming how much it needs, and how much is free.
    """
    grows = WIDTHS[dtype] / width if dtype in WIDTHS and width else 1.0
    free, needed = free_memory(), size * grows * ROOM
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
    bounds: list[int] = []
    with suppress(OSError, ValueError, IndexError):
        meminfo = Path("/proc/meminfo").read_text(encoding="ascii")
        bounds.append(1024 * int(meminfo.split("MemAvailable:")[1].split()[0]))
    with suppress(OSError, ValueError):  # of a container
        most = int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
        bounds.append(most - int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii")))
    if not bounds:
        with suppress(OSError, ValueError, AttributeError):
            bounds.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(bounds, default=None)


def _in_cache(name: str) -> Files | None:
    """What Python has fetched with Hugging Face's own library."""
    import huggingface_hub

    hub, (bare, revision) = cast(Any, huggingface_hub), name_and_revision(name)
    with suppress(OSError, ValueError):
        folder = Path(hub.snapshot_download(bare, revision=revision, local_files_only=True))
        files = _in_folder(folder)
        return replace(files, revision=folder.name) if files.size else None
    return None


def _in_folder(folder: Path) -> Files:
    try:
        sizes = {it.name: it.stat().st_size for it in folder.iterdir() if it.is_file()}
    except OSError as error:
        gone = f"{folder} is no longer there"
        raise GuestError(gone, "guest_gone", model=str(folder)) from error
    size, dtype = _checked(folder.name, sizes), _dtype(folder)
    return Files(folder, size, "", _license(folder), _width(folder, sizes, dtype), dtype)


def _dtype(folder: Path) -> str:
    """What a configuration says its weights are, in either of the names for it."""
    with suppress(OSError, ValueError):
        read: Any = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        config = cast(dict[str, Any], read if isinstance(read, dict) else {})
        dtype = str(config.get("dtype") or config.get("torch_dtype"))
        return dtype if dtype in WIDTHS else ""
    return ""


def _width(folder: Path, sizes: dict[str, int], dtype: str) -> float:
    """Bytes of a number of the weights; a pickle, which is not opened here, is as it says it is."""
    stored: Counter[str] = Counter()
    with suppress(CheckpointError):
        for name in sizes:
            if name.endswith(WEIGHTS[0]):
                for kind, shape in read_header(folder / name).values():
                    stored[kind] += prod(shape)
    return width_of(stored) or WIDTHS.get(dtype, 0.0)


def _weights(sizes: dict[str, int]) -> list[str]:
    for suffix in WEIGHTS:
        if files := [it for it in sizes if it.endswith(suffix) and it not in NO_WEIGHTS]:
            return files
    return []


def _checked(name: str, sizes: dict[str, int]) -> int:
    """The bytes of the weights.

    Raises:
        HeadlightError: another file is too large to be read.
    """
    for file, size in sizes.items():
        if TEXT.fullmatch(file) and size > MOST_TEXT:
            why = f"{name}: {file} has {size / 1e6:.0f} MB, which no model needs"
            raise GuestError(why, "guest_file", model=name, file=file)
    return sum(sizes[it] for it in _weights(sizes))


def _license(folder: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        head = (folder / "README.md").read_text(encoding="utf-8")[:4_000].split("---")
        if len(head) > 1 and (match := LICENSE.search(head[1])):
            return match[1]
    return ""
