"""Training runs small enough to take a second."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from scripts import toy_corpus
from transformer.training.loop import Trainer
from transformer.training.recipe import Recipe


def write_corpus(folder: Path) -> Path:
    """Short words to spell backwards."""
    for name, count in (("train", 300), ("dev", 12)):
        words = toy_corpus.sequences(count, seed=count, longest=5)
        lines = (f"{word}\t{word[::-1]}\n" for word in words)
        (folder / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


def tiny_recipe(corpus: Path, **changes: Any) -> Recipe:
    recipe = Recipe(
        train=(str(corpus / "train.tsv"),),
        dev=str(corpus / "dev.tsv"),
        vocab_size=66,
        num_layers=1,
        d_model=16,
        num_heads=2,
        d_ff=16,
        max_length=16,
        dropout=0.1,
        batch_tokens=200,
        steps=12,
        warmup=4,
        learning_rate=0.01,
        eval_every=6,
        save_every=4,
        average=2,
    )
    return replace(recipe, **changes)


def trained(recipe: Recipe, folder: Path) -> Trainer:
    trainer = Trainer(recipe, folder)
    trainer.run()
    return trainer
