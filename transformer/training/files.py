"""Files that are whole or not there, however a run ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from .errors import TrainingError


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that a kill, or a full disk, leaves the earlier one as it was."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turns what a full or forbidden disk raises into a sentence.

    Raises:
        TrainingError: instead of an OSError, or of safetensors' own.
    """
    try:
        yield
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TrainingError(
            f"cannot write to {folder}: {reason}. What was saved there before is whole: make "
            "room, and the same command goes on from it"
        ) from error
