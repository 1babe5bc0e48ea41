"""A toy's training from random weights, in seconds, to be watched: `toys` says what it learns."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from ..model.towers import Model
from ..recording.hooks import record
from ..trace.kinds import Kind
from ..trace.packing import Weights
from .data import predict
from .descent import Adam
from .moments import log_spaced
from .toys import PAD, SEED, TOYS, WATCHED, Toy

BATCH = 32
RATE, WARMUP = 3e-3, 60
BETAS, EPS = (0.9, 0.98), 1e-9
"""Adam's, as in Vaswani et al. 2017, section 5.3."""

UNSEEN = 40
"""Words that it is measured on, and never learns from."""


@dataclass(frozen=True, eq=False)
class Moment:
    """The toy after some steps.

    Attributes:
        step: how many.
        loss: of the step's batch, nats a token; at 0, of the first batch.
        output: what it makes of the watched word.
        right: the share of unseen words that it makes of what it is to, 0 to 1.
        weights: its teacher-forced attention over the watched word, [layer, head, query, key].
    """

    step: int
    loss: float
    output: str
    right: float
    weights: dict[Kind, Weights]


def from_noise(steps: int | None = None, toy: Toy = TOYS["reverse"]) -> Iterator[Moment | None]:
    """Trains; after each step comes a moment, if it is one of some forty (most of them early).

    Args:
        steps: of training, if not the toy's own; the schedule is that of so many.
        toy: what is learnt.
    """
    steps = toy.steps if steps is None else steps
    model = toy.fresh()
    words = np.random.default_rng(SEED)
    unseen = {WATCHED, *toy.words(np.random.default_rng(SEED + 1), UNSEEN)}
    descent = _Descent(model)
    moments = set(log_spaced(steps))
    for step in range(steps + 1):
        batch = [word for word in toy.words(words, BATCH) if word not in unseen]
        src, tgt = toy.batch(batch)
        logits = predict(model, src, tgt)
        loss = F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=PAD)
        if step in moments:
            yield _moment(toy, model, step, loss.item(), sorted(unseen - {WATCHED}))
        if step < steps:
            loss.backward()
            descent.step(RATE * min((step + 1) / WARMUP, (steps - step) / (steps - WARMUP)))
            yield None


def _moment(toy: Toy, model: Model, step: int, loss: float, unseen: list[str]) -> Moment:
    output, *others = toy.says(model, [WATCHED, *unseen])
    right = [one == toy.answer(word) for one, word in zip(others, unseen, strict=True)]
    with torch.inference_mode(), record(model, ("weights",)) as recording:
        predict(model, *toy.batch([WATCHED]))
    weights: dict[Kind, Weights] = {kind: each[0] for kind, each in recording.arrays().items()}
    return Moment(step, loss, output, float(np.mean(right)), weights)


class _Descent:
    """Adam over one vector of all parameters: a dozen operations a step."""

    def __init__(self, model: Model) -> None:
        parameters = list(model.parameters())
        values = torch.cat([each.detach().flatten() for each in parameters])
        self._gradient = torch.zeros_like(values)
        self._adam = Adam(values, BETAS, EPS)
        start = 0
        for each in parameters:
            part = slice(start, start := start + each.numel())
            each.data = values[part].view_as(each)
            each.grad = self._gradient[part].view_as(each)

    def step(self, rate: float) -> None:
        """Moves all parameters against their gradient, which is 0 then."""
        self._adam.step(self._gradient, rate)
        self._gradient.zero_()
