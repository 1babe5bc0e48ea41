"""Changing what people may read about a model that is installed."""

import json
from pathlib import Path
from typing import Any

from .folder import CONFIG, read_config
from .json_object import read_json
from .whole import write_whole


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Gives a checkpoint another card; its weights and its configuration stay.

    Raises:
        CheckpointError: there is no checkpoint, or its configuration is broken.
    """
    read_config(folder)
    text = json.dumps({**read_json(folder / CONFIG), "card": card}, ensure_ascii=False, indent=2)
    write_whole(folder / CONFIG, f"{text}\n".encode())
