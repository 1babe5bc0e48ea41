"""`python -m transformer teach`: one sentence corrected, and what that changes."""

import argparse
import json

from rich.table import Table
from rich.text import Text

from ..command_line import add_model_options, console, load_model
from .correction import MOST_STEPS, OPTIMIZERS, STEPS
from .forgetting import Forgetting, forgetting
from .keeping import keep
from .taught import Taught
from .teach import teach

UNDONE = {
    "rose": "The loss is higher than before: the rate is too high. All is undone; try a lower "
    "--rate.",
    "not_a_number": "The loss is no number any longer: the rate is far too high. All is undone; "
    "try a lower --rate.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `teach`."""
    parser.add_argument("text", help="the sentence; a decoder-only model goes on from it")
    parser.add_argument("target", help="what it should become")
    add_model_options(parser)
    parser.add_argument(
        "--steps", type=int, default=STEPS, help=f"from 1 to {MOST_STEPS} [{STEPS}]"
    )
    parser.add_argument("--rate", type=float, help="of learning [0.02; with adam 0.0003]")
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="sgd")
    parser.add_argument("--save", metavar="NAME", help="keep the taught model as a checkpoint")
    parser.add_argument("--json", action="store_true", help="everything, as JSON")


def run(args: argparse.Namespace) -> int:
    """Teaches a copy, and says what that changed; nothing is kept, unless that is asked for.

    Returns:
        1 if the correction was undone.
    Raises:
        HeadlightError: the model cannot be loaded, a text is empty or too long, a number is out
            of bounds, or the name is taken.
    """
    translator = load_model(args)
    taught = teach(translator, args.text, args.target, args.steps, args.rate, args.optimizer)
    cost = None if taught.undone else forgetting(translator, taught.translator)
    if args.save and not taught.undone:
        keep(taught.translator, taught.correction, args.save)
    if args.json:
        payload = {**taught.payload(), "forgetting": cost and cost.payload()}
        print(json.dumps(payload))
    else:
        _print(taught)
        if cost:
            _print_cost(cost)
    return 1 if taught.undone else 0


def _print(taught: Taught) -> None:
    out, pair = console(), taught.correction
    table = Table("after", "loss", "largest gradient", "says", box=None, padding=(0, 2, 0, 0))
    for moment, loss in enumerate(taught.losses):
        part = ""
        if moment < len(taught.gradients):
            step = taught.gradients[moment]
            part = f"{taught.parts[step.argmax()]} {step.max():.2f}"
        text = taught.outputs[moment] if moment < len(taught.outputs) else ""
        table.add_row(str(moment), f"{loss:.3f}", part, Text(text))
    out.print(Text(f"{taught.translator.name}: {pair.source} → {pair.target}"))
    out.print(table)
    if taught.undone:
        out.print(UNDONE[taught.undone])
    elif taught.learnt is None:
        out.print("It does not say it yet.")
    else:
        out.print(f"Learnt after {taught.learnt} steps.")


def _print_cost(cost: Forgetting) -> None:
    out = console()
    out.print(f"{cost.changed} of {len(cost.sentences)} other sentences are said otherwise now:")
    for each in cost.sentences:
        if each.before != each.after:
            out.print(Text(f"  {each.source}: {each.before} → {each.after}"))
