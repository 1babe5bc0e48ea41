"""`python -m transformer start`: the sentence of a model's first minute, chosen by measurement."""

import argparse
from dataclasses import asdict

from ..checkpoint import find
from ..checkpoint.card import write_card
from ..command_line import add_model_options, load_model
from .first_minute import find_start
from .lexicon_command import text_pairs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `start`."""
    parser.add_argument(
        "--data",
        nargs="*",
        default=[],
        metavar="FILE[:SOURCE,TARGET]",
        help="sentence pairs to go through after the examples of the model's card, and in which "
        "TAB-separated columns they stand [1,2]",
    )
    add_model_options(parser)
    parser.add_argument("--save", action="store_true", help="write it into the model's card")


def run(args: argparse.Namespace) -> int:
    """Prints what was found, and keeps it if asked to; what the card said before goes, too.

    Raises:
        HeadlightError: the model cannot be loaded, or a file is no text.
        OSError: a file cannot be read.
    """
    translator = load_model(args)
    found = find_start(translator, (pair for file in args.data for pair in text_pairs(file)))
    card = {key: value for key, value in translator.card.items() if key != "start"}
    if args.save:
        write_card(find(args.model), card | ({"start": asdict(found.start)} if found else {}))
    if found is None:
        print(f"{translator.name}: no sentence on which the first minute works")
        return 1
    start, (whole, led) = found.start, found.translations
    print(f"{translator.name}: {start.source} → {whole}")
    print(
        f"step {start.step} writes {found.said.token} {found.said.probability:.2f}; "
        f"the page's opening head looks at {start.word} {found.weight:.2f}"
    )
    print(f"without it: {found.without.token} {found.without.probability:.2f}")
    print(
        f"all on {start.elsewhere}: {found.led.token} {found.led.probability:.2f}, and then {led}"
    )
    return 0
