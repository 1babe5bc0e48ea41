"""Keeping a model that was taught: a checkpoint of its own, whose card says what it learnt."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import checkpoint
from ..checkpoint.importing.download import storing
from ..checkpoint.places import new_folder
from ..checkpoint.whole import staged_folder
from ..translator import Translator
from .correction import Correction

NO_LONGER = ("scores", "order", "origin")
"""What a card says of the model as it was."""


def keep(taught: Translator, correction: Correction, name: str) -> Path:
    """Saves a model that was taught; its weights are rounded to float16, as every checkpoint's.

    Args:
        taught: `Taught.translator`.
        correction: what it was taught.
        name: of the new checkpoint.
    Returns:
        Its folder.
    Raises:
        HeadlightError: `bad_name`, `name_taken`, `disk_full` or `cannot_store`; nothing is there.
    """
    folder = new_folder(name)
    loaded = replace(taught.loaded, name=name, card=_card(taught, correction))
    with storing(folder.parent), staged_folder(folder) as staging:
        checkpoint.save(staging, loaded)
    return folder


def _card(taught: Translator, correction: Correction) -> dict[str, Any]:
    card = {key: value for key, value in taught.card.items() if key not in NO_LONGER}
    title: dict[str, str] = card.get("title", {})
    added = {"en": "taught", "zh": "教过", "fr": "corrigé"}
    what = f"“{correction.source}” → “{correction.target}”"
    about = {
        "en": f"{taught.name}, taught {what} ({correction.how}).",
        "zh": f"教过 {what} 的 {taught.name}（{correction.how}）。",
        "fr": f"{taught.name}, corrigé : {what} ({correction.how}).",
    }
    titles = {lang: f"{text} · {added.get(lang, added['en'])}" for lang, text in title.items()}
    return {**card, "title": titles, "about": about}
