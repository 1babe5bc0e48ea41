"""Puts clues into words; the words themselves lie in the locale files."""

from typing import Any

from ..texts import LANGUAGES, filled, texts_of
from .basis.clues import SEVERITIES, Clue, Reason
from .results import Finding

PARTS = ("sentence", "hint")


class Words:
    """One language.

    Raises:
        ValueError: there is no such language.
    """

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {language!r}")
        self._texts = texts_of("transformer.checker", language)

    def text(self, name: str, **values: Any) -> str:
        """A text of the report's frame."""
        return filled(self._texts["report"][name], values)

    def headline(
        self, model: str, count: int, judged: int, reasons: dict[str, list[str]], unexamined: str
    ) -> str:
        """The outcome: something, nothing in what could be judged, or no judgement at all.

        Args:
            model: its class.
            count: how many things were found.
            judged: how many codes could be judged.
            reasons: the codes that could not be, by the reason.
            unexamined: why none could; "" if some could.
        """
        if unexamined:
            return self.text("unexamined", model=model, why=unexamined)
        if count:
            return self.text("found", count=count, model=model)
        unknown = sum(map(len, reasons.values()))
        if not unknown:
            return self.text("nothing_found", model=model, judged=judged)
        why = max(reasons, key=lambda reason: len(reasons[reason]))
        name = "nothing_found_why" if len(reasons) == 1 else "nothing_found_mostly"
        return self.text(name, model=model, judged=judged, count=unknown, why=why)

    def unexamined(self, reason: Reason | None) -> str:
        """Why nothing could be judged, and what to do; "" where something could."""
        if reason is None:
            return ""
        return filled(self._texts["unexamined"][reason.name], reason.values)

    def evidence(self, clue: Clue) -> str:
        """How one clue was seen."""
        values = dict(clue.values)
        if values.get("place") == "":
            values["place"] = self.text("whole_model")
        return filled(self._texts["evidence"][clue.evidence], values)

    def reason(self, reason: Reason) -> str:
        """Why a code could not be judged."""
        return filled(self._texts["reasons"][reason.name], reason.values)

    def notes(self, notes: list[Reason]) -> tuple[str, ...]:
        """Sentences on what else is worth knowing."""
        texts = self._texts["notes"]
        return tuple(filled(texts[note.name], note.values) for note in notes)

    def findings(self, clues: list[Clue]) -> list[tuple[Finding, list[Clue]]]:
        """One finding for each code, with all that speaks for it, the gravest first."""
        findings: list[tuple[Finding, list[Clue]]] = []
        for code, severity in SEVERITIES.items():
            mine = [clue for clue in clues if clue.code == code]
            if mine:
                texts = self._texts["codes"][code]
                first = {clue.evidence: clue for clue in reversed(mine)}
                evidence = [self.evidence(clue) for clue in mine if first[clue.evidence] is clue]
                sentence, hint = (self._by_evidence(part, mine, texts) for part in PARTS)
                text = str(self._texts["report"]["glue"]).join(evidence)
                finding = Finding(code, severity, sentence, text, hint, texts["cost"])
                findings.append((finding, mine))
        return findings

    def _by_evidence(self, part: str, clues: list[Clue], texts: dict[str, str]) -> str:
        """A sentence or hint that one way of seeing it has of its own, or the code's."""
        own = (self._texts[f"{part}s"].get(clue.evidence) for clue in clues)
        return next((each for each in own if each), texts[part])
