"""What a model nearly said: the likeliest tokens of every step."""

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor

from .sampling import Sampling, chances

Steps = tuple[tuple[tuple[int, float], ...], ...]
"""Candidates (id, probability) of every step."""

Drawn = tuple[tuple[float, ...], ...]
"""Of every step's candidates, the probability in the distribution that was sampled."""

_Step = tuple[list[int], list[float], list[float]]
"""The ids that are kept of a step, their probabilities, and their chances in the draw."""

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
        self._found: list[list[_Step]] = [[] for _ in samplings]

    def add(self, logits: Tensor, tokens: Tensor, rows: Sequence[int]) -> None:
        """Logits [rows, steps, vocab], and the tokens [rows, steps] that were emitted there.

        Args:
            logits: the model's.
            tokens: what became of them.
            rows: which of the batch.
        """
        if not self.top_k or not tokens.numel():
            return
        self._waiting.append((logits.flatten(0, 1), tokens.flatten()))
        self._owners += [row for row in rows for _ in range(tokens.size(1))]
        if len(self._owners) * logits.size(-1) > MAX_LOGITS:
            self._reduce()

    def rows(self, ids: Sequence[Sequence[int]]) -> list[tuple[Steps, Drawn | None]]:
        """For each row of `ids`, at each step the best tokens, and the emitted one.

        Beside them the chance that each had in the draw; None for a row where nothing was drawn.
        """
        if not self.top_k:
            return [(((),) * len(row), None) for row in ids]
        self._reduce()
        rows: list[tuple[Steps, Drawn | None]] = []
        for length, sampling, found in zip(map(len, ids), self.samplings, self._found, strict=True):
            steps = [_without_repetition(*step) for step in found[:length]]
            drawn = tuple(tuple(chance for _, _, chance in step) for step in steps)
            candidates = tuple(tuple((i, share) for i, share, _ in step) for step in steps)
            rows.append((candidates, drawn if sampling else None))
        return rows

    def _reduce(self) -> None:
        if not self._waiting:
            return
        logits, tokens = (torch.cat(part) for part in zip(*self._waiting, strict=True))
        shares = logits.softmax(-1)
        best = shares.topk(min(self.top_k, shares.size(-1))).indices
        kept = torch.cat((best, tokens[:, None]), dim=-1)
        probabilities = shares.gather(-1, kept)
        drawn = torch.zeros_like(probabilities)
        for row in set(self._owners):
            if sampling := self.samplings[row]:
                lines = [line for line, owner in enumerate(self._owners) if owner == row]
                drawn[lines] = chances(logits[lines], sampling).gather(-1, kept[lines])
        found = (cast(list[Any], part.tolist()) for part in (kept, probabilities, drawn))
        for owner, *step in zip(self._owners, *found, strict=True):
            self._found[owner].append(cast(_Step, step))
        self._waiting.clear()
        self._owners.clear()


def _without_repetition(
    ids: list[int], shares: list[float], drawn: list[float]
) -> list[tuple[int, float, float]]:
    """The best tokens with their probabilities, and the emitted one, the last, if it is another."""
    best = list(zip(ids, shares, drawn, strict=True))
    return best[:-1] if ids[-1] in ids[:-1] else best
