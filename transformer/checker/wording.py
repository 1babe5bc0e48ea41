"""Puts clues into words; the words themselves lie in the locale files."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from .basis.clues import SEVERITIES, Clue, Number, Reason
from .results import Finding

LANGUAGES = ("en", "zh")


@cache
def _locale(language: str) -> dict[str, Any]:
    path = files("transformer.checker") / "locales" / f"{language}.json"
    return json.loads(path.read_text(encoding="utf-8"))


class Words:
    """One language.

    Raises:
        ValueError: there is no such language.
    """

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {language!r}")
        self._texts = _locale(language)

    def text(self, name: str, **values: Any) -> str:
        """A text of the report's frame."""
        return str(self._texts["report"][name]).format(**values)

    def headline(self, count: int, model: str) -> str:
        """How many things were found."""
        name = "nothing_found" if count == 0 else "one_found" if count == 1 else "found"
        return self.text(name, count=count, model=model)

    def evidence(self, clue: Clue) -> str:
        """How one clue was seen."""
        values = _plainly(clue.values)
        if values.get("place") == "":
            values["place"] = self.text("whole_model")
        return str(self._texts["evidence"][clue.evidence]).format(**values)

    def reason(self, reason: Reason) -> str:
        """Why a code could not be judged."""
        return str(self._texts["reasons"][reason.name]).format(**_plainly(reason.values))

    def notes(self, notes: list[Reason]) -> tuple[str, ...]:
        """What else is worth knowing."""
        texts = self._texts["notes"]
        return tuple(str(texts[note.name]).format(**_plainly(note.values)) for note in notes)

    def findings(self, clues: list[Clue]) -> tuple[Finding, ...]:
        """One finding for each code, with all that speaks for it, the gravest first."""
        found: list[Finding] = []
        for code, severity in SEVERITIES.items():
            mine = [clue for clue in clues if clue.code == code]
            if mine:
                texts = self._texts["codes"][code]
                first = {clue.evidence: clue for clue in reversed(mine)}
                evidence = [self.evidence(clue) for clue in mine if first[clue.evidence] is clue]
                hints = (self._texts["hints"].get(clue.evidence) for clue in mine)
                hint = next((each for each in hints if each), texts["hint"])
                told = str(self._texts["report"]["glue"]).join(evidence)
                found.append(
                    Finding(code, severity, texts["sentence"], told, hint, texts["cost"])
                )
        return tuple(found)


def _plainly(values: dict[str, Number]) -> dict[str, str]:
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: float | str) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value)
