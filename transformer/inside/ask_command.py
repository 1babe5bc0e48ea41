"""`python -m transformer ask`: any analysis that the page may ask, as JSON for programs."""

import argparse
import base64
import json
from typing import Any

import numpy as np

from ..command_line import add_model_options, load_model
from ..errors import HeadlightError
from ..trace.packing import PACKED, finite
from . import ANALYSES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ask`."""
    parser.add_argument("analysis", choices=sorted(ANALYSES), metavar="ANALYSIS")
    parser.add_argument("text", help="the sentence; a decoder-only model continues it")
    parser.add_argument(
        "options", nargs="*", metavar="OPTION=VALUE", help="values are JSON, or else texts: step=3"
    )
    parser.add_argument(
        "--intervene", action="append", default=[], metavar="CHANGE", help="as with `trace`"
    )
    add_model_options(parser)
    parser.epilog = "analyses: " + "; ".join(
        " ".join((name, *(f"[{option}]" for option in each.options)))
        for name, each in sorted(ANALYSES.items())
    )


def run(args: argparse.Namespace) -> None:
    """Prints what `payload` returns, matrices as nested lists.

    Raises:
        HeadlightError: the model cannot be loaded, the text is empty or too long, or an option is
            another than the analysis declares.
    """
    analysis = ANALYSES[args.analysis]
    options = analysis.read(dict(map(_option, args.options)))
    translator = load_model(args)
    trace = translator.trace(args.text, interventions=args.intervene)
    payload = analysis.answer(options, translator, trace)
    print(json.dumps(_readable(payload)))


def _option(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise HeadlightError("bad_request", f"{text!r} is no option: write NAME=VALUE, step=3 say")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _readable(value: Any) -> Any:
    match value:
        case {"shape": shape, "dtype": str(dtype), "data": str(data)} if dtype in PACKED:
            numbers: Any = np.frombuffer(base64.b64decode(data), PACKED[dtype])
            return finite(numbers.reshape(shape).astype(float))
        case dict():
            return {name: _readable(each) for name, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case list() | tuple():
            return [_readable(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value
