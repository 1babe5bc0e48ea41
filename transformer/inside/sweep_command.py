"""`python -m transformer sweep`: which heads a translation needs."""

import argparse
import json
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..checkpoint import DEFAULT_MODEL
from ..translator import Translator
from .sweep import sweep

SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `sweep`."""
    parser.add_argument("text", help="the sentence; a decoder-only model continues it")
    parser.add_argument("--model", default=DEFAULT_MODEL, help=f"name or folder [{DEFAULT_MODEL}]")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--json", action="store_true", help="every head, as JSON")


def run(args: argparse.Namespace) -> None:
    """Prints the heads whose loss harms the translation most; or all of them, as JSON.

    Raises:
        HeadlightError: the model cannot be loaded, or the text is empty or too long.
    """
    translator = Translator.load(args.model, args.device)
    swept = sweep(translator, translator.trace(args.text, top_k=1))
    if args.json:
        print(json.dumps(swept.to_dict(), ensure_ascii=False))
        return
    table = Table("kind", "head", "Δ log p", box=None, padding=(0, 2, 0, 0))
    for kind, name, delta in swept.ranked()[:SHOWN]:
        table.add_row(kind, name, f"{delta:+.3f}")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.print(Text(f"{swept.model}: {swept.source} → {swept.translation}"))
    console.print(
        f"Σ log p {swept.log_probability:.3f} nats. Without one head, the most harmful to lose:"
    )
    console.print(table)
