"""One name for one thing: no text for people has another name of a term that the glossary lists."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
LOCALES = ("assets/locales", "transformer/checker/locales", "transformer/course/locales")
COLUMNS = {"zh": (1, -2), "fr": (2, -1)}
"""Of a language in the glossary: its own names, and those that it does not use."""


HOLE = re.compile(r"\{\w+\}")


def rows() -> list[list[str]]:
    lines = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table[2:]]


def names(cell: str) -> list[str]:
    """The names in a cell of the table."""
    return [] if cell == "–" else [name.strip() for name in re.split("、|, ", cell)]


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    else:
        parts: list[Any] = list(value.values()) if isinstance(value, dict) else list(value)
        for part in parts:
            yield from strings(part)


def texts(language: str) -> Iterator[tuple[str, str]]:
    """Where a text of the language lies, and the text."""
    for folder in LOCALES:
        file = ROOT / folder / f"{language}.json"
        for text in strings(json.loads(file.read_text(encoding="utf-8"))):
            yield str(file.relative_to(ROOT)), HOLE.sub("…", text)
    sheet = json.loads((ROOT / "scripts/worksheet.json").read_text(encoding="utf-8"))
    for text in strings(sheet[language]):
        yield "scripts/worksheet.json", text
    pages = [*ROOT.glob(f"README.{language}.md"), *ROOT.glob(f"docs/*.{language}.md")]
    pages += ROOT.glob(f"checkpoints/*/README.{language}.md")
    for page in pages:
        for line in page.read_text(encoding="utf-8").splitlines():
            yield str(page.relative_to(ROOT)), line
    for config in ROOT.glob("checkpoints/*/config.json"):
        card = json.loads(config.read_text(encoding="utf-8"))["card"]
        for field in ("title", "about", "action"):
            if language in card.get(field, {}):
                yield str(config.relative_to(ROOT)), card[field][language]


def other_name(text: str, own: list[str], others: list[str]) -> str | None:
    """A name in the text that the glossary rules out; one within a name of ours is ours."""
    for name in own:
        text = re.sub(rf"\b{name}\b" if name.isascii() else re.escape(name), "…", text)
    for name in others:
        # A Chinese word has no edges that a pattern could see, a French one does.
        edge = "" if re.search(r"[\u4e00-\u9fff]", name) else r"\b"
        if re.search(rf"{edge}{re.escape(name)}{edge}", text):
            return name
    return None


def test_the_table_has_a_name_in_each_language_and_rules_none_of_ours_out() -> None:
    table = rows()
    assert len(table) > 40
    assert all(len(row) == 9 for row in table)
    assert all(names(row[column]) for row in table for column in range(3))
    for ours, not_ours in COLUMNS.values():
        used = {name for row in table for name in names(row[ours])}
        assert used.isdisjoint(name for row in table for name in names(row[not_ours]))


@pytest.mark.parametrize("language", COLUMNS)
def test_no_text_has_another_name_of_a_listed_term(language: str) -> None:
    ours, not_ours = COLUMNS[language]
    own = sorted({name for row in rows() for name in names(row[ours])}, key=len, reverse=True)
    # "Un token (ou « jeton »)" says once what else it is called.
    quoted = re.compile("«\u202fjeton\u202f»")
    others = [name for row in rows() for name in names(row[not_ours])]
    found = [
        (where, name, text[:60])
        for where, text in texts(language)
        if (name := other_name(quoted.sub("", text), own, others))
    ]
    assert found == []


def test_another_name_is_found_within_words_but_not_within_names_of_ours() -> None:
    assert other_name("见模型卡片", ["模型卡片"], ["模型卡"]) is None
    assert other_name("见模型卡", ["模型卡片"], ["模型卡"]) == "模型卡"
    assert other_name("un modèle jouet", ["modèle jouet"], ["jouet"]) is None
    assert other_name("le jouet", ["modèle jouet"], ["jouet"]) == "jouet"
    assert other_name("des natsuités", [], ["nats"]) is None
