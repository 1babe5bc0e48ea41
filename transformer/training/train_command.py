"""`python -m transformer train`: options in, a checkpoint out."""

import argparse
import ctypes
import sys
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

from .. import checkpoint
from ..checkpoint.places import check_name
from .errors import TrainingError, writing_to
from .recipe import Recipe, option

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
"""Parameters of `mallopt`, by their numbers in glibc's malloc.h."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `train`: one for each setting of a `Recipe`, and where things go."""
    parser.add_argument("name", help="of the checkpoint")
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="where runs keep their state [runs]"
    )
    kinds, described = get_type_hints(Recipe), get_type_hints(Recipe, include_extras=True)
    for field in fields(Recipe):
        required = field.default is MISSING
        text = described[field.name].__metadata__[0].replace("%", "%%")
        options: dict[str, Any] = {"help": text if required else f"{text} [{field.default}]"}
        kind = kinds[field.name]
        if kind is bool:
            options |= {"action": "store_true"}
        elif required:
            options |= {"required": True, "metavar": "FILE"}
            options |= {"nargs": "+"} if kind is not str else {}
        elif get_args(kind):
            options |= {"choices": get_args(kind), "default": field.default}
        else:
            options |= {"type": kind, "default": field.default, "metavar": kind.__name__.upper()}
        parser.add_argument(option(field.name), **options)


def run(args: argparse.Namespace) -> None:
    """Trains, or goes on where the same command was interrupted, and publishes the checkpoint.

    Raises:
        HeadlightError: no model can be called so.
        TrainingError: see its sentence.
    """
    check_name(args.name)
    keep_freed_memory()
    from .loop import Trainer
    from .publish import publish
    from .summary import summary

    values: dict[str, Any] = {field.name: getattr(args, field.name) for field in fields(Recipe)}
    values["train"] = tuple(values["train"])
    recipe = Recipe(**values)
    folder: Path = args.runs / args.name
    shipped = checkpoint.trained_folder() / args.name
    if (hidden := checkpoint.checkpoints_folder() / args.name) != shipped and hidden.exists():
        raise TrainingError(
            f"{args.name} is a model that came along, which would hide yours: choose another name"
        )
    trainer = Trainer(recipe, folder)
    trainer.say(summary(trainer))
    trainer.run()
    if trainer.interrupted:
        step = trainer.progress.step
        trainer.say(f"Saved after step {step}: the same command goes on from here.")
    elif trainer.processes.main:
        with writing_to(shipped):
            trainer.say(publish(folder, shipped, trainer.dev, trainer.examples))
        trainer.say(
            f"It is in the page's list at the next start of `headlight`, or try "
            f"`python -m transformer translate --model {args.name}`."
        )
    trainer.end()


def keep_freed_memory() -> None:
    """Freed memory stays with this process, for its next tensors, where glibc is the allocator.

    By default the logits of a batch, 80 MB and more, go back to Linux at every step and come again
    page by page: arithmetic on such a tensor then takes four times as long.
    """
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(M_MMAP_MAX, 0)
        libc.mallopt(M_TRIM_THRESHOLD, -1)
