"""Texts for people out of files beside a room's modules: JSON, one a language, and whole pages."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, Literal, cast, get_args

Language = Literal["en", "zh", "fr"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

Value = str | int | float


def template(package: str, name: str) -> Template:
    """A page of a package's folder `pages`, with a `$hole` for each of its parts."""
    return Template((files(package) / "pages" / name).read_text(encoding="utf-8"))


@cache
def texts_of(package: str, language: Language) -> Mapping[str, Any]:
    """The texts of one language, nested as in its file; English where it has none.

    Args:
        package: whose folder `locales` holds the files, such as "transformer.checker".
        language: one of `LANGUAGES`.
    """
    english = _read(package, "en")
    return english if language == "en" else _over(english, _read(package, language))


def filled(text: Any, values: Mapping[str, Value]) -> str:
    """A text with its values, numbers to three digits.

    Args:
        text: with `{name}` for each value; or, where a number decides, an object with the forms
            "one" and "other", the name of that number in "by", and "zero": "one" in a language
            whose singular begins at 0.
        values: by name.
    """
    if isinstance(text, dict):
        forms = cast(dict[str, str], text)
        number = values[forms["by"]]
        single = number == 1 or (number == 0 and forms.get("zero") == "one")
        text = forms["one" if single else "other"]
    return str(text).format(**{name: _plain(value) for name, value in values.items()})


def _read(package: str, language: str) -> dict[str, Any]:
    path = files(package) / "locales" / f"{language}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def _over(english: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The one's values over the other's, branch by branch; forms of one text stay together."""
    return {name: _one_over(text, own.get(name, text)) for name, text in english.items()}


def _one_over(english: Any, own: Any) -> Any:
    if isinstance(english, dict) and isinstance(own, dict) and "by" not in english:
        return _over(cast(dict[str, Any], english), cast(dict[str, Any], own))
    return cast(Any, own)


def _plain(value: Value) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
