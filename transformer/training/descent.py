"""A step of an optimiser, parameter by parameter, as soon as backpropagation has its gradient.

So there is never more than a gradient or two in memory. PyTorch's own optimisers do the same, but
bring its compiler along at their first step: 1.3 s and 60 MB.
"""

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor, nn

from ..model.towers import Model
from .gradient_sizes import Sizes

Optimizer = Literal["sgd", "adam"]

BETAS, EPS = (0.9, 0.999), 1e-8
"""Adam's, as PyTorch has them."""

Step = Callable[[nn.Parameter, Tensor], None]


class Adam:
    """Kingma and Ba 2015, algorithm 1, for one tensor."""

    def __init__(
        self, values: Tensor, betas: tuple[float, float] = BETAS, eps: float = EPS
    ) -> None:
        self._values, self._betas, self._eps = values, betas, eps
        self._mean, self._square = torch.zeros_like(values), torch.zeros_like(values)
        self._steps = 0

    def step(self, gradient: Tensor, rate: float) -> None:
        """Moves the values against their gradient, of the same shape, at this learning rate."""
        of_mean, of_square = self._betas
        self._steps += 1
        self._mean.lerp_(gradient, 1 - of_mean)
        self._square.mul_(of_square).addcmul_(gradient, gradient, value=1 - of_square)
        size = (self._square.sqrt() / (1 - of_square**self._steps) ** 0.5).add_(self._eps)
        self._values.addcdiv_(self._mean, size, value=-rate / (1 - of_mean**self._steps))


class Descent:
    """While `loss.backward()` runs, every parameter of a model moves against its gradient.

    Attributes:
        sizes: of the gradients that were followed.
    """

    def __init__(self, model: Model, optimizer: Optimizer, rate: float) -> None:
        self.sizes = Sizes(model)
        self._rate = rate
        move = self._sgd if optimizer == "sgd" else self._adam
        self._adams: dict[nn.Parameter, Adam] = {}
        self._hooks: list[Any] = [
            parameter.register_post_accumulate_grad_hook(self._hook(move))
            for parameter in model.parameters()
        ]

    def _hook(self, move: Step) -> Callable[[Tensor], None]:
        @torch.no_grad()
        def follow(parameter: Tensor) -> None:
            assert isinstance(parameter, nn.Parameter)
            assert parameter.grad is not None
            self.sizes.add(parameter, parameter.grad)
            move(parameter, parameter.grad)
            parameter.grad = None

        return follow

    def end(self) -> None:
        """The parameters stay where they are from now on."""
        self._adams.clear()
        for hook in self._hooks:
            hook.remove()

    def _sgd(self, parameter: nn.Parameter, gradient: Tensor) -> None:
        parameter.add_(gradient, alpha=-self._rate)

    def _adam(self, parameter: nn.Parameter, gradient: Tensor) -> None:
        if parameter not in self._adams:
            self._adams[parameter] = Adam(parameter)
        self._adams[parameter].step(gradient, self._rate)
