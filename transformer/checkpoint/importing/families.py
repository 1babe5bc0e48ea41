"""The families of models that can be imported: a row each, and all that is known of it in it."""

from pathlib import Path

from ...errors import CheckpointError
from ..family import Family
from ..folder import CONFIG
from ..hub.listing import Listing, look_up
from ..json_object import read_json
from ..marian import MARIAN
from ..other_forms import check_form

FAMILIES = {"marian": MARIAN}
"""Families by what Hugging Face's config.json calls `model_type`."""


def family_of(folder: Path) -> Family:
    """The family of the model in a folder.

    Raises:
        CheckpointError: its config.json is missing or broken, or describes another type of model.
    """
    check_form(folder)
    kind = read_json(folder / CONFIG).get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        names = " or ".join(map(repr, FAMILIES))
        raise CheckpointError(
            folder / CONFIG, f"it describes a model of type {kind!r}, not {names}"
        )
    return FAMILIES[kind]


def offered(name: str, revision: str | None = None) -> Listing:
    """What the hub has of a model that can be imported: see `look_up`."""
    return look_up(name, {kind: family.files for kind, family in FAMILIES.items()}, revision)
