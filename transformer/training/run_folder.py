"""What a run leaves in its folder for people and programs to read."""

import csv
import io
from dataclasses import replace
from pathlib import Path

from safetensors.torch import save

from .. import checkpoint
from ..checkpoint import Checkpoint
from ..checkpoint.whole import write_whole
from ..model.towers import Model
from .evaluate import Measurement

RECENT = "recent"


def keep_checkpoint(folder: Path, trained: Checkpoint, measured: Measurement) -> None:
    """Writes a model with its scores on the dev set, for any part of Headlight to load."""
    card = {**trained.card, "scores": measured.figures()}
    checkpoint.save(folder, replace(trained, name=folder.name, card=card))


def keep_recent(run: Path, step: int, model: Model, most: int) -> None:
    """Keeps the full-precision weights of the last few measured models, to average them."""
    folder = run / RECENT
    folder.mkdir(exist_ok=True)
    weights = {name: parameter.detach().cpu() for name, parameter in model.named_parameters()}
    write_whole(folder / f"{step:08d}.safetensors", save(weights))
    for old in recent(run)[:-most]:
        old.unlink()


def recent(run: Path) -> list[Path]:
    """The files of `keep_recent`, oldest first."""
    return sorted((run / RECENT).glob("*.safetensors"))


def write_curve(path: Path, rows: list[dict[str, float]]) -> None:
    """The learning curve as CSV, one row a measurement."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["step"])
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())
