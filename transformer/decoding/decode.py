"""Decoding with a key/value cache: greedily, or by drawing lots."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from ..model.towers import Model
from ..trace.sampling import Sampling, StopReason
from .candidates import Candidates, Step
from .prefixes import Forced, Prefix, read_prefixes
from .rows import LiveRows
from .sampling import chooser
from .stepper import Stepper

MOST_GOING = 0.75
"""Rows that have ended are left out once only this share goes on: doing so copies the cache."""


@dataclass(frozen=True)
class Hypothesis:
    """What was decoded, and what nearly was.

    Attributes:
        ids: the emitted tokens, forced prefix included; the last is eos if `stop_reason` is "eos".
        stop_reason: "eos", the model ended the sentence; "max_steps" or "max_length", the caller's
            or the model's limit ended it.
        candidates: at every step, the `top_k` likeliest tokens, best first, and after them the
            emitted token if it is none of them: each its id, its probability, which is the model's
            own, whatever the sampling; and that in the distribution that was sampled, after
            temperature and top-k, or None for greedy decoding.
    """

    ids: tuple[int, ...]
    stop_reason: StopReason
    candidates: tuple[Step, ...]


@torch.inference_mode()
def decode(
    model: Model,
    src: Tensor | None,
    *,
    prefix: Prefix = (),
    sampling: Sampling | Sequence[Sampling | None] | None = None,
    max_steps: int = 64,
    top_k: int = 10,
    live: LiveRows | None = None,
) -> list[Hypothesis]:
    """Emits a token, step after step, until the sentence ends: the likeliest, or one drawn.

    A row of a batch gets the tokens that it would get alone, whatever the others are.

    Args:
        model: in evaluation mode.
        src: int64 [batch, src], padded, each row ending in eos. A decoder-only model continues
            `prefix`; its source is empty, [batch, 0], or None.
        prefix: tokens that every hypothesis is made to begin with, [prefix]; or for each its own,
            of any length, [batch][prefix]. One that ends in eos is the whole hypothesis.
        sampling: how to draw, for all or for each; None takes the likeliest token (greedy
            decoding).
        max_steps: the most tokens to emit after the prefix; at least 1.
        top_k: how many candidates to keep at every step; with 0 none are computed.
        live: told which rows each pass of the decoder computes, and from which step on, for those
            who hook into it.
    Returns:
        One hypothesis for each row of `src`, or of `prefix`.
    Raises:
        ValueError: `max_steps` is not positive or `top_k` negative, a source is empty, or there
            are more of one thing than of another.
        HeadlightError: the prefix holds an id outside the vocabulary or an eos before its end, or
            is longer than the model's maximum length.
    """
    if max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, not {max_steps}")
    if top_k < 0:
        raise ValueError(f"top_k must be at least 0, not {top_k}")
    prefixes = read_prefixes(prefix, model.config, None if src is None else src.size(0))
    if src is None:
        src = torch.empty(len(prefixes), 0, dtype=torch.long)
    batch = _Batch(model, src, prefixes, _each(sampling, len(prefixes)), max_steps, top_k, live)
    tokens = batch.prefill()
    while batch.going:
        tokens = batch.step(tokens)
    return batch.hypotheses()


class _Batch:
    """What is decoded side by side, a row a hypothesis.

    Attributes:
        going: places, among the live rows, of those that have not ended.
    """

    def __init__(
        self,
        model: Model,
        src: Tensor,
        prefixes: list[list[int]],
        samplings: list[Sampling | None],
        max_steps: int,
        top_k: int,
        live: LiveRows | None,
    ) -> None:
        self._config, device = model.config, next(model.parameters()).device
        eos, longest = self._config.eos_id, self._config.max_length
        self._wanted = [len(ids) + max_steps for ids in prefixes]
        # A row's end: it emits nothing there, nor later.
        self._ends = [
            len(ids) if ids[-1:] == [eos] else max(len(ids), min(wanted, self._config.most_emitted))
            for ids, wanted in zip(prefixes, self._wanted, strict=True)
        ]
        self._common = min(map(len, prefixes))
        self._emitted = [ids[: self._common] for ids in prefixes]
        self._live = LiveRows(len(prefixes)) if live is None else live
        self._samplings = samplings
        self._choose = chooser(samplings, longest)
        self._forced = Forced(prefixes, device)
        self._candidates = Candidates(top_k, samplings)
        self._pass = Stepper(model, src.to(device), max(self._ends))
        self.going = [row for row, end in enumerate(self._ends) if end > self._common]

    def prefill(self) -> Tensor:
        """One pass over as many tokens as every prefix has; then the first emitted, [row, 1]."""
        forced = self._forced.tokens[:, : self._common]
        start = forced.new_full((len(forced), 1), self._config.bos_id)
        logits = self._read(torch.cat((start, forced), dim=1)[:, : max(self._ends)])
        self._candidates.add(logits[:, : self._common], forced, self._live.now)
        return self._emit(logits[:, -1:]) if self.going else forced

    def step(self, tokens: Tensor) -> Tensor:
        """One pass over the newest tokens [live rows, 1]; then the next ones, of the same shape."""
        if len(self.going) <= MOST_GOING * len(self._live.now):
            tokens = tokens[self.going]
            for each in (self._live, self._pass, self._forced):
                each.keep(self.going)
            self.going = list(range(len(self.going)))
            samplings = [self._samplings[row] for row in self._live.now]
            self._choose = chooser(samplings, self._config.max_length)
        return self._emit(self._read(tokens))

    def _read(self, tokens: Tensor) -> Tensor:
        """Logits [live rows, tokens, vocab] after tokens [live rows, tokens]."""
        logits = self._pass(tokens)
        self._live.first += tokens.size(1)
        return logits

    def _emit(self, logits: Tensor) -> Tensor:
        """A token [live rows, 1] for each row, chosen from logits [live rows, 1, vocab]."""
        live = self._live.now
        position = len(self._emitted[live[self.going[0]]])
        chosen = self._choose(logits[:, 0], position)
        if self._must_end(position):
            chosen = torch.full_like(chosen, self._config.eos_id)
        tokens = self._forced(chosen, position)[:, None]
        self._candidates.add(logits, tokens, live)
        emitted, places, self.going = cast(list[int], tokens[:, 0].tolist()), self.going, []
        for place in places:
            ids = self._emitted[live[place]]
            ids.append(emitted[place])
            if ids[-1] != self._config.eos_id and len(ids) < self._ends[live[place]]:
                self.going.append(place)
        return tokens

    def _must_end(self, position: int) -> bool:
        """Whether a target ends here, whatever the model says."""
        return self._config.ends_longest and position + 1 == self._config.most_emitted

    def hypotheses(self) -> list[Hypothesis]:
        """What has become of every row."""
        rows = zip(self._emitted, self._wanted, self._candidates.rows(self._emitted), strict=True)
        return [self._hypothesis(ids, wanted, steps) for ids, wanted, steps in rows]

    def _hypothesis(self, ids: list[int], wanted: int, candidates: tuple[Step, ...]) -> Hypothesis:
        longest = self._config.most_emitted
        reason: StopReason = "max_length" if longest < wanted else "max_steps"
        if ids[-1:] == [self._config.eos_id] and not self._must_end(len(ids) - 1):
            reason = "eos"
        return Hypothesis(tuple(ids), reason, candidates)


def _each(
    sampling: Sampling | Sequence[Sampling | None] | None, batch: int
) -> list[Sampling | None]:
    if sampling is None or isinstance(sampling, Sampling):
        return [sampling] * batch
    if len(sampling) != batch:
        raise ValueError(f"{len(sampling)} samplings for {batch} rows")
    return list(sampling)
