"""What a check hands back: its results, as a text, a page and a file."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .picture import page
from .results import Results
from .wording import Words

FORMAT, VERSION = "headlight-report", 1


class Report(Results):
    """What `check` found: print it, or look at it in a notebook.

    Its attributes are those of `Results`.
    """

    def __str__(self) -> str:
        words = Words(self.language)
        lines = [words.headline(self)]
        for finding in self.findings:
            kind = words.text(finding.severity)
            lines += ["", f"[{finding.code}] {kind}: {finding.sentence}"]
            lines += [f"    {finding.evidence}", f"    → {finding.hint}"]
        if self.unknown:
            lines += ["", words.text("unknown") + " " + ", ".join(self.unknown)]
        if self.problems:
            lines += ["", words.text("problems")]
            lines += [f"    {problem}" for problem in self.problems]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return page(self)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-ready values; `docs/checker.md` describes them."""
        return {"format": FORMAT, "version": VERSION, **asdict(self)}

    def save(self, path: str | Path) -> None:
        """Writes the report as JSON, for the page to show."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
        Path(path).write_text(text + "\n", encoding="utf-8")
