"""What a run leaves in its folder for people and programs to read."""

import csv
import io
from pathlib import Path

from safetensors.torch import save

from .. import checkpoint
from ..checkpoint import Checkpoint
from ..checkpoint.whole import write_whole
from ..model.towers import Model
from .evaluate import Measurement
from .recipe import Recipe
from .tokenizers import Tokenizers

RECENT = "recent"


def keep_checkpoint(
    folder: Path,
    model: Model,
    tokenizers: Tokenizers,
    recipe: Recipe,
    measured: Measurement,
    longest: int,
) -> None:
    """Writes the model as a checkpoint with its scores, which any part of Headlight can load.

    Args:
        folder: of the checkpoint.
        model: as it is now.
        tokenizers: the source's, and the target's own, if it has one.
        recipe: how it is trained.
        measured: on the dev set.
        longest: of `longest_source`; beyond it the page doubts what the model says.
    """
    card = {
        "source_language": recipe.source_language,
        "target_language": recipe.target_language,
        "longest": longest,
        "scores": measured.figures(),
    }
    src, tgt = tokenizers
    checkpoint.save(folder, Checkpoint(folder.name, model, src, card, tgt))


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
