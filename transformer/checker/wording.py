"""Puts clues into words; the words themselves lie in the locale files."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from .clues import ADVICE, CODES, Clue
from .results import Finding, Results

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

    def headline(self, results: Results) -> str:
        """How many things were found."""
        count = len(results.findings)
        name = "nothing_found" if count == 0 else "one_found" if count == 1 else "found"
        return self.text(name, count=count, model=results.model)

    def evidence(self, clue: Clue) -> str:
        """How one clue was seen."""
        values = {name: _plain(value) for name, value in clue.values.items()}
        if values.get("place") == "":
            values["place"] = self.text("whole_model")
        return str(self._texts["evidence"][clue.evidence]).format(**values)

    def findings(self, clues: list[Clue]) -> tuple[Finding, ...]:
        """One finding for each code, with all that speaks for it."""
        found: list[Finding] = []
        for code in CODES:
            mine = [clue for clue in clues if clue.code == code]
            if mine:
                texts = self._texts["codes"][code]
                first = {clue.evidence: clue for clue in reversed(mine)}
                evidence = [self.evidence(clue) for clue in mine if first[clue.evidence] is clue]
                glue = str(self._texts["report"]["glue"])
                severity = "advice" if code in ADVICE else "error"
                found.append(
                    Finding(code, severity, texts["sentence"], glue.join(evidence), texts["hint"])
                )
        return tuple(sorted(found, key=lambda finding: finding.severity == "advice"))


def _plain(value: float | str) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value)
