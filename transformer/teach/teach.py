"""Teaching a model one sentence: teacher forcing, cross-entropy and steps of an optimiser.

Nothing is kept: what learns is a copy in memory, and the checkpoint stays as it is.
"""

import math
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from ..ask.passes import without_banned
from ..ask.pieces import Pieces, finish
from ..ask.trainable import copy_of
from ..decoding import decode
from ..model.padding import pad
from ..model.towers import Model
from ..recording.hooks import record
from ..trace.kinds import Kind
from ..trace.packing import Weights, read_only
from ..training.descent import Descent, Optimizer
from ..training.history import History, Pair
from ..translator import Translator
from .change import Change, settle
from .correction import RATES, STEPS, Correction, Read, read
from .taught import Taught

FILM_CELLS = 2_000_000
"""Weights that a film keeps: of ten words some fifty moments of `en-zh`, and more."""


def teach(
    translator: Translator,
    source: str,
    target: str,
    steps: int = STEPS,
    rate: float | None = None,
    optimizer: Optimizer = "sgd",
) -> Taught:
    """Teaches a copy of the model one sentence.

    Args:
        translator: stays as it is.
        source: what the model reads; a decoder-only model goes on from it.
        target: what it should write then.
        steps: how often it learns, from 1 to 50.
        rate: the learning rate; by default 0.02 for SGD, 0.0003 for Adam.
        optimizer: "sgd" or "adam".
    Raises:
        HeadlightError: a text is empty or too long, or a number out of bounds.
    """
    chosen = RATES.get(optimizer, 0.0) if rate is None else rate
    return finish(learn(translator, Correction(source, target, steps, chosen, optimizer)))


def learn(translator: Translator, correction: Correction, watched: bool = True) -> Pieces[Taught]:
    """`teach`, cut into pieces of a pass or two, so that others have their turn between them.

    Args:
        translator: stays as it is.
        correction: what to learn.
        watched: whether to keep the attention of every moment, and what is said then.
    """
    run = _Run(translator, correction, read(translator, correction))
    for moment in range(correction.steps + 1):
        loss, weights = run.look()
        if watched:
            run.keep(moment, weights)
            yield
            run.speak()
        if not math.isfinite(run.losses[-1]):
            break
        yield
        if moment < correction.steps:
            run.step(loss)
            yield
    return run.end(watched)


