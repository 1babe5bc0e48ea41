"""A student's modules as the judges take them apart: seeded, and each layer by its name."""

from typing import Any

import torch
from torch import Tensor, nn

from .exercise import ToldError


def seeded(make: type[nn.Module], *sizes: int) -> nn.Module:
    """A student's module with the same random weights every time, biases and norms too."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = make(*sizes).eval()
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.add_(0.3 * torch.randn_like(parameter))
    return module


def part_of(mine: nn.Module, name: str) -> nn.Module:
    """A part of a student's module.

    Raises:
        ToldError: there is none of this name.
    """
    part = getattr(mine, name, None)
    if not isinstance(part, nn.Module):
        raise ToldError("layer_missing", module=type(mine).__name__, name=name)
    return part


def layer_of(mine: nn.Module, name: str) -> nn.Linear:
    """A linear layer of a student's module.

    Raises:
        ToldError: there is none of this name.
    """
    part = part_of(mine, name)
    if not isinstance(part, nn.Linear):
        raise ToldError("layer_missing", module=type(mine).__name__, name=name)
    return part


def bias_of(layer: nn.Linear) -> Tensor:
    """A layer's bias, [out]; zeros where it has none."""
    bias: Any = layer.bias
    return bias if isinstance(bias, Tensor) else torch.zeros(layer.out_features)
