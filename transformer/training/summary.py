"""What a run is about to do, told before its first step."""

from .curve import FILE as CURVE
from .loop import Trainer


def summary(trainer: Trainer) -> str:
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
        "kept in": f"{folder}; open {folder / CURVE} to see it learn",
        "Ctrl-C": "saves and ends; the same command goes on from there",
    }
    if not trainer.skipped:
        del lines["left out"]
    if not recipe.start_from:
        del lines["starts from"]
    width = max(map(len, lines))
    return "\n".join([folder.name, *(f"  {key:<{width}}  {text}" for key, text in lines.items())])
