"""What a run tells the person who started it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from ..decoding import decode
from ..model import LanguageModel
from ..tokenizer import Tokenizer
from . import curve
from .history import Pair
from .recipe import Recipe

if TYPE_CHECKING:
    from .loop import Trainer

FORECAST_AFTER = 20
"""Steps after which the time that a run will take can be told."""


def summary(trainer: "Trainer") -> str:
    """What is about to happen, on one screen, before the first step."""
    recipe, folder, step = trainer.recipe, trainer.folder, trainer.progress.step
    examples, config = trainer.examples, trainer.model.config
    tokens = sum(len(example.tgt) - 1 for example in examples)
    parameters = sum(p.numel() for p in trainer.model.parameters())
    kind = "texts" if recipe.decoder_only else "sentence pairs"
    towers = "" if recipe.decoder_only else f"{config.num_encoder_layers} encoder and "
    device = f"{trainer.processes.count} × {trainer.processes.device}"
    lines = {
        "learns from": f"{len(examples):,} {kind} ({tokens:,} target tokens)",
        "is measured on": f"{len(trainer.dev):,} that it never learns from, every "
        f"{recipe.eval_every:,} steps",
        "left out": f"{trainer.skipped:,} longer than --max-length {recipe.max_length} tokens",
        "model": f"{parameters:,} parameters on {device}: {towers}{config.num_decoder_layers} "
        f"decoder layers of width {config.d_model}, {config.num_heads} heads, vocabulary "
        f"{config.tgt_vocab_size:,}",
        "starts from": recipe.start_from,
        "length": (f"goes on after step {step:,} of" if step else "Training for")
        + f" {recipe.steps:,} steps of up to {recipe.batch_tokens:,} tokens"
        + (f"; ends after {recipe.patience} measurements without a better" * (recipe.patience > 0)),
        "kept in": f"{folder}; open {folder / curve.FILE} to see it learn",
        "Ctrl-C": "saves and ends; the same command goes on from there",
    }
    if not trainer.skipped:
        del lines["left out"]
    if not recipe.start_from:
        del lines["starts from"]
    width = max(map(len, lines))
    return "\n".join([folder.name, *(f"  {key:<{width}}  {text}" for key, text in lines.items())])


def forecast(recipe: Recipe, step: int, seconds_a_step: float) -> str:
    """How long the rest takes, without the measurements."""
    minutes = (recipe.steps - step) * seconds_a_step / 60
    if minutes < 1.5:
        time = "less than a minute" if minutes < 1 else "a minute"
    else:
        time = f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
    return f"At this speed the {recipe.steps - step:,} steps to go take {time}."


def measurement(row: Mapping[str, float]) -> str:
    """One measurement, in a line."""
    return "  ".join(f"{name} {value:g}" for name, value in row.items())


def samples(
    model: torch.nn.Module,
    tokenizer: Tokenizer,
    pairs: Sequence[Pair],
    translations: Mapping[str, str],
) -> Iterator[str]:
    """A few dev sentences with their translations; or, of a language model, with what it adds.

    Args:
        model: in evaluation mode.
        tokenizer: its own.
        pairs: what to show.
        translations: of the pairs' sources; a language model has none.
    """
    for pair in pairs:
        if isinstance(model, LanguageModel):
            beginning = tokenizer.encode(pair["target"])[: len(pair["tgt_out"]) // 3 or 1]
            [hypothesis] = decode(model, None, prefix=beginning, top_k=0)
            whole = tokenizer.decode(hypothesis.ids)
            begun = tokenizer.decode(beginning)
            yield f"    {begun} → {whole.removeprefix(begun)}"
        else:
            yield f"    {pair['source']} → {translations[pair['source']]}"
