"""Every text for people in a language: page, checker, course, worksheet, cards, Markdown."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCALES = ("assets/locales", "transformer/checker/locales", "transformer/course/locales")
HOLE = re.compile(r"\{\w+\}")


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif value is not None:
        parts: list[Any] = list(value.values()) if isinstance(value, dict) else list(value)
        for part in parts:
            yield from strings(part)


def short_texts(language: str) -> Iterator[tuple[str, str]]:
    """Where a text of the locale files, the worksheet or a model's card lies, and the text."""
    for folder in LOCALES:
        file = ROOT / folder / f"{language}.json"
        for text in strings(json.loads(file.read_text(encoding="utf-8"))):
            yield str(file.relative_to(ROOT)), text
    sheet = json.loads((ROOT / "scripts/worksheet.json").read_text(encoding="utf-8"))
    for text in strings(sheet[language]):
        yield "scripts/worksheet.json", text
    for config in ROOT.glob("checkpoints/*/config.json"):
        card = json.loads(config.read_text(encoding="utf-8"))["card"]
        for field in ("title", "about", "action"):
            if language in card.get(field, {}):
                yield str(config.relative_to(ROOT)), card[field][language]


def pages(language: str) -> list[Path]:
    """The pages of Markdown in a language other than English."""
    places = (
        f"README.{language}.md",
        f"docs/*.{language}.md",
        f"checkpoints/*/README.{language}.md",
    )
    return [page for place in places for page in sorted(ROOT.glob(place))]


def prose(page: Path) -> Iterator[str]:
    """The lines of a page, without those of its code and without what only a machine reads."""
    fenced = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.strip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>|https?://\S+", "`", line)
