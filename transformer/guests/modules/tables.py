"""What was caught of one text: by kind and layer, weights in the places of its tokens."""

from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from ...trace.kinds import Kind

Space = Literal["src", "tgt", "both"]
"""Where a row's or a column's tokens stand: in a side, or in one row of both, the source first."""

FAR = 1e3
"""A score so far below its row's highest is a mask's: e⁻¹⁰³ is the least that float32 holds."""


class Untold(Exception):  # noqa: N818 - another way may tell
    """The attention could not be told this way; the message says why."""


@dataclass(eq=False)
class Heads:
    """Some heads of a layer.

    Attributes:
        weights: what came out of the softmax, [head, query, key], NaN as 0.
        allowed: where no mask hides the key in every head, bool [query, key].
        first: the first token of the rows and the first of the columns, counted from 0.
        spaces: where rows and columns stand.
    """

    weights: Tensor
    allowed: Tensor
    first: tuple[int, int]
    spaces: tuple[Space, Space]


@dataclass(eq=False)
class Caught:
    """All heads that were caught, by kind and layer.

    Attributes:
        layers: in the order of the heads.
        dtype: what the softmaxes computed in.
        changed: what becomes of the weights before they meet the values; "" for nothing.
        shared: one softmax runs over source and target: what a row gives to the one lacks in the
            other.
    """

    layers: dict[tuple[Kind, int], list[Heads]] = field(
        default_factory=dict[tuple[Kind, int], list[Heads]]
    )
    dtype: torch.dtype = torch.float32
    changed: str = ""
    shared: bool = False

    def add(self, kind: Kind, layer: int, heads: Heads) -> None:
        """Notes heads that come after those of the same layer."""
        self.layers.setdefault((kind, layer), []).append(heads)

    @property
    def kinds(self) -> set[Kind]:
        """The kinds that were caught."""
        return {kind for kind, _ in self.layers}


def readable(weights: Tensor) -> Tensor:
    """Weights, of any shape, as a trace may hold them: float32, on the CPU, NaN as 0."""
    return weights.detach().float().cpu().nan_to_num(nan=0.0)


def allowed_of(weights: Tensor, scores: Tensor | None) -> Tensor:
    """Keys that no mask hides from a query, in some head at least: bool [query, key].

    Args:
        weights: [head, query, key].
        scores: what entered the softmax, as `weights`; None if unseen: a weight of 0 is masked.
    """
    if scores is None:
        return (weights > 0).any(0)
    scores = scores.detach().float().cpu()
    near = scores > scores.amax(-1, keepdim=True) - FAR  # of -inf alone: no number is above NaN
    return (near & scores.isfinite()).any(0)
