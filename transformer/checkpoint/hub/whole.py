"""What the hub says of a model that is fetched as it is, whatever its family."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ...errors import GuestError
from ..folder import CONFIG
from ..foreign_weights import PICKLED
from ..pickled import why_unread
from ..weights import INDEX, SHARD, WEIGHTS
from .errors import SECONDS, hub_errors, no_such_model
from .listing import File, Listing, api, files_of

NAME = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
REVISION = re.compile(r"\w[\w./-]{0,99}", re.ASCII)
TEXT = re.compile(r"[\w.-]+\.(json|txt|model|jinja)", re.ASCII)

PICKLED_SHARD = re.compile(r"pytorch_model-\d{5}-of-\d{5}\.bin", re.ASCII)

MOST_TEXT = 200_000_000
"""Bytes of a file that is no weights: a tokenizer is read whole."""

WIDTHS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
"""Bytes of a number, by what safetensors calls its type."""


@dataclass(frozen=True)
class Whole(Listing):
    """A model as it is.

    Attributes:
        config: what the hub tells of its configuration: "model_type", "architectures".
        parameters: how many; 0 where it does not tell.
        width: bytes of one of them, as they are stored; 0 where it does not tell.
    """

    config: dict[str, Any]
    parameters: int = 0
    width: float = 0.0

    @property
    def weights_size(self) -> int:
        """Bytes of its weights alone."""
        return sum(it.size for it in self.files if not TEXT.fullmatch(it.name))


def name_and_revision(text: str) -> tuple[str, str | None]:
    """A model's name, and what stands behind its @: a branch, a tag or a commit."""
    name, _, revision = text.partition("@")
    return name, revision or None


def look_up_whole(text: str) -> Whole:
    """Asks the hub what it has of a model: its configuration, tokenizer and weights.

    Args:
        text: its name, or NAME@REVISION.
    Raises:
        HeadlightError: there is no such model, it has no weights that are read here, or a file that
            no model needs; or the hub is out of reach.
    """
    name, revision = name_and_revision(text)
    if not NAME.fullmatch(name):
        raise no_such_model(text, "a name is an owner's and a model's, such as google-t5/t5-small")
    if revision is not None and not REVISION.fullmatch(revision):
        raise no_such_model(text, "behind the @ stands a branch, a tag or a commit")
    with hub_errors(text):
        info = api().model_info(name, revision=revision, files_metadata=True, timeout=SECONDS)
        files = files_of(info)
        config = cast(dict[str, Any], info.config if isinstance(info.config, dict) else {})
        sizes = getattr(info.safetensors, "total", 0) if info.safetensors else 0
        stored = getattr(info.safetensors, "parameters", None) if info.safetensors else None
    weights = _weights(files)
    if CONFIG not in files:
        raise GuestError(f"{name} has no {CONFIG}", "guest_file", model=name, file=CONFIG)
    if not weights:
        why = f"{name} has neither {WEIGHTS} nor {PICKLED} that could be read"
        raise GuestError(why, "guest_weights", model=name)
    texts = [it for it in files.values() if TEXT.fullmatch(it.name)]
    if large := next((it for it in texts if it.size > MOST_TEXT), None):
        why = f"{name}: its file {large.name} has {large.size / 1e6:.0f} MB"
        raise GuestError(why, "guest_file", model=name, file=large.name)
    license = getattr(info.card_data, "license", "")
    license = license if isinstance(license, str) else ""
    parameters = sizes if isinstance(sizes, int) else 0
    return Whole(
        name,
        str(info.sha),
        license,
        (*texts, *(it for it in weights if it not in texts)),
        config,
        parameters,
        width_of(stored or {}),
    )


def width_of(stored: Mapping[str, int]) -> float:
    """Bytes of a number, in the mean over how many there are of each type; 0 if nobody knows."""
    counts = {name: count for name, count in stored.items() if name in WIDTHS}
    count = sum(counts.values())
    return sum(WIDTHS[name] * it for name, it in counts.items()) / count if count else 0.0


def _weights(files: dict[str, File]) -> list[File]:
    if WEIGHTS in files:
        return [files[WEIGHTS]]
    if INDEX in files:
        return [files[INDEX], *(it for name, it in sorted(files.items()) if SHARD.fullmatch(name))]
    if why_unread():
        return []
    shards = [it for name, it in sorted(files.items()) if PICKLED_SHARD.fullmatch(name)]
    index = f"{PICKLED}{INDEX.removeprefix(WEIGHTS)}"
    return [files[PICKLED]] if PICKLED in files else shards if index in files else []
