"""What people may read about an installed model, and which heads it calls representative."""

import json
from pathlib import Path
from typing import Any

from ..errors import CheckpointError
from ..trace.head_names import RepresentativeHead, read_representative_heads
from ..trace.kinds import KINDS, Kind, num_layers
from .folder import CONFIG, Checkpoint, read_config
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


def representative_heads_of(loaded: Checkpoint) -> dict[Kind, RepresentativeHead]:
    """The representative heads that a checkpoint's card names.

    Raises:
        CheckpointError: it names heads that are not there.
    """
    config = loaded.model.config
    sizes: dict[Kind, tuple[int, ...]] = {
        kind: (num_layers(config, kind), config.num_heads) for kind in KINDS
    }
    try:
        return read_representative_heads(loaded.card.get("heads", {}), sizes)
    except ValueError as error:
        raise CheckpointError(Path(loaded.name, CONFIG), str(error)) from error
