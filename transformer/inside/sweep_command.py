"""`python -m transformer sweep`: which heads a translation needs."""

import argparse
import json

from rich.table import Table
from rich.text import Text

from ..command_line import add_model_options, console, load_model
from .sweep import sweep

SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `sweep`."""
    parser.add_argument("text", help="the sentence; a decoder-only model continues it")
    add_model_options(parser)
    parser.add_argument("--json", action="store_true", help="every head, as JSON")


def run(args: argparse.Namespace) -> None:
    """Prints the heads whose loss harms the translation most; or all of them, as JSON.

    Raises:
        HeadlightError: the model cannot be loaded, or the text is empty or too long.
    """
    translator = load_model(args)
    swept = sweep(translator, translator.trace(args.text, top_k=1))
    if args.json:
        print(json.dumps(swept.payload()))
        return
    table = Table("kind", "head", "Δ log p", box=None, padding=(0, 2, 0, 0))
    for kind, name, delta in swept.ranked()[:SHOWN]:
        table.add_row(kind, name, f"{delta:+.3f}")
    out = console()
    out.print(Text(f"{swept.model}: {swept.source} → {swept.translation}"))
    out.print(
        f"Σ log p {swept.log_probability:.3f} nats. Without one head, the most harmful to lose:"
    )
    out.print(table)
