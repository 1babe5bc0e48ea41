"""A step of an optimiser, parameter by parameter, as soon as backpropagation has its gradient.

So there is never more than a gradient or two in memory. PyTorch's own optimisers do the same, but
bring its compiler along at their first step: 1.3 s and 60 MB.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from ..model.towers import Model
from .gradient_sizes import Sizes
from .lesson import Optimizer

BETAS, EPS = (0.9, 0.999), 1e-8
"""Adam's, as PyTorch has them."""

Step = Callable[[nn.Parameter], None]


class Descent:
    """While `loss.backward()` runs, every parameter of a model moves against its gradient.

    Attributes:
        sizes: of the gradients that were followed.
    """

    def __init__(self, model: Model, optimizer: Optimizer, rate: float) -> None:
        self.sizes = Sizes(model)
        self._rate = rate
        move = self._sgd if optimizer == "sgd" else self._adam
        self._moments: dict[nn.Parameter, tuple[int, torch.Tensor, torch.Tensor]] = {}
        self._hooks: list[Any] = [
            parameter.register_post_accumulate_grad_hook(self._hook(move))
            for parameter in model.parameters()
        ]

    def _hook(self, move: Step) -> Callable[[torch.Tensor], None]:
        @torch.no_grad()
        def follow(parameter: torch.Tensor) -> None:
            assert isinstance(parameter, nn.Parameter)
            assert parameter.grad is not None
            self.sizes.add(parameter, parameter.grad)
            move(parameter)
            parameter.grad = None

        return follow

    def end(self) -> None:
        """The parameters stay where they are from now on."""
        self._moments.clear()
        for hook in self._hooks:
            hook.remove()

    def _sgd(self, parameter: nn.Parameter) -> None:
        assert parameter.grad is not None
        parameter.add_(parameter.grad, alpha=-self._rate)

    def _adam(self, parameter: nn.Parameter) -> None:
        """Kingma and Ba 2015, algorithm 1."""
        gradient = parameter.grad
        assert gradient is not None
        nothing = (0, torch.zeros_like(gradient), torch.zeros_like(gradient))
        step, mean, square = self._moments.get(parameter, nothing)
        step += 1
        mean.lerp_(gradient, 1 - BETAS[0])
        square.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        self._moments[parameter] = step, mean, square
        size = (square.sqrt() / (1 - BETAS[1] ** step) ** 0.5).add_(EPS)
        parameter.addcdiv_(mean, size, value=-self._rate / (1 - BETAS[0] ** step))
