"""From a run's folder to a checkpoint that the page can open."""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import load_file  # pyright: ignore[reportUnknownVariableType]

from .. import checkpoint
from ..checkpoint import Checkpoint
from ..model import Model
from . import history
from .data import Example
from .evaluate import Measurement, measure
from .keep import recent


def publish(run: Path, folder: Path, dev: Sequence[Example]) -> str:
    """Writes the better of the run's best model and the average of its last ones.

    Scores are those of the model as shipped, loaded back from float16. What people wrote into an
    earlier card of the same folder (title, examples) stays, and so does its README.

    Args:
        run: the run's folder.
        folder: the checkpoint's.
        dev: to choose by, and to score on.
    Returns:
        What was chosen, and its scores, in a sentence.
    """
    best = checkpoint.load(run / "best")
    files = recent(run)
    average = replace(best, model=average_weights(files, checkpoint.load(run / "best").model))
    of_best, of_average = as_shipped(best, dev), as_shipped(average, dev)
    averaging = of_average.figure > of_best.figure
    chosen, measured = (average, of_average) if averaging else (best, of_best)

    written = checkpoint.read_card(folder) if (folder / checkpoint.CONFIG).exists() else {}
    card = {**best.card, **written, "scores": measured.figures()}
    checkpoint.save(folder, replace(chosen, name=folder.name, card=card))
    shutil.copyfile(run / history.FILE, folder / history.FILE)
    what = f"the average of the last {len(files)} models" if averaging else "the best model"
    scores = ", ".join(f"{name} {value}" for name, value in measured.figures().items())
    return f"{folder}: {what}: {scores}"


def average_weights(files: Sequence[Path], model: Model) -> Model:
    """Sets each weight of `model` to its mean over `files`, and returns it."""
    sums = {name: torch.zeros_like(p) for name, p in model.named_parameters()}
    for file in files:
        for name, tensor in load_file(file).items():
            sums[name] += tensor
    for name, parameter in model.named_parameters():
        parameter.data.copy_(sums[name] / len(files))
    return model


def as_shipped(trained: Checkpoint, dev: Sequence[Example]) -> Measurement:
    """Measures a checkpoint after its way through a folder, which rounds it to float16."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoint.save(Path(folder), trained)
        shipped = checkpoint.load(Path(folder))
    language = trained.card["target_language"]
    return measure(shipped.model, shipped.tokenizer, dev, language)
