"""A student's own model learns to spell backwards with the student's own step, in the child."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .exercises.spelling import BOS, EOS, LONGEST, PAD, VOCABULARY, batch_of, random_words, word_of
from .folder import MODEL
from .student_code import load

D_MODEL, HEADS, LAYERS, D_FF = 64, 4, 1, 128
STEPS, WARMUP, BATCH, RATE = 500, 50, 64, 3e-3
SEEN, UNSEEN = 20_000, 200
"""Words: to learn from, and to be measured on."""

THREADS = 1


def learn(folder: Path, request: Mapping[str, Any], far: Callable[[object], None]) -> object:
    """Trains, and spells words that were not seen; tells the loss now and then."""
    torch.set_num_threads(THREADS)
    begun = time.monotonic()
    parts = {name: load(folder, name) for name in (MODEL, "training", "decoding")}
    torch.manual_seed(0)
    sizes = (VOCABULARY, VOCABULARY, D_MODEL, HEADS, LAYERS, LAYERS, D_FF, PAD)
    model: nn.Module = parts[MODEL].Transformer(*sizes).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.98))
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, _share)
    words = random_words(SEEN + UNSEEN, seed=0)
    steps = request.get("steps", STEPS)
    losses: list[float] = []
    for step in range(steps):
        start = step * BATCH % SEEN
        batch = batch_of(words[start : min(start + BATCH, SEEN)])
        loss = float(parts["training"].train_step(model, optimizer, *batch, PAD))
        rate.step()
        if step % 10 == 0 or step == steps - 1:
            losses.append(loss)
        if step % 100 == 0 or step == steps - 1:
            seconds = round(time.monotonic() - begun)
            far({"step": step + 1, "steps": steps, "loss": f"{loss:.3f}", "seconds": seconds})
    seconds = time.monotonic() - begun
    model.eval()
    with torch.inference_mode():
        greedy = parts["decoding"].greedy
        right = sum(_spelt(greedy, model, word) == word[::-1] for word in words[SEEN:])
    return {"share": right / UNSEEN, "count": UNSEEN, "seconds": seconds, "losses": losses}


def _share(step: int) -> float:
    """The learning rate's share at a step: it rises, then falls to 0."""
    return min((step + 1) / WARMUP, max(0.0, (STEPS - step) / (STEPS - WARMUP)))


def _spelt(greedy: Callable[..., Any], model: nn.Module, word: str) -> str:
    src, _ = batch_of([word])
    outputs = greedy(model, src, BOS, EOS, LONGEST + 2)
    return word_of(
        [int(i) for i in (outputs.flatten() if isinstance(outputs, Tensor) else outputs)]
    )
