"""`python -m transformer lexicon`: what the words of a model's two languages stand for."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from ..checkpoint import find
from ..checkpoint.lexicon import LEXICON
from ..command_line import add_model_options, load_model
from ..errors import HeadlightError
from ..text.lines import read_lines
from .explaining import explain

_COLUMNS = re.compile(r"(.+?)(?::([1-9]),([1-9]))?")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `lexicon`."""
    parser.add_argument(
        "--data",
        required=True,
        nargs="+",
        metavar="FILE[:SOURCE,TARGET]",
        help="sentence pairs, and in which TAB-separated columns they stand [1,2]",
    )
    add_model_options(parser)


def run(args: argparse.Namespace) -> None:
    """Learns the lexicon and writes it beside the model's weights.

    Raises:
        HeadlightError: the model cannot be loaded or has one language, or a file is no text.
        OSError: a file cannot be read.
    """
    translator = load_model(args)
    if translator.config.decoder_only:
        raise HeadlightError("no_source", f"{translator.name} has no source to learn words of")
    texts = [pair for file in args.data for pair in text_pairs(file)]
    folder = find(args.model)
    lexicon, opening = explain(folder, texts, args.device)
    counts = [sum(entry.side == side for entry in lexicon.entries) for side in ("src", "tgt")]
    print(
        f"{folder / LEXICON}: {counts[0]} words of the source and {counts[1]} of the target, "
        f"from {len(texts)} pairs, {len(lexicon.to_bytes())} bytes"
    )
    if opening is not None:
        print(
            f"The page opens on {opening.head}, which meets the word that a step {opening.row} at "
            f"{opening.meets:.0%}; by the other row the best head meets it at {opening.other:.0%}."
        )


def text_pairs(file: str) -> Iterator[tuple[str, str]]:
    """The sentence pairs of "FILE[:SOURCE,TARGET]".

    Raises:
        HeadlightError: the file is no text.
        OSError: the file cannot be read.
    """
    match = _COLUMNS.fullmatch(file)
    path, *columns = match.groups() if match else (file,)
    places = [int(column or place) - 1 for place, column in enumerate(columns, 1)]
    for line in read_lines(Path(path or "")):
        texts = line.split("\t")
        if max(places) < len(texts):
            yield texts[places[0]], texts[places[1]]
