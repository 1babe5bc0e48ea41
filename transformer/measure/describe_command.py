"""`python -m transformer describe`: a model over many sentences, into its card.

Three stations, each on what those before it have found: `heads`, what every head does; `lexicon`,
what words of both languages mean, and by that on which head the page opens; `start`, the sentence
of the page's first minute.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from ..checkpoint import find
from ..checkpoint.card import write_card
from ..command_line import load_model
from ..errors import HeadlightError
from ..translator import Translator
from .corpus import DataFile
from .explaining import explain, learned_from
from .first_minute import find_start
from .heads_table import check_format, measure, print_table, rows_of, write_rows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `describe`."""
    parser.add_argument("model", help="name or folder")
    parser.add_argument(
        "--data",
        nargs="+",
        default=[],
        type=DataFile.parse,
        metavar="FILE[:SOURCE,TARGET]",
        help="source TAB target lines, or text; and in which TAB-separated columns they stand",
    )
    parser.add_argument("--only", choices=STATIONS, help="one station [all that suit the model]")
    parser.add_argument(
        "--save",
        action="store_true",
        help="keep what was found beside the model's weights: the page shows it, and =mean of a "
        "head is its mean over these files",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="a row a head, as .csv, .json or .parquet"
    )
    parser.add_argument("--json", action="store_true", help="for programs, by station")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")


def run(args: argparse.Namespace) -> int:
    """Prints what was found, station by station, and keeps it if asked to.

    Returns:
        1 where the station that was named finds nothing, else 0.
    Raises:
        HeadlightError: the model cannot be loaded, or does not suit the station that was named;
            the data cannot be used, or `--out` has another suffix.
        OSError: a file cannot be read.
    """
    if args.out is not None:
        check_format(args.out)  # before the work is done, not after
    card: dict[str, Any] = {}
    for name in (args.only,) if args.only else STATIONS:
        folder = find(args.model)
        job = Job(load_model(args), folder, args.data, args.save, args.out, args.json)
        if not args.only and not job.suits(name):
            continue
        card[name] = STATIONS[name](job)
    if args.json:
        print(json.dumps(card))
    return int(args.only is not None and card[args.only] is None)


class Job(NamedTuple):
    """A model to describe, over some files.

    Attributes:
        translator: the model, with what the stations before have kept.
        folder: its checkpoint's.
        files: sentences.
        save: whether what is found is kept.
        out: the file of heads, if there is to be one.
        quiet: whether nothing is printed.
    """

    translator: Translator
    folder: Path
    files: Sequence[DataFile]
    save: bool
    out: Path | None
    quiet: bool

    def suits(self, station: str) -> bool:
        """Whether the station has a meaning for this model."""
        return station == "heads" or not self.translator.config.decoder_only

    def say(self, sentence: str) -> None:
        """Prints it for a person."""
        if not self.quiet:
            print(sentence)


def _heads(job: Job) -> list[dict[str, Any]]:
    translator = job.translator
    _need_data(job)
    measured = measure(translator, job.files, job.folder if job.save else None)
    rows = list(rows_of(measured))
    if job.out is not None:
        write_rows(job.out, rows)
    if not job.quiet:
        print_table(measured)
    for kind, representative in translator.representative_heads.items():
        row = f" by the row that {representative.row}" if representative.row else ""
        head, role = representative.head, representative.role
        job.say(f"{translator.name}'s card: {kind} {head} {role}{row}")
    return rows


def _lexicon(job: Job) -> dict[str, int]:
    translator = job.translator
    if translator.config.decoder_only:
        raise HeadlightError("no_source", f"{translator.name} has no source to learn words of")
    _need_data(job)
    texts = [pair for file in job.files for pair in file.pairs()]
    opening = None
    if job.save:
        lexicon, opening = explain(job.folder, texts)
    else:
        lexicon = learned_from(translator, texts)
    counts = [sum(entry.side == side for entry in lexicon.entries) for side in ("src", "tgt")]
    job.say(
        f"{translator.name}: {counts[0]} words of the source and {counts[1]} of the target, "
        f"from {len(texts)} pairs, {len(lexicon.to_bytes())} bytes"
    )
    if opening is not None:
        job.say(
            f"The page opens on {opening.head}, which meets the word that a step {opening.row} at "
            f"{opening.meets:.0%}; by the other row the best head meets it at {opening.other:.0%}."
        )
    return {"src": counts[0], "tgt": counts[1], "pairs": len(texts)}


def _start(job: Job) -> dict[str, Any] | None:
    translator = job.translator
    best = find_start(translator, (pair for file in job.files for pair in file.pairs()))
    if job.save:  # what the card said before goes, too
        card = {key: value for key, value in translator.card.items() if key != "start"}
        write_card(job.folder, card | ({"start": asdict(best.start)} if best else {}))
    if best is None:
        job.say(f"{translator.name}: no sentence on which the first minute works")
        return None
    start, (whole, led) = best.start, best.translations
    job.say(
        f"{translator.name}: {start.source} → {whole}\n"
        f"step {start.step} writes {best.emitted.token} {best.emitted.probability:.2f}; "
        f"the page's opening head looks at {start.word} {best.weight:.2f}\n"
        f"without it: {best.without.token} {best.without.probability:.2f}\n"
        f"all on {start.elsewhere}: {best.led.token} {best.led.probability:.2f}, and then {led}"
    )
    return asdict(start)


def _need_data(job: Job) -> None:
    if not job.files:
        raise HeadlightError("no_data", "name sentences: --data FILE")


STATIONS: dict[str, Callable[[Job], Any]] = {"heads": _heads, "lexicon": _lexicon, "start": _start}
"""Stations in the order in which each needs what the one before has found."""
