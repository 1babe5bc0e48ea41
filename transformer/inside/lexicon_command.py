"""`python -m transformer lexicon`: what the words of a model's two languages stand for."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from ..checkpoint import CONFIG, find
from ..checkpoint.checksums import is_checked, write_checksums
from ..checkpoint.lexicon import LEXICON, write_lexicon
from ..command_line import add_model_options, load_model
from ..errors import HeadlightError
from ..translator import Translator
from .lexicon import Pair, learn_lexicon, words_in

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
    pairs = [pair for file in args.data for pair in _pairs(translator, file)]
    lexicon, folder = learn_lexicon(pairs), find(args.model)
    checked = is_checked(folder)
    write_lexicon(folder, lexicon)
    if checked:
        write_checksums(folder, CONFIG)
    counts = [sum(entry.side == side for entry in lexicon.entries) for side in ("src", "tgt")]
    print(
        f"{folder / LEXICON}: {counts[0]} words of the source and {counts[1]} of the target, "
        f"from {len(pairs)} pairs, {len(lexicon.to_bytes())} bytes"
    )


def _pairs(translator: Translator, file: str) -> Iterator[Pair]:
    match = _COLUMNS.fullmatch(file)
    path, *columns = match.groups() if match else (file,)
    places = [int(column or place) - 1 for place, column in enumerate(columns, 1)]
    try:
        lines = Path(path or "").read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise HeadlightError("bad_data", f"{path} is not UTF-8 text") from error
    for line in lines:
        texts = line.split("\t")
        if max(places) < len(texts):
            src, tgt = (texts[place] for place in places)
            yield words_in(translator.tokenizer, src), words_in(translator.tgt_tokenizer, tgt)
