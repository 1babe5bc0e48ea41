"""Puts remarks into words, and fills in what is handed out; the words lie in the locale files."""

import json
from pathlib import Path
from typing import Any

from ..errors import HeadlightError
from ..texts import LANGUAGES, Language, texts_of
from .exercises.exercise import Remark

NOTEBOOK = "course.ipynb"


class Words:
    """The course's sentences in one language.

    Args:
        language: None for the one that a student's folder was made in.
        folder: the student's.
    Raises:
        HeadlightError: there is no such language.
    """

    def __init__(self, language: Language | None, folder: Path | None = None) -> None:
        code = language or _language_of(folder)
        if code not in LANGUAGES:
            raise HeadlightError(
                "unknown_language", f"No language {code!r}; there are en, zh and fr."
            )
        self._texts = texts_of("transformer.course", code)

    def title(self, exercise: str) -> str:
        """An exercise's title."""
        return str(self._texts["exercises"][exercise]["title"])

    def task(self, exercise: str) -> str:
        """An exercise's task, as Markdown."""
        return "\n".join(self._texts["exercises"][exercise]["task"])

    def docstrings(self, exercise: str) -> dict[str, str]:
        """Docstrings of the functions in an exercise's skeleton, by their names."""
        docs: dict[str, list[str]] = self._texts["exercises"][exercise]["docstrings"]
        return {name: "\n".join(lines) for name, lines in docs.items()}

    def remark(self, remark: Remark) -> str:
        """A remark in a sentence or two."""
        return str(self._texts["remarks"][remark.code]).format(**remark.values)

    def text(self, name: str, exercise: str = "", **values: Any) -> str:
        """A text of the course's frame."""
        text: object = self._texts["frame"][name]
        joined = "\n".join(map(str, text)) if isinstance(text, list) else str(text)  # pyright: ignore[reportUnknownArgumentType]
        title = self.title(exercise) if exercise else ""
        return joined.format(title=title, **values) if values or exercise else joined


def _language_of(folder: Path | None) -> str:
    try:
        notebook = json.loads((folder or Path()).joinpath(NOTEBOOK).read_text(encoding="utf-8"))
        return str(notebook["metadata"]["headlight"]["language"])
    except (OSError, ValueError, KeyError, TypeError):
        return "en"
