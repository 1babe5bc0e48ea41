"""Guests as they are named: a folder, or a name on the Hub, and what their configuration tells."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...checkpoint.hub.whole import name_and_revision
from ...errors import GuestError
from ...trace.guest import Form

EXAMPLES: Mapping[Form, tuple[str, ...]] = {
    "decoder": ("The keys to the cabinet are on the", "Once upon a time, there was a"),
    "encoder": ("The bank of the river was muddy.", "She put the money in the bank."),
    "encoder-decoder": ("The house is wonderful.", "I love you."),
}


@dataclass(frozen=True)
class Named:
    """A guest that somebody has named.

    Attributes:
        name: on the page and in addresses; of a folder its last part.
        place: what is loaded: the path of a folder, or a name on the Hub, with its @REVISION.
        own: whether it is a folder that somebody has named.
        revision: of one that was fetched here, its commit; else empty.
    """

    name: str
    place: str
    own: bool = False
    revision: str = ""


def is_path(text: str) -> bool:
    """Whether a text can be no name on the Hub."""
    return text.startswith((".", "/", "~")) or "\\" in text or Path(text).is_absolute()


def place_of(text: str) -> str:
    """What is loaded of what somebody has named: the path of a folder, or a name on the Hub.

    Raises:
        HeadlightError: it is a folder without a model, or nothing at all.
    """
    path = Path(text).expanduser()
    if is_path(text) or ("/" not in text and path.is_dir()):
        if not path.is_dir():
            raise GuestError(f"{text}: there is no such folder", "guest_gone", model=text)
        if not (path / "config.json").is_file():
            why = f"{text}: this folder has no config.json, and no model"
            raise GuestError(why, "guest_file", model=path.name, file="config.json")
        return str(path.resolve())
    return text


def described(named: Named) -> dict[str, Any]:
    """A guest for the page's picker, as far as it is known before it is loaded."""
    config = config_of(named)
    form = form_of(config)
    return {
        "name": named.name,
        "title": {"en": named.name},
        "examples": list(EXAMPLES[form]),
        "language_codes": [],
        "decoder_only": form == "decoder",
        "has_card": True,
        "guest": {"form": form, "folder": named.own},
    }


def config_of(named: Named) -> dict[str, Any]:
    """A model's configuration, as far as it is on this machine."""
    with suppress(OSError, ValueError):
        if Path(named.place).is_absolute():
            path: Any = Path(named.place, "config.json")
        else:
            from huggingface_hub import try_to_load_from_cache

            name, revision = name_and_revision(named.place)
            path = try_to_load_from_cache(name, "config.json", revision=revision)
        if isinstance(path, str | Path):
            config: Any = json.loads(Path(path).read_text(encoding="utf-8"))
            return dict(config) if isinstance(config, dict) else {}  # pyright: ignore[reportUnknownArgumentType]
    return {}


def form_of(config: Mapping[str, Any]) -> Form:
    """The towers that a configuration tells of; loading the model says what it is."""
    if config.get("is_encoder_decoder"):
        return "encoder-decoder"
    names = str(config.get("architectures") or "")
    if any(part in names for part in ("ConditionalGeneration", "Seq2Seq", "MTModel")):
        return "encoder-decoder"
    if any(part in names for part in ("CausalLM", "LMHeadModel")) or not names:
        return "decoder"
    return "encoder"
