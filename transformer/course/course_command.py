"""`python -m transformer course`: hands the course out, or looks at what became of it."""

import argparse
from pathlib import Path

from .examination import examine
from .exercises import EXERCISES
from .folder import write_course
from .wording import Words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describes the command's options."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the course's, made if need be")
    parser.add_argument("--language", choices=("en", "zh"), help="of all texts [en]")
    parser.add_argument(
        "--check",
        nargs="?",
        const="all",
        choices=("all", *EXERCISES),
        metavar="EXERCISE",
        help=f"look at what stands in the folder: {', '.join(EXERCISES)} [all]",
    )


def run(args: argparse.Namespace) -> int:
    """Writes the course, or examines it; the status is 1 if something is not right yet.

    Raises:
        HeadlightError: a file of the course is there already.
    """
    if not args.check:
        language = args.language or "en"
        for path in write_course(args.folder, language):
            print(path)
        print(Words(language).text("begin", folder=args.folder))
        return 0
    words = Words(args.language, args.folder)
    verdicts = [
        examine(exercise, args.folder, args.language)
        for exercise in (EXERCISES if args.check == "all" else [args.check])
    ]
    for verdict in verdicts:
        print(f"{'✓' if verdict.right else '✗'} {words.title(verdict.exercise)}")
        if not verdict.right:
            print("  " + "\n  ".join(verdict.sentences))
    return 0 if all(verdict.right for verdict in verdicts) else 1
