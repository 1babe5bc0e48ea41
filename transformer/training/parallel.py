"""One process or many: what the loop asks of Hugging Face Accelerate."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import cast

import torch
from accelerate import Accelerator
from torch import Tensor, nn

from ..model.towers import Model


class Processes:
    """The processes that train together, on one device each; `accelerate launch` starts them."""

    def __init__(self) -> None:
        self._accelerator = Accelerator()
        self.count: int = self._accelerator.num_processes
        self.rank: int = self._accelerator.process_index
        self.main: bool = self._accelerator.is_main_process
        self.device: torch.device = self._accelerator.device
        self.first: Callable[[], AbstractContextManager[None]] = (
            self._accelerator.main_process_first
        )

    def share(self, model: Model) -> nn.Module:
        """Moves `model` to this device; what is returned averages gradients over the processes."""
        return cast(nn.Module, self._accelerator.prepare(model))

    def backward(self, loss: Tensor) -> None:
        """Adds the gradients of a scalar, `loss`, averaged over the processes."""
        self._accelerator.backward(loss)

    def total(self, value: Tensor) -> float:
        """The sum of all processes' scalars."""
        return float(cast(Tensor, self._accelerator.reduce(value.detach(), "sum")))

    def highest(self, value: int) -> int:
        """The highest of all processes' values, so that all of them decide alike."""
        if self.count == 1:
            return value
        value_here = torch.tensor([value], device=self.device)
        return int(cast(Tensor, self._accelerator.gather(value_here)).max())

    def end(self) -> None:
        """Ends what the processes share, once all are here: a connection must not outlive it."""
        self._accelerator.wait_for_everyone()
        self._accelerator.free_memory()
        self._accelerator.end_training()
