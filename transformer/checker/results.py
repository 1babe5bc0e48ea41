"""What a check finds, as data: findings in words, and what was measured."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from .basis.clues import Severity


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a model.

    Attributes:
        code: its name in the table of codes.
        severity: "error", "warning", or "advice" for what may be meant.
        sentence: what is wrong, in plain words.
        evidence: how that was seen, with numbers.
        hint: what to look at or to change.
        cost: what it does in practice, if it is left as it is.
        file: where the class is written whose work it is; "" if nobody knows.
        line: where in it, counted from 1; 0 if nobody knows.
    """

    code: str
    severity: Severity
    sentence: str
    evidence: str
    hint: str
    cost: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Seen:
    """How much changing one token changed the logits at each target position.

    Attributes:
        side: where the changed tokens stand.
        tokens: their ids.
        positions: the ids that the target positions read.
        change: [target position][token]; the largest change of a logit.
    """

    side: Literal["src", "tgt"]
    tokens: tuple[int, ...]
    positions: tuple[int, ...]
    change: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Recorded:
    """The weights of one attention on one sentence, [head][query][key]."""

    place: str
    kind: str
    layer: int
    weights: tuple[tuple[tuple[float, ...], ...], ...]


def as_list(table: Tensor) -> tuple[tuple[float, ...], ...]:
    """A table [row, column] as tuples for JSON, to 6 decimals; NaN and infinity become 0."""
    rounded = torch.nan_to_num(table.float(), nan=0.0, posinf=0.0, neginf=0.0)
    return tuple(tuple(round(float(x), 6) for x in row) for row in rounded)
