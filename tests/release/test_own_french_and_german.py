"""The French and German lines of our own are written as each language is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "corpora"
LANGUAGES = {
    "phrases": ("en", "zh", "fr", "de"),
    "everyday-fr-de": ("en", "fr", "de"),
    "class-fr-de": ("en", "fr", "de"),
    "patterns-en-fr": ("en", "fr"),
    "patterns-en-fr-more": ("en", "fr"),
    "patterns-en-de": ("en", "de"),
    "terms-en-fr-de": ("en", "fr", "de"),
    "it-en-fr-de": ("en", "fr", "de"),
    "names-en-fr-de": ("en", "fr", "de"),
    "names-en-de": ("en", "de"),
}
"""What stands in each file, column by column."""

KEPT = re.compile(r"https?://\S+|\S+@\S+|\d:\d\d|[:;][()]|print\(.*\)")
"""Addresses, times of day, smileys and code keep their own punctuation."""

FAULTS = {
    "fr": (
        r"[^\s?!][?!;:]",  # a space stands before each of these
        r"«(?! )|(?<! )»",  # and inside of quotation marks
        r'"',
        r"[„“”’]",
        r"\b(?<!-)(?:[JjNnMmTtSsDd]e|[Qq]ue|[Ll][ae]) [AEaeéêâî]\w",  # an elision was missed
    ),
    "de": (
        r" [?!;:,](?!\S)",  # no space stands before any of these
        r'"',
        r"[«»”’]",
    ),
}
"""What neither language would print."""


def columns(name: str, language: str) -> list[str]:
    place = LANGUAGES[name].index(language)
    lines = (ROOT / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[place] for line in lines]


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_line_has_its_languages(name: str) -> None:
    lines = (ROOT / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    width = len(LANGUAGES[name])
    assert [line for line in lines if len(line.split("\t")) != width] == []
    assert [line for line in lines if line.split("\t") != line.strip().split("\t")] == []
    assert [line for line in lines if not all(line.split("\t"))] == []
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize(
    ("name", "language"),
    [(name, one) for name, all_of in LANGUAGES.items() for one in all_of if one in FAULTS],
)
def test_it_is_written_as_its_language_is(name: str, language: str) -> None:
    text = KEPT.sub("", "\n".join(columns(name, language)))
    for fault in FAULTS[language]:
        match = re.search(f"{fault}.*", text)
        assert match is None, match
    opening, closing = {"fr": "«»", "de": "„“"}[language]
    lines = text.split("\n")
    assert [line for line in lines if line.count(opening) != line.count(closing)] == []


@pytest.mark.parametrize(
    "name",
    ["class-fr-de", "patterns-en-fr-more", "patterns-en-de", "terms-en-fr-de", "it-en-fr-de"],
)
def test_a_sentence_has_one_translation(name: str) -> None:
    sources = columns(name, "en")
    assert len(set(sources)) == len(sources)
