"""A report for programs that show findings beside the lines of code: SARIF, and GitHub's own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ..errors import HeadlightError

LEVELS = {"error": "error", "warning": "warning", "advice": "note"}
AT_GITHUB = {"error": "error", "warning": "warning", "advice": "notice"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FORMATS = ("text", "json", "sarif", "github")

Values = Mapping[str, Any]


def read_report(path: Path) -> Values:
    """A report that was saved as JSON.

    Raises:
        HeadlightError: there is none, or it is something else.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HeadlightError("no_report", f"{path} cannot be read: {error}") from error
    if not isinstance(values, dict) or cast(Values, values).get("format") != "headlight-report":
        raise HeadlightError("no_report", f"{path} is no report of check(…).save(…).")
    return cast(Values, values)


def as_text(report: Values) -> str:
    """The first line and the findings, as a person reads them."""
    lines = [str(report.get("headline", report.get("model", "")))]
    for finding in _findings(report):
        lines += [f"[{finding['code']}] {finding['severity']}: {finding['sentence']}"]
        lines += [f"    {finding['evidence']}", f"    → {finding['hint']}"]
    return "\n".join(lines)


def as_github(report: Values) -> str:
    """GitHub's workflow commands, one a line: what a step prints, it shows in the diff."""
    lines: list[str] = []
    for finding in _findings(report):
        where = {"file": _relative(str(finding.get("file", ""))), "line": finding.get("line", 0)}
        options = {name: value for name, value in where.items() if value}
        options["title"] = finding["code"]
        properties = ",".join(f"{name}={_escaped(str(v), True)}" for name, v in options.items())
        text = _escaped(_message(finding), False)
        lines.append(f"::{AT_GITHUB[str(finding['severity'])]} {properties}::{text}")
    if not lines:
        lines.append(f"::notice::{_escaped(str(report.get('headline', '')), False)}")
    return "\n".join(lines)


def as_sarif(report: Values) -> dict[str, Any]:
    """SARIF 2.1.0, as GitHub's code scanning and editors read it."""
    findings = _findings(report)
    rules = [
        {
            "id": finding["code"],
            "shortDescription": {"text": finding["sentence"]},
            "help": {"text": finding["hint"]},
        }
        for finding in findings
    ]
    results: list[dict[str, Any]] = []
    for at, finding in enumerate(findings):
        result: dict[str, Any] = {
            "ruleId": finding["code"],
            "ruleIndex": at,
            "level": LEVELS[str(finding["severity"])],
            "message": {"text": _message(finding)},
        }
        if finding.get("file"):
            place: dict[str, Any] = {"artifactLocation": {"uri": _relative(str(finding["file"]))}}
            if finding.get("line"):
                place["region"] = {"startLine": finding["line"]}
            result["locations"] = [{"physicalLocation": place}]
        results.append(result)
    driver = {"name": "Headlight", "rules": rules}
    run = {"tool": {"driver": driver}, "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _findings(report: Values) -> list[Values]:
    findings = report.get("findings", [])
    if not isinstance(findings, list | tuple):
        raise HeadlightError("no_report", "The report's findings are no list.")
    for finding in cast(Sequence[object], findings):
        fields: Values = cast(Values, finding) if isinstance(finding, dict) else {}
        texts = (fields.get(name) for name in ("code", "sentence", "evidence", "hint"))
        if fields.get("severity") not in LEVELS or not all(isinstance(t, str) for t in texts):
            raise HeadlightError("no_report", "A finding of the report is incomplete.")
    return list(cast(Sequence[Values], findings))


def _message(finding: Values) -> str:
    return f"{finding['sentence']} {finding['evidence']} → {finding['hint']}"


def _relative(file: str) -> str:
    """The path as a repository names it, if the file lies under the folder that one works in."""
    path = Path(file)
    inside = path.is_absolute() and path.is_relative_to(Path.cwd())
    return (path.relative_to(Path.cwd()) if inside else path).as_posix() if file else ""


def _escaped(text: str, option: bool) -> str:
    for sign, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(sign, code)
    return text.replace(":", "%3A").replace(",", "%2C") if option else text
