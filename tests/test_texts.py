"""Texts out of locale files: forms by number, and English where a language lacks one."""

import json
from pathlib import Path

import pytest

from transformer.texts import filled, texts_of

FOUND = {"by": "count", "one": "{count} head", "other": "{count} heads"}


def test_a_number_decides_the_form() -> None:
    assert [filled(FOUND, {"count": count}) for count in (0, 1, 2)] == [
        *("0 heads", "1 head", "2 heads"),
    ]
    french = {"by": "count", "zero": "one", "one": "{count} tête", "other": "{count} têtes"}
    assert [filled(french, {"count": count}) for count in (0, 1, 2)] == [
        *("0 tête", "1 tête", "2 têtes"),
    ]
    assert filled("{share} of {name}", {"share": 0.123456, "name": "L1H2"}) == "0.123 of L1H2"


def test_what_a_language_lacks_is_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locales = tmp_path / "spoken" / "locales"
    locales.mkdir(parents=True)
    (tmp_path / "spoken" / "__init__.py").touch()
    english = {"frame": {"title": "Report", "found": FOUND}, "codes": {"late": "It is late."}}
    french = {"frame": {"found": {"by": "count", "one": "une", "other": "des"}}}
    for language, texts in (("en", english), ("fr", french)):
        (locales / f"{language}.json").write_text(json.dumps(texts), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    read = texts_of("spoken", "fr")
    assert read["frame"] == {"title": "Report", "found": french["frame"]["found"]}
    assert read["codes"] == {"late": "It is late."}
    assert texts_of("spoken", "en") == english
