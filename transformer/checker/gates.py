"""Learned numbers that start at 0 and let nothing through until they have moved, as a gate's do."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

SMALL = 1e-3
NAMED = 3


def closed(module: nn.Module) -> dict[str, nn.Parameter]:
    """The learned parameters whose numbers are all 0, or one that is nearly so, by name.

    None where most matrices are so: such a module is no gated one, and has nothing to tell.
    """
    named = module.named_parameters()
    learned = {name: it for name, it in named if it.requires_grad and not is_lazy(it)}
    gates = {name: parameter for name, parameter in learned.items() if _is_closed(parameter)}
    matrices = [name for name, parameter in learned.items() if parameter.dim() > 1]
    return gates if sum(name in gates for name in matrices) * 2 <= len(matrices) else {}


def named(parameters: dict[str, nn.Parameter]) -> str:
    """Names of some parameters; biases, which close nothing, come last."""
    names = sorted(parameters, key=lambda name: "bias" in name)
    return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")


@contextmanager
def opened(parameters: Sequence[nn.Parameter]) -> Iterator[None]:
    """Puts other numbers in parameters, matrices as usually drawn, and the old ones back later."""
    values = [parameter.data.clone() for parameter in parameters]
    generator = torch.Generator().manual_seed(0)
    try:
        for parameter in parameters:
            parameter.data.copy_(_drawn(parameter, generator))
        yield
    finally:
        for parameter, value in zip(parameters, values, strict=True):
            parameter.data.copy_(value)


def _is_closed(parameter: Tensor) -> bool:
    if not parameter.is_floating_point() or not parameter.numel():
        return False
    first = parameter.detach().flatten()[0]
    return abs(float(first)) <= SMALL and bool((parameter == first).all())


def _drawn(parameter: Tensor, generator: torch.Generator) -> Tensor:
    if parameter.dim() < 2:
        return 0.25 + 0.5 * torch.rand(parameter.shape, generator=generator)
    return torch.randn(parameter.shape, generator=generator) * parameter.size(-1) ** -0.5
