"""From a run's folder to a checkpoint that the page can open."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import load_file  # pyright: ignore[reportUnknownVariableType]

from .. import checkpoint
from ..ask.observed import observe
from ..checkpoint import Checkpoint
from ..checkpoint.whole import write_whole
from ..inside.heads import ship
from ..measure.explaining import explain
from ..measure.representative import as_card, representative_heads_over
from ..model.towers import Model
from ..trace.head_names import RepresentativeHead
from ..trace.kinds import Kind
from ..translator import Translator
from .data import Example
from .evaluate import Measurement, measure
from .history import CURVE
from .history import FILE as HISTORY
from .run_folder import recent

REPRESENTATIVE = 500
"""Sentences on which the representative heads are measured."""


def publish(run: Path, folder: Path, dev: Sequence[Example], train: Sequence[Example] = ()) -> str:
    """Writes the better of the run's best model and the average of its last ones.

    Scores are those of the model as shipped, loaded back from float16. What people wrote into an
    earlier card of the same folder (title, examples) stays, and so does its README. The card names
    the heads that are worth looking at first; what each head does over `dev` lies beside it.

    Args:
        run: the run's folder.
        folder: the checkpoint's.
        dev: to choose by, and to score on.
        train: what its lexicon is learned from, if it is of two languages.
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
    heads = {"heads": as_card(representative_heads_of(chosen, dev))}
    card = {**best.card, **written, "scores": measured.figures(), **heads}
    checkpoint.save(folder, replace(chosen, name=folder.name, card=card))
    for name in (HISTORY, CURVE):
        if (run / name).exists():
            write_whole(folder / name, (run / name).read_bytes())
    ship(Translator.load(folder), folder, lambda: ((each.src, each.tgt) for each in dev))
    if train and not chosen.model.config.decoder_only:
        explain(folder, [(each.text.source, each.text.target) for each in train])
    what = f"the average of the last {len(files)} models" if averaging else "the best model"
    scores = ", ".join(f"{name} {value}" for name, value in measured.figures().items())
    return f"{folder}: {what}: {scores}"


def representative_heads_of(
    trained: Checkpoint, dev: Sequence[Example]
) -> dict[Kind, RepresentativeHead]:
    """The heads that are worth looking at first, measured on up to `REPRESENTATIVE` of `dev`."""
    # From all over the file, which may be sorted.
    chosen = dev[:: max(1, len(dev) // REPRESENTATIVE)][:REPRESENTATIVE]
    pairs = ((example.src, example.tgt) for example in chosen)
    return representative_heads_over([*observe(Translator(trained), pairs)])


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
        return measure(Translator(checkpoint.load(Path(folder))), dev)
