"""Files that are whole or not there, however their writing ends."""

from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that a kill, or a full disk, leaves the earlier one as it was."""
    temporary = path.with_name(f".saving.{path.name}")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
