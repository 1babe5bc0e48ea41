"""What a layer is made of, with every usual mistake as an option."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .parts import layer_of


@dataclass(frozen=True)
class Sublayer:
    """A residual connection and a norm around something.

    Attributes:
        norm: LayerNorm.
        residual: "own", the sublayer's input is added back; "twice", two times; "first", the whole
            layer's; "normed", the input after its norm; or "none".
        place: of the norm: "after" the sum, "before" the sublayer, "inside" (what comes out of the
            sublayer, before it is added), or "none".
    """

    norm: nn.Module
    residual: str = "own"
    place: str = "after"

    def __call__(self, inner: Callable[[Tensor], Tensor], x: Tensor, first: Tensor) -> Tensor:
        """[batch, length, d_model], as `x` and `first`, which went into the whole layer."""
        into = self.norm(x) if self.place == "before" else x
        out = self.norm(inner(into)) if self.place == "inside" else inner(into)
        back = {"own": x, "twice": 2 * x, "first": first, "normed": into}.get(self.residual)
        y = out if back is None else back + out
        return self.norm(y) if self.place == "after" else y


def feed_forward(
    mine: nn.Module,
    x: Tensor,
    activation: Callable[[Tensor], Tensor] | None = torch.relu,
    activation_at: str = "between",
) -> Tensor:
    """The student's two linear layers with an activation between, "first" or "last"."""
    bend = activation or torch.clone
    inner, outer = layer_of(mine, "inner"), layer_of(mine, "outer")
    if activation_at == "first":
        return outer(inner(bend(x)))
    return bend(outer(inner(x))) if activation_at == "last" else outer(bend(inner(x)))
