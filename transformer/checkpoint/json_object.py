"""Files that hold one JSON object, as people and other programs write them."""

import json
from pathlib import Path
from typing import Any, cast

from ..errors import CheckpointError


def read_json(path: Path, optional: bool = False) -> dict[str, Any]:
    """A JSON object; an optional file that is missing is an empty one.

    Raises:
        CheckpointError: the file is missing, or holds something else.
    """
    if optional and not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(path, "the file is missing or cannot be read") from error
    except (ValueError, RecursionError) as error:
        raise CheckpointError(path, f"not JSON ({error})") from error
    if not isinstance(content, dict):
        raise CheckpointError(path, "it must be a JSON object")
    return cast(dict[str, Any], content)
