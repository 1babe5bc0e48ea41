"""What is handed out: a notebook, a skeleton for each exercise, and the model made of them."""

import json
import textwrap
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from ..errors import HeadlightError
from ..texts import Language
from .exercises import EXERCISES
from .wording import NOTEBOOK, Words

MODEL = "model"
"""The file that puts a student's parts together: given, not an exercise."""


def write_course(folder: Path, language: Language) -> list[Path]:
    """Writes the course into a folder; what stands there already is never overwritten.

    Returns:
        The files, in the order of the course.
    Raises:
        HeadlightError: a file is there already, or the language is unknown.
    """
    words = Words(language)
    contents = {f"{name}.py": _skeleton(words, name) for name in (*EXERCISES, MODEL)}
    contents |= {NOTEBOOK: json.dumps(_notebook(words, language), ensure_ascii=False, indent=1)}
    for name in contents:
        if (folder / name).exists():
            raise HeadlightError(
                "course_there", f"{folder / name} is there already: choose another folder."
            )
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    return [folder / name for name in contents]


def _skeleton(words: Words, name: str) -> str:
    template = files("transformer.course") / "skeletons" / f"{name}.txt"
    lines = template.read_text(encoding="utf-8").splitlines(keepends=True)
    docs = {"title": words.title(name), **words.docstrings(name)}
    return "".join(_filled(line, docs) for line in lines)


def _filled(line: str, docs: dict[str, str]) -> str:
    """A line with its gap filled; a docstring of several lines is indented as its first."""
    margin = line[: len(line) - len(line.lstrip())]
    inner = {name: textwrap.indent(doc, margin).lstrip() for name, doc in docs.items()}
    several = {name: f"{doc}\n{margin}" if "\n" in doc else doc for name, doc in inner.items()}
    return Template(line).safe_substitute(several)


def _notebook(words: Words, language: Language) -> dict[str, Any]:
    cells = [
        _markdown(words.text("intro")),
        _code("from transformer.course import examine, graduate, learn"),
    ]
    for number, name in enumerate(EXERCISES, 1):
        cells.append(_markdown(f"## {number}. {words.title(name)}\n\n{words.task(name)}"))
        cells.append(_code(f'examine("{name}")'))
    cells.append(_markdown(words.text("graduation")))
    cells.append(_code('trace = graduate("en-zh", "I love you.")\ntrace.translation'))
    cells.append(_code('trace.save("mine.html")\ntrace'))
    cells.append(_markdown(words.text("learning_title")))
    cells.append(_code("learn()"))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "headlight": {"language": language}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text,
    }
