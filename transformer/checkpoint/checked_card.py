"""The forms that the parts of a card have, so that the page can read it."""

from collections.abc import Callable
from typing import Any, cast


def checked_card(card: dict[str, Any]) -> dict[str, Any]:
    """A card of which every part that the page reads has its form.

    Raises:
        ValueError: naming the part.
    """
    texts = ("source_language", "target_language", "origin", "license")
    forms: dict[str, tuple[Callable[[Any], bool], str]] = {
        **dict.fromkeys(("title", "about", "action"), (_is_text_by_language, "texts by language")),
        **dict.fromkeys(texts, (lambda value: isinstance(value, str), "a text")),
        "examples": (_are_texts, "a list of texts"),
        "scores": (_is_object, "an object"),
        "training_text": (_is_training_text, "files, each with a name, two columns and lines"),
    }
    for name, (fits, form) in forms.items():
        if name in card and not fits(card[name]):
            raise ValueError(f'"{name}" of the card must be {form}')
    return card


def _is_text_by_language(value: Any) -> bool:
    return _is_object(value) and _are_texts([*value.values()])


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(text, str) for text in cast(list[object], value)
    )


def _is_training_text(value: Any) -> bool:
    """{"files": [{"name", "columns": [source, target], "lines": [[first, last]]}], "others"}."""

    def are_pairs(pairs: Any) -> bool:
        return isinstance(pairs, list) and all(
            isinstance(pair, list) and [*map(type, cast(list[Any], pair))] == [int, int]
            for pair in cast(list[Any], pairs)
        )

    if not _is_object(value) or not isinstance(value.get("files"), list):
        return False
    return _is_text_by_language(value.get("others", {})) and all(
        _is_object(file)
        and isinstance(file.get("name"), str)
        and are_pairs([file.get("columns")])
        and are_pairs(file.get("lines", []))
        for file in value["files"]
    )


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)