@dataclass
class _Run:
    """The run of a correction: what it has done so far."""

    translator: Translator
    correction: Correction
    ids: Read
    losses: list[float] = field(default_factory=list[float])
    probabilities: list[Tensor] = field(default_factory=list[Tensor])
    best: list[list[int]] = field(default_factory=list[list[int]])
    gradients: list[Weights] = field(default_factory=list[Weights])
    by_head: list[dict[Kind, Weights]] = field(default_factory=list[dict[Kind, Weights]])
    outputs: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        translator, ids = self.translator, self.ids
        pieces = translator.tgt_tokenizer.pieces(ids.tgt)
        pair = Pair(
            source=self.correction.source,
            target=self.correction.target,
            src=translator.tokenizer.pieces(ids.src),
            tgt_in=pieces[:-1],
            tgt_out=pieces[1:],
        )
        self.film = History([pair])
        self.pair = pair
        device, ignored = translator.device, translator.config.pad_id
        self.src = pad([ids.src], ignored, device)
        self.tgt_in = torch.tensor([ids.tgt[:-1]], device=device)
        # What is given counts as padding does: not at all.
        self.labels = torch.tensor([ignored] * ids.given + ids.tgt[1 + ids.given :], device=device)
        self.model: Model = copy_of(translator.model)
        self.descent = Descent(self.model, self.correction.optimizer, self.correction.rate)

    def look(self) -> tuple[Tensor, dict[Kind, npt.NDArray[np.float16]]]:
        """One pass: the loss, to be followed, and what was attended to."""
        with record(self.model, ("weights",)) as recording:
            logits = self.model.decode(self.tgt_in, self.model.encode(self.src))[0]
        loss = F.cross_entropy(logits, self.labels, ignore_index=self.translator.config.pad_id)
        self._keep(logits.detach(), loss.item())
        return loss, {
            kind: torch.cat(layers).nan_to_num().half().cpu().numpy()
            for kind, layers in recording.weights.items()
        }

    def keep(self, moment: int, weights: dict[Kind, npt.NDArray[np.float16]]) -> None:
        """Keeps what was attended to; of long sentences at fewer moments, the last among them."""
        cells = sum(of_kind.size for of_kind in weights.values())
        every = math.ceil((self.correction.steps + 1) * cells / FILM_CELLS)
        if moment % every == 0 or moment == self.correction.steps:
            self.film.weights[moment] = [weights]

    def step(self, loss: Tensor) -> None:
        """One step of descent: every parameter moves against its gradient."""
        loss.backward()
        gradients, by_head = self.descent.sizes.take()
        self.gradients.append(gradients)
        self.by_head.append(by_head)

    def _keep(self, logits: Tensor, loss: float) -> None:
        wanted = torch.tensor(self.ids.tgt[1:], device=logits.device)
        self.losses.append(loss)
        self.probabilities.append(logits.softmax(-1).gather(-1, wanted[:, None])[:, 0])
        best = without_banned(self.translator, logits).argmax(-1)
        self.best.append(cast(list[int], best.tolist()))

    def speak(self) -> None:
        """What the model makes of the source now."""
        ids, tokenizer = self.ids, self.translator.tgt_tokenizer
        if self._right(len(self.best) - 1):  # greedy decoding would read and say the same
            self.outputs.append(tokenizer.decode(ids.tgt[1:]))
            return
        prompt = ids.tgt[1 : 1 + ids.given]
        longest = 2 * len(ids.tgt) + 10  # a model that was spoilt would go on for long
        [hypothesis] = decode(self.model, self.src, prefix=prompt, max_steps=longest, top_k=0)
        self.outputs.append(tokenizer.decode(hypothesis.ids))

    def _right(self, moment: int) -> bool:
        given = self.ids.given
        return self.best[moment][given:] == self.ids.tgt[1 + given :]

    def end(self, watched: bool) -> Taught:
        """What became of it."""
        translator, pieces = self.translator, self.translator.tgt_tokenizer.pieces
        learnt = next((m for m in range(len(self.best)) if self._right(m)), None)
        first, final = self.losses[0], self.losses[-1]
        undone = None
        if not final <= first:
            undone = "rose" if math.isfinite(final) else "not_a_number"
        state = f"{translator.checkpoint}+{self.correction.hash}"
        self.descent.end()
        self.model.requires_grad_(False)
        change = None if undone else settle(translator.model, self.model, state)
        if change is None:
            undone, change = undone or "not_a_number", Change(translator.checkpoint, {})
        else:
            translator = Translator(replace(translator.loaded, model=self.model, hash=state))
        heads: dict[Kind, Weights] = {
            kind: read_only(np.array([step[kind] for step in self.by_head]))
            for kind in self.by_head[0]
        }
        return Taught(
            translator=translator,
            change=change,
            correction=self.correction,
            src=tuple(self.pair["src"]),
            tgt_in=tuple(self.pair["tgt_in"]),
            tgt_out=tuple(self.pair["tgt_out"]),
            counts=tuple(t >= self.ids.given for t in range(len(self.labels))),
            losses=np.array(self.losses),
            probabilities=read_only(torch.stack(self.probabilities).cpu().numpy()),
            likeliest=tuple(tuple(pieces(ids)) for ids in self.best),
            parts=self.descent.sizes.parts.names,
            shared=self.descent.sizes.parts.shared,
            gradients=read_only(np.array(self.gradients)),
            head_gradients=heads,
            outputs=tuple(self.outputs),
            learnt=learnt,
            undone=undone,
            rose=next((m for m, loss in enumerate(self.losses) if not loss <= first), None),
            film=self.film if watched else None,
        )
