"""What a layer is made of, with every usual mistake as an option."""

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .parts import layer_of, part_of


def through(
    mine: nn.Module,
    inner: Sequence[Callable[[Tensor], Tensor]],
    x: Tensor,
    *,
    order: Sequence[int],
    names: Sequence[str],
    residuals: str,
    norms: str,
) -> Tensor:
    """[batch, length, d_model] through sublayers, each with a residual connection and a norm.

    Args:
        mine: the student's layer, which has the norms.
        inner: the sublayers.
        x: what goes into the first.
        order: their places, as they come.
        names: of their norms.
        residuals: of each: "own", its input is added back; "twice", two times; "first", the whole
            layer's; "normed", the input after its norm; or "none".
        norms: of each: "after" the sum, "before" the sublayer, "inside" (what comes out of the
            sublayer, before it is added), or "none".
    """
    y = x
    for place in order:
        norm, residual, at = part_of(mine, names[place]), residuals.split()[place], norms.split()
        into = norm(y) if at[place] == "before" else y
        out = norm(inner[place](into)) if at[place] == "inside" else inner[place](into)
        back = {"own": y, "twice": 2 * y, "first": x, "normed": into}.get(residual)
        total = out if back is None else back + out
        y = norm(total) if at[place] == "after" else total
    return y


def feed_forward(
    mine: nn.Module,
    x: Tensor,
    activation: str = "relu",
    activation_at: str = "between",
) -> Tensor:
    """[batch, length, d_model] through inner and outer, activation between, "first" or "last"."""
    bend = {"relu": torch.relu, "gelu": F.gelu, "none": torch.clone}[activation]
    inner, outer = layer_of(mine, "inner"), layer_of(mine, "outer")
    if activation_at == "first":
        return outer(inner(bend(x)))
    return bend(outer(inner(x))) if activation_at == "last" else outer(bend(inner(x)))
