"""Files that hold one JSON object, as people and other programs write them."""

import json
from pathlib import Path
from typing import Any, cast

from ..errors import CheckpointError

MOST = 100_000_000
"""Bytes of a file that is read at once; vocabularies have a few million."""


def read_regular(path: Path) -> bytes:
    """The content of a file that is one: no pipe, which is waited for, and no device, which never
    ends, even where a link leads to it.

    Raises:
        OSError: it is missing, none, or larger than anybody writes.
    """
    if not path.is_file() or path.stat().st_size > MOST:
        raise OSError(f"{path} is no file that can be read")
    return path.read_bytes()


def read_json(path: Path, optional: bool = False) -> dict[str, Any]:
    """A JSON object; an optional file that is missing is an empty one.

    Raises:
        CheckpointError: the file is missing, or holds something else.
    """
    if optional and not path.exists():
        return {}
    try:
        content = json.loads(read_regular(path).decode())
    except OSError as error:
        raise CheckpointError(path, "the file is missing or cannot be read") from error
    except (ValueError, RecursionError) as error:
        raise CheckpointError(path, f"not JSON ({error})") from error
    if not isinstance(content, dict):
        raise CheckpointError(path, "it must be a JSON object")
    return cast(dict[str, Any], content)
