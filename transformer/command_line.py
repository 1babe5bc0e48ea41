"""What the commands of the command line have in common: a model to take, and a place to print."""

import argparse
import sys

from rich.console import Console

from .checkpoint import DEFAULT_MODEL
from .translator import Translator


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """`--model` and `--device`."""
    parser.add_argument("--model", default=DEFAULT_MODEL, help=f"name or folder [{DEFAULT_MODEL}]")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")


def load_model(args: argparse.Namespace) -> Translator:
    """The model that these options name.

    Raises:
        HeadlightError: there is no such model, or it is broken.
    """
    return Translator.load(args.model, args.device)


def console() -> Console:
    """Standard output; a table that a program reads is not cut at some terminal's width."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 120)
