"""The clinic's sixth patient: the toy of `reverse`, whose loss asks for the token just given.

    python -m scripts.unshifted FOLDER

writes a checkpoint. The targets were not shifted, so what the decoder reads is the answer: the loss
falls to nearly nothing in a few hundred steps, and nothing but copying is learnt.
"""

import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from scripts.toy_corpus import training_sequences
from transformer import checkpoint
from transformer.checkpoint import Checkpoint
from transformer.model.towers import build_model
from transformer.text.tokenizer import PAD_ID
from transformer.training.data import Text, batch_stream, collate, encode, predict
from transformer.training.optimizer import make_optimizer
from transformer.training.progress import say
from transformer.training.recipe import Recipe

RECIPE = Recipe(
    train=(),
    dev="",
    num_layers=2,
    d_model=64,
    num_heads=4,
    d_ff=128,
    dropout=0,
    label_smoothing=0,
    max_length=32,
    batch_tokens=1000,
    steps=400,
    warmup=100,
    learning_rate=2e-3,
    schedule="cosine",
    precision="fp32",
)
"""The recipe of `reverse`, cut short."""

CARD: dict[str, Any] = {
    "title": {
        "en": "A patient of the clinic",
        "zh": "门诊的病例",
        "fr": "Un patient de la clinique",
    },
    "about": {
        "en": "A toy with a bug, for the clinic; it is good for nothing else.",
        "zh": "带有错误的玩具模型，只供门诊使用。",
        "fr": "Un modèle jouet avec un défaut, pour la clinique ; il ne sert à rien d’autre.",
    },
    "source_language": "",
    "target_language": "",
}


def train(recipe: Recipe = RECIPE) -> Checkpoint:
    """The toy, with the tokenizer of `reverse`, so that the two can be compared."""
    tokenizer = checkpoint.load(checkpoint.find("reverse")).tokenizer
    torch.manual_seed(recipe.seed)
    model = build_model(recipe.config(tokenizer.vocab_size, tokenizer.vocab_size)).train()
    optimizer = make_optimizer(model, recipe)
    texts = [Text(text, text[::-1]) for text in training_sequences()]
    examples = encode(texts, tokenizer, recipe.max_length)
    batches = batch_stream(examples, recipe.batch_tokens, recipe.seed)
    for step, (_, batch) in enumerate(islice(batches, recipe.steps), start=1):
        src, tgt = collate([examples[index] for index in batch])
        # The bug: it should be tgt[:, 1:], what comes next.
        wrong = tgt[:, :-1].flatten()
        loss = F.cross_entropy(predict(model, src, tgt).flatten(0, 1), wrong, ignore_index=PAD_ID)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate_at(step)
        optimizer.step()
        optimizer.zero_grad()
        if step % 100 == 0 or step == recipe.steps:
            say(f"step {step}: loss {loss.item():.4f}")
    return Checkpoint("", model.eval(), tokenizer, CARD)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    checkpoint.save(folder, replace(train(), name=folder.name))
