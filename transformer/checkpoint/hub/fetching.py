"""Files of a model, fetched piece by piece: a download can be watched, ended and resumed."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from ...errors import CheckpointError
from .errors import SECONDS, endpoint, hub_errors, unreachable
from .listing import File


def fetch(model: str, file: File, folder: Path, received: Callable[[int], None]) -> None:
    """Fetches a file into a folder, or what an earlier call has left of it to fetch.

    Args:
        model: its name on the hub.
        file: of the model.
        folder: on this machine.
        received: told how many bytes of the file are here, again and again; what it raises ends
            the download, and what is here stays.
    Raises:
        CheckpointError: what came is not the file that the hub announced.
        HeadlightError: the hub is out of reach, or has no such file any more.
    """
    target, part = folder / file.name, folder / f"{file.name}.part"
    if target.exists():
        if _is_announced(target, file):
            return
        target.unlink()
    here = part.stat().st_size if part.exists() else 0
    if here < file.size:
        with part.open("ab") as out, hub_errors(model):
            for piece in _pieces(model, file, here):
                if piece is None:  # the hub starts from the beginning
                    out.truncate(here := 0)
                    continue
                out.write(piece)
                here += len(piece)
                received(here)
                if here > file.size:
                    break
    else:
        part.touch()
    if here < file.size:
        raise unreachable(model, f"only {here} of {file.size} bytes of {file.name} came")
    if not _is_announced(part, file):
        part.unlink()
        raise CheckpointError(target, "damaged on its way here: fetch the model again")
    part.replace(target)


def _pieces(model: str, file: File, start: int) -> Iterator[bytes | None]:
    """The bytes of a file from `start` on; None first, if the hub sends the whole after all."""
    from huggingface_hub import get_session, hf_hub_url
    from huggingface_hub.utils import (
        build_hf_headers,  # pyright: ignore[reportUnknownVariableType]
        hf_raise_for_status,
    )

    url = hf_hub_url(model, file.name, revision=file.revision, endpoint=endpoint())
    # Compressed bytes could not be counted.
    headers = build_hf_headers() | {"Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    session = get_session()
    with session.stream("GET", url, headers=headers, timeout=SECONDS) as response:
        hf_raise_for_status(response)
        if start and response.status_code != 206:
            yield None
        yield from response.iter_bytes()  # as they come: nothing waits, or is lost with a buffer


def _is_announced(path: Path, file: File) -> bool:
    """Whether a file has the size and the content that the hub told of it."""
    if path.stat().st_size != file.size:
        return False
    if file.sha256:
        return _digest(path, hashlib.sha256()) == file.sha256
    # As `git hash-object` computes it.
    git = hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)
    return not file.blob or _digest(path, git) == file.blob


class _Hash(Protocol):
    def update(self, piece: bytes, /) -> object: ...
    def hexdigest(self) -> str: ...


def _digest(path: Path, digest: _Hash) -> str:
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
