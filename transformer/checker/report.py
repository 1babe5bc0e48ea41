"""What a check hands back: its results, as a text, a page and a file."""

import html
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..show.replay import frame, page_html
from .evidence import picture_of
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
            if finding.cost:
                lines.append("    " + words.text("cost", cost=finding.cost))
        if self.notes:
            lines += ["", words.text("notes"), *(f"    {note}" for note in self.notes)]
        if self.unknown:
            lines += ["", words.text("unknown")]
            lines += [f"    {', '.join(codes)}: {why}" for why, codes in self.by_reason().items()]
        if self.problems:
            lines += ["", words.text("problems")]
            lines += [f"    {problem}" for problem in self.problems]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return frame(self._page())

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-ready values; `docs/checker.md` describes them."""
        values: dict[str, Any] = {"format": FORMAT, "version": VERSION, **asdict(self)}
        for told, finding in zip(values["findings"], self.findings, strict=True):
            told["picture"] = picture_of(finding, self)
        return values

    def save(self, path: str | Path) -> None:
        """Writes the report, for the page to show.

        Args:
            path: ending in .html, a page that shows it by itself, with no server and no network;
                ending in anything else, JSON.
        """
        path = Path(path)
        if path.suffix == ".html":
            path.write_text(self._page(), encoding="utf-8")
            return
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8")

    def _page(self) -> str:
        return page_html(
            self.to_dict(),
            name="headlight-report",
            title=Words(self.language).text("title", model=self.model),
            door="report_page.js",
            begin="mountReport(element, values);",
            otherwise=f"<pre>{html.escape(str(self))}</pre>",
            language=self.language,
        )
