"""What the hub says of a model that is fetched as it is, whatever its family."""

import re
from dataclasses import dataclass
from typing import Any, cast

from ...errors import HeadlightError
from ..folder import CONFIG
from ..foreign_weights import PICKLED
from ..pickled import why_unread
from ..weights import INDEX, SHARD, WEIGHTS
from .errors import SECONDS, hub_errors, no_such_model
from .listing import File, Listing, api, files_of

NAME = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
TEXT = re.compile(r"[\w.-]+\.(json|txt|model|jinja)", re.ASCII)

PICKLED_SHARD = re.compile(r"pytorch_model-\d{5}-of-\d{5}\.bin", re.ASCII)

MOST_TEXT = 200_000_000
"""Bytes of a file that is no weights: a tokenizer is read whole."""


@dataclass(frozen=True)
class Whole(Listing):
    """A model as it is.

    Attributes:
        config: what the hub tells of its configuration: "model_type", "architectures".
        parameters: how many; 0 where it does not tell.
    """

    config: dict[str, Any]
    parameters: int = 0

    @property
    def weights_size(self) -> int:
        """Bytes of its weights alone."""
        return sum(it.size for it in self.files if not TEXT.fullmatch(it.name))


def look_up_whole(name: str) -> Whole:
    """Asks the hub what it has of a model: its configuration, tokenizer and weights.

    Raises:
        HeadlightError: there is no such model, it has no weights that are read here, or a file that
            no model needs; or the hub is out of reach.
    """
    if not NAME.fullmatch(name):
        raise no_such_model(name, "a name is an owner's and a model's, such as google-t5/t5-small")
    with hub_errors(name):
        info = api().model_info(name, files_metadata=True, timeout=SECONDS)
        files = files_of(info)
        config = cast(dict[str, Any], info.config if isinstance(info.config, dict) else {})
        sizes = getattr(info.safetensors, "total", 0) if info.safetensors else 0
    weights = _weights(files)
    if CONFIG not in files or not weights:
        raise _not_whole(name, f"it has no {CONFIG}, or neither {WEIGHTS} nor {PICKLED}")
    texts = [it for it in files.values() if TEXT.fullmatch(it.name)]
    if large := next((it for it in texts if it.size > MOST_TEXT), None):
        raise _not_whole(name, f"its file {large.name} has {large.size / 1e6:.0f} MB")
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
    )


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


def _not_whole(name: str, reason: str) -> HeadlightError:
    return HeadlightError(
        "not_whole", f"{name} cannot be opened: {reason}", model=name, reason=reason
    )
