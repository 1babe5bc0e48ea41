"""What a model nearly said: the likeliest tokens of every step."""

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor

from ..trace.sampling import Sampling
from .sampling import chances

Step = tuple[tuple[int, float, float | None], ...]
"""Candidates: id, probability, and that in the draw, or None where nothing was drawn."""

MAX_LOGITS = 250_000
"""Numbers (1 MB) that are put aside before their candidates are worked out: what a core's cache
holds."""


class Candidates:
    """The likeliest tokens of every step.

    Logits are put aside, as one softmax over a few steps is cheaper than a few; but not so many
    that they would have to come back out of memory.
    """

    def __init__(self, top_k: int, samplings: Sequence[Sampling | None]) -> None:
        self.top_k = top_k
        self.samplings = samplings
        self._waiting: list[tuple[Tensor, Tensor]] = []
        self._owners: list[int] = []  # of each line that waits, its row
        self._steps: list[list[Step]] = [[] for _ in samplings]

    def add(self, logits: Tensor, tokens: Tensor, rows: Sequence[int]) -> None:
        """Adds logits [rows, steps, vocab] and the tokens [rows, steps] that were emitted there."""
        if not self.top_k or not tokens.numel():
            return
        self._waiting.append((logits.flatten(0, 1), tokens.flatten()))
        self._owners += [row for row in rows for _ in range(tokens.size(1))]
        if len(self._owners) * logits.size(-1) > MAX_LOGITS:
            self._reduce()

    def rows(self, ids: Sequence[Sequence[int]]) -> list[tuple[Step, ...]]:
        """Candidates [row][step] at `ids`: the best tokens, and the emitted one."""
        if not self.top_k:
            return [((),) * len(row) for row in ids]
        self._reduce()
        return [tuple(s[:length]) for length, s in zip(map(len, ids), self._steps, strict=True)]

    def _reduce(self) -> None:
        if not self._waiting:
            return
        logits, tokens = (torch.cat(part) for part in zip(*self._waiting, strict=True))
        shares = logits.softmax(-1)
        best = shares.topk(min(self.top_k, shares.size(-1))).indices
        candidates = torch.cat((best, tokens[:, None]), dim=-1)
        probabilities = shares.gather(-1, candidates)
        drawn = torch.zeros_like(probabilities)
        for row in set(self._owners):
            if sampling := self.samplings[row]:
                lines = [line for line, owner in enumerate(self._owners) if owner == row]
                drawn[lines] = chances(logits[lines], sampling).gather(-1, candidates[lines])
        columns = (cast(list[Any], part.tolist()) for part in (candidates, probabilities, drawn))
        for owner, ids, *numbers in zip(self._owners, *columns, strict=True):
            chance = numbers[1] if self.samplings[owner] else [None] * len(ids)
            step: Step = tuple(zip(ids, numbers[0], chance, strict=True))
            # The emitted token, the last, may be one of the best.
            self._steps[owner].append(step[:-1] if ids[-1] in ids[:-1] else step)
        self._waiting.clear()
        self._owners.clear()
