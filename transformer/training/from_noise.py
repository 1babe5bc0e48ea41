"""A toy that learns to spell backwards in seconds, from random weights, to be watched as it does.

Words of up to six letters; one seed, so that everybody sees the same.
"""

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ..decoding import decode
from ..model.config import TransformerConfig
from ..model.padding import pad
from ..model.towers import Model, build_model
from ..recording.hooks import record
from ..trace.kinds import Kind
from ..trace.packing import Weights
from .descent import Adam
from .history import Pair
from .moments import log_spaced

STEPS, BATCH, LONGEST, SEED = 600, 32, 6, 7
RATE, WARMUP = 3e-3, 60
BETAS, EPS = (0.9, 0.98), 1e-9
"""Adam's, as in Vaswani et al. 2017, section 5.3."""

WATCHED = "planet"
UNSEEN = 40
"""Words that it is measured on, and never learns from."""

SPECIAL = ("<pad>", "<s>", "</s>")
LABELS = (*SPECIAL, *string.ascii_lowercase)
PAD, BOS, EOS = range(3)


@dataclass(frozen=True, eq=False)
class Moment:
    """The toy after some steps.

    Attributes:
        step: how many.
        loss: of the step's batch, nats a token; at 0, of the first batch.
        said: what it makes of the watched word.
        right: the share of unseen words that it spells backwards, 0 to 1.
        weights: its teacher-forced attention over the watched word, [layer, head, query, key].
    """

    step: int
    loss: float
    said: str
    right: float
    weights: dict[Kind, Weights]


def watched_pair() -> Pair:
    """The word that is watched, and the labels of its tokens."""
    target = [BOS, *_ids(WATCHED[::-1]), EOS]
    labels = [LABELS[i] for i in target]
    return Pair(
        source=WATCHED,
        target=WATCHED[::-1],
        src=[LABELS[i] for i in [*_ids(WATCHED), EOS]],
        tgt_in=labels[:-1],
        tgt_out=labels[1:],
    )


def from_noise(steps: int = STEPS) -> Iterator[Moment | None]:
    """Trains; after each step comes a moment, if it is one of some forty (most of them early).

    Args:
        steps: of training; the schedule is that of so many.
    """
    model = _fresh()
    words = np.random.default_rng(SEED)
    unseen = {WATCHED, *_words(np.random.default_rng(SEED + 1), UNSEEN)}
    descent = _Descent(model)
    moments = set(log_spaced(steps))
    for step in range(steps + 1):
        batch = [word for word in _words(words, BATCH) if word not in unseen]
        loss = _loss(model, batch)
        if step in moments:
            yield _moment(model, step, loss.item(), sorted(unseen - {WATCHED}))
        if step < steps:
            loss.backward()
            descent.step(RATE * min((step + 1) / WARMUP, (steps - step) / (steps - WARMUP)))
            yield None


def _fresh() -> Model:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        size = len(LABELS)
        return build_model(
            TransformerConfig(
                src_vocab_size=size,
                tgt_vocab_size=size,
                d_model=64,
                num_heads=4,
                num_encoder_layers=2,
                num_decoder_layers=2,
                d_ff=128,
                dropout=0.0,
                max_length=LONGEST + 2,
                tied_embeddings="all",
                banned_ids=(PAD, BOS),
            )
        ).eval()  # nothing is dropped out, whichever its mode


def _ids(word: str) -> list[int]:
    return [LABELS.index(letter) for letter in word]


def _words(generator: np.random.Generator, count: int) -> list[str]:
    lengths = generator.integers(1, LONGEST + 1, count).tolist()
    letters = list(string.ascii_lowercase)
    return ["".join(generator.choice(letters, length).tolist()) for length in lengths]


def _pair(words: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Sources and targets, [batch, length]."""
    src = pad([[*_ids(word), EOS] for word in words], PAD)
    return src, pad([[BOS, *_ids(word[::-1]), EOS] for word in words], PAD)


def _loss(model: Model, words: Sequence[str]) -> Tensor:
    src, tgt = _pair(words)
    logits = model(src, tgt[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=PAD)


def _moment(model: Model, step: int, loss: float, unseen: Sequence[str]) -> Moment:
    said = decode(model, _pair([WATCHED, *unseen])[0], max_steps=LONGEST + 1, top_k=0)
    spelt = ["".join(LABELS[i] for i in each.ids if i > EOS) for each in said]
    right = [one == word[::-1] for one, word in zip(spelt[1:], unseen, strict=True)]
    src, tgt = _pair([WATCHED])
    with torch.inference_mode(), record(model, ("weights",)) as recording:
        model(src, tgt[:, :-1])
    weights: dict[Kind, Weights] = {kind: each[0] for kind, each in recording.arrays().items()}
    return Moment(step, loss, spelt[0], float(np.mean(right)), weights)


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
