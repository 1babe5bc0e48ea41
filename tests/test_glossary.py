"""One name for one thing: no text for people has another name of a term that the glossary lists."""

import re
from collections.abc import Iterator

import pytest

from tests.texts_for_people import HOLE, ROOT, pages, short_texts

COLUMNS = {"zh": (1, -2), "fr": (2, -1)}
"""Of a language in the glossary: its own names, and those that it does not use."""


def rows() -> list[list[str]]:
    lines = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table[2:]]


def names(cell: str) -> list[str]:
    """The names in a cell of the table."""
    return [] if cell == "–" else [name.strip() for name in re.split("、|, ", cell)]


def texts(language: str) -> Iterator[tuple[str, str]]:
    """Where a text of the language lies, and the text."""
    for where, text in short_texts(language):
        yield where, HOLE.sub("…", text)
    for page in pages(language):
        for line in page.read_text(encoding="utf-8").splitlines():
            yield str(page.relative_to(ROOT)), line


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
    faults = [
        (where, name, text[:60])
        for where, text in texts(language)
        if (name := other_name(quoted.sub("", text), own, others))
    ]
    assert faults == []


def test_another_name_is_found_within_words_but_not_within_names_of_ours() -> None:
    assert other_name("见模型卡片", ["模型卡片"], ["模型卡"]) is None
    assert other_name("见模型卡", ["模型卡片"], ["模型卡"]) == "模型卡"
    assert other_name("un modèle jouet", ["modèle jouet"], ["jouet"]) is None
    assert other_name("le jouet", ["modèle jouet"], ["jouet"]) == "jouet"
    assert other_name("des natsuités", [], ["nats"]) is None
