"""Where in a stranger's files stands what a finding is about."""

import inspect
from contextlib import suppress
from dataclasses import replace
from typing import Any

from torch import nn

from ..eyes.dispatch import named_parts
from .anatomy.parameters import LIBRARIES
from .basis.clues import Clue
from .results import Finding


def located(finding: Finding, clues: list[Clue], module: nn.Module) -> Finding:
    """A finding with the file and line of the class that its first clue names."""
    parts = dict(named_parts(module))
    for clue in clues:
        name = str(clue.values.get("place", ""))
        while name and (name not in parts or _of_library(parts[name])):
            name = name.rpartition(".")[0]  # who builds a library's layer answers for it
        part = parts.get(name, module)
        place = _place(type(part)) if not _of_library(part) else None
        if place is not None:
            return replace(finding, file=place[0], line=place[1])
    return finding


def _of_library(part: nn.Module) -> bool:
    return type(part).__module__.startswith(LIBRARIES)


def _place(kind: type[nn.Module]) -> tuple[str, int] | None:
    written = [kind.__dict__.get("forward"), kind]
    return next((place for each in written if each and (place := _lines(each))), None)


def _lines(written: Any) -> tuple[str, int] | None:
    with suppress(OSError, TypeError):  # typed at a prompt, or made by a program
        file = inspect.getsourcefile(written)
        if file:
            return file, inspect.getsourcelines(written)[1]
    return None
