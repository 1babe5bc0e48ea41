"""Changing what people may read about a model that is installed."""

import json
from pathlib import Path
from typing import Any

from .folder import CONFIG, read_config


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Gives a checkpoint another card; its weights and its configuration stay.

    The file is complete before it takes the old one's place.

    Raises:
        CheckpointError: there is no checkpoint, or its configuration is broken.
    """
    read_config(folder)
    content = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    text = json.dumps({**content, "card": card}, ensure_ascii=False, indent=2) + "\n"
    staging = folder / f".{CONFIG}.saving"
    staging.write_text(text, encoding="utf-8")
    staging.replace(folder / CONFIG)
