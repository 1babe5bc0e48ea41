"""`python -m transformer course`: hands the course out, or looks at what became of it."""

import argparse
import json
from pathlib import Path

from ..checkpoint import DEFAULT_MODEL
from ..errors import HeadlightError
from ..texts import LANGUAGES
from .examination import TIME_LIMIT, Verdict, examine, examine_all
from .exercises import EXERCISES
from .folder import write_course
from .graduation import graduate, learn
from .results import as_gradescope, as_json, read_points
from .wording import Words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describes the command's options."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the course's, made if need be")
    parser.add_argument("--language", choices=LANGUAGES, help="of all texts [en]")
    parser.add_argument(
        "--check",
        nargs="?",
        const="all",
        choices=("all", *EXERCISES),
        metavar="EXERCISE",
        help=f"look at what stands in the folder: {', '.join(EXERCISES)} [all]",
    )
    parser.add_argument(
        "--graduate", metavar="SENTENCE", help="translate with your own code, once all is right"
    )
    parser.add_argument(
        "--model", default=DEFAULT_MODEL, help=f"whose weights it then gets [{DEFAULT_MODEL}]"
    )
    parser.add_argument(
        "--learn", action="store_true", help="let your own model learn, once all is right"
    )
    form = parser.add_argument_group(
        "results of --check for programs"
    ).add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON: docs/course.md describes it")
    form.add_argument("--gradescope", action="store_true", help="as Gradescope's results.json")
    parser.add_argument(
        "--points", type=Path, metavar="FILE", help='a teacher\'s: {"attention": 2, …} [1 each]'
    )
    parser.add_argument(
        "--time-limit",
        type=_seconds,
        default=TIME_LIMIT,
        metavar="SECONDS",
        help=f"for one exercise [{TIME_LIMIT:g}]",
    )


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1e5:
        raise argparse.ArgumentTypeError(f"{text} is no time")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Writes the course, or examines it; the status is 1 if something is not right yet.

    Raises:
        HeadlightError: a file of the course is there already, there is no such folder, or what
            was asked for cannot be done yet.
    """
    if args.check or args.json or args.gradescope:
        return _check(args)
    words = Words(args.language, args.folder)
    if args.graduate:
        trace = graduate(args.model, args.graduate, args.folder, args.language)
        file = args.folder / "mine.html"
        trace.save(file)
        values = {"source": trace.source, "translation": trace.translation, "file": file}
        print(words.text("graduated", **values))
    if args.learn:
        print(learn(args.folder, args.language))
    if not args.graduate and not args.learn:
        language = args.language or "en"
        for path in write_course(args.folder, language):
            print(path)
        print(Words(language).text("begin", folder=args.folder))
    return 0


def _check(args: argparse.Namespace) -> int:
    points = read_points(args.points)
    if not args.folder.is_dir():
        raise HeadlightError("no_folder", f"There is no folder {args.folder}.")
    verdicts: list[Verdict] = []
    where = args.folder, args.language, args.time_limit
    every = args.check in (None, "all")
    for verdict in examine_all(*where) if every else [examine(args.check, *where)]:
        verdicts.append(verdict)
        if not args.json and not args.gradescope:
            print(f"{'✓' if verdict.right else '✗'} {verdict.title}", flush=True)
            if not verdict.right or verdict.printed:
                print("  " + verdict.text.replace("\n", "\n  "))
    right = all(verdict.right for verdict in verdicts)
    if args.json or args.gradescope:
        form = as_gradescope if args.gradescope else as_json
        # ASCII, so that no terminal and no shell of Windows stands in its way.
        print(json.dumps(form(verdicts, points), indent=1))
        return 0 if right or args.gradescope else 1
    if right and len(verdicts) == len(EXERCISES):
        print("\n" + Words(args.language, args.folder).text("all_right", folder=args.folder))
    return 0 if right else 1
