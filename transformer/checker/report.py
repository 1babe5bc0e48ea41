"""What a check hands back: its results, as a text, a page and a file."""

import html
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..printed import printable
from ..show.replay import frame, page_html
from .annotations import as_sarif
from .evidence import picture_of
from .results import Finding, Recorded, Seen
from .wording import Words

FORMAT, VERSION = "headlight-report", 1


@dataclass(frozen=True)
class Report:
    """What `check` found: print it, or look at it in a notebook.

    Attributes:
        findings: what is wrong, the gravest first.
        unknown: codes that could not be judged on this model.
        problems: what could not be run, in the module's own words.
        language: of the texts.
        model: the class of the module.
        seen: which tokens each position can see, measured.
        attention: weights, where they could be recorded.
        reasons: of each code that is unknown, why.
        notes: what else is worth knowing, such as another `pad_id` or `kind` to try.
        judged: how many codes could be judged.
        unexamined: why none could, and what to do about it; "" if some could.
    """

    findings: tuple[Finding, ...]
    unknown: tuple[str, ...]
    problems: tuple[str, ...] = ()
    language: str = "en"
    model: str = ""
    seen: tuple[Seen, ...] = ()
    attention: tuple[Recorded, ...] = field(default=(), repr=False)
    reasons: dict[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()
    judged: int = 0
    unexamined: str = ""

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of all findings."""
        return tuple(finding.code for finding in self.findings)

    def by_reason(self) -> dict[str, list[str]]:
        """The codes that could not be judged, together where the reason is the same."""
        reasons: dict[str, list[str]] = {}
        for code in self.unknown:
            reasons.setdefault(self.reasons.get(code, "?"), []).append(code)
        return reasons

    @property
    def headline(self) -> str:
        """The check's outcome, in a sentence or two."""
        words = Words(self.language)
        why = self.by_reason()
        return words.headline(self.model, len(self.findings), self.judged, why, self.unexamined)

    def __str__(self) -> str:
        return printable(self._text())

    def _text(self) -> str:
        words = Words(self.language)
        lines = [self.headline]
        for finding in self.findings:
            kind = words.text(finding.severity)
            named = {"code": finding.code, "severity": kind, "sentence": finding.sentence}
            lines += ["", words.text("finding", **named)]
            lines += [f"    {finding.evidence}", f"    → {finding.hint}"]
            if finding.cost:
                lines.append("    " + words.text("cost", cost=finding.cost))
        if self.notes:
            lines += ["", words.text("notes"), *(f"    {note}" for note in self.notes)]
        if self.unexamined:
            return "\n".join(lines)
        if self.unknown:
            lines += ["", words.text("unknown")]
            for why, codes in self.by_reason().items():
                lines.append("    " + words.text("unjudged", codes=", ".join(codes), why=why))
        if self.problems:
            lines += ["", words.text("problems")]
            lines += [f"    {problem}" for problem in self.problems]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return frame(self._page())

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-ready values; `docs/checker.md` describes them."""
        values: dict[str, Any] = {"format": FORMAT, "version": VERSION, **asdict(self)}
        values["headline"] = self.headline
        for entry, finding in zip(values["findings"], self.findings, strict=True):
            entry["picture"] = picture_of(finding, self.seen, self.attention)
        return values

    def save(self, path: str | Path) -> None:
        """Writes the report, for the page to show.

        Args:
            path: ending in .html, a page that shows it by itself, with no server and no network;
                ending in .sarif, what code scanning reads; ending in anything else, JSON.
        """
        path = Path(path)
        if path.suffix.lower() == ".html":
            path.write_text(self._page(), encoding="utf-8")
            return
        values = self.to_dict()
        if path.suffix.lower() == ".sarif":
            values = as_sarif(values)
        text = json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8")

    def _page(self) -> str:
        return page_html(
            self.to_dict(),
            name="headlight-report",
            title=Words(self.language).text("title", model=self.model),
            door="report_page.js",
            begin="mountReport(element, values);",
            otherwise=f"<pre>{html.escape(self._text())}</pre>",
            language=self.language,
        )
