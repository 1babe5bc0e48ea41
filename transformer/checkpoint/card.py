"""Changing what people may read about a model that is installed."""

import json
from pathlib import Path
from typing import Any

from .folder import CONFIG, read_config
from .json_object import read_json


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Gives a checkpoint another card; its weights and its configuration stay.

    The file is complete before it takes the old one's place.

    Raises:
        CheckpointError: there is no checkpoint, or its configuration is broken.
    """
    read_config(folder)
    text = (
        json.dumps({**read_json(folder / CONFIG), "card": card}, ensure_ascii=False, indent=2)
        + "\n"
    )
    staging = folder / f".{CONFIG}.saving"
    staging.write_text(text, encoding="utf-8")
    staging.replace(folder / CONFIG)
