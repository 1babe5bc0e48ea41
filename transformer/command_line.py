"""What the commands have in common: arguments as typed, a model to take, a place to print."""

import argparse
import os
import sys
from collections.abc import Iterable

from rich.console import Console

from .checkpoint import DEFAULT_MODEL
from .translator import Translator


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """`--model` and `--device`."""
    parser.add_argument("--model", default=DEFAULT_MODEL, help=f"name or folder [{DEFAULT_MODEL}]")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")


def typed(arguments: Iterable[str]) -> list[str]:
    """Arguments as somebody typed them, in UTF-8, where the locale is another one: C, say.

    There each byte that is not ASCII arrives as a lone surrogate. The name of a file that there is
    stays so, since that is what the file system is asked for.
    """
    return [
        text if _is_sound(text) or os.path.lexists(text) else _decoded(text) for text in arguments
    ]


def _is_sound(text: str) -> bool:
    return not any("\udc80" <= character <= "\udcff" for character in text)


def _decoded(text: str) -> str:
    try:
        return os.fsencode(text).decode("utf-8")
    except UnicodeError:  # in no encoding that we know
        return text


def load_model(args: argparse.Namespace) -> Translator:
    """The model that these options name.

    Raises:
        HeadlightError: there is no such model, or it is broken.
    """
    return Translator.load(args.model, args.device)


def console() -> Console:
    """Standard output; a table that a program reads is not cut at some terminal's width."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 120)
