"""`python -m transformer report`: a report that was saved, in the form that a program reads."""

import argparse
import json
from pathlib import Path

from ..printed import printable
from .annotations import FORMATS, as_github, as_sarif, as_text, read_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describes the command's options."""
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="a report that check(…).save(…) wrote as JSON"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="text, JSON, SARIF, or annotations in a diff on GitHub [text]",
    )


def run(args: argparse.Namespace) -> int:
    """Prints it; 1 where an error was found, so that a build stops.

    Raises:
        HeadlightError: the file is no report.
    """
    report = read_report(args.file)
    match args.format:
        case "github":
            text = as_github(report)
        case "sarif":
            text = json.dumps(as_sarif(report), ensure_ascii=False, indent=1)
        case "json":
            text = json.dumps(report, ensure_ascii=False, indent=1)
        case _:
            text = as_text(report)
    print(text if args.format in {"json", "sarif"} else printable(text))
    return int(any(finding["severity"] == "error" for finding in report["findings"]))
