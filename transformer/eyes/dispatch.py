"""Every operation that PyTorch runs, below autograd."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.modules import module as module_hooks
from torch.utils._python_dispatch import TorchDispatchMode


class Operations(TorchDispatchMode):
    """While the block runs, each operation comes by here, and `operation` runs it."""

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """As PyTorch calls it."""
        del types
        return self.operation(func, args, kwargs or {})

    def operation(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result that `func(*args, **kwargs)` is to have."""
        raise NotImplementedError


class Placed(Operations):
    """Operations of one module's pass, each with the submodule that runs it.

    Args:
        module: whose submodules are the places.
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.names = {id(part): name for name, part in named_parts(module)}
        self._running: list[nn.Module] = []

    @property
    def place(self) -> str:
        """The name of the submodule that runs; "" outside all of them."""
        return self.names[id(self._running[-1])] if self._running else ""

    @contextmanager
    def watching(self, *, gradients: bool = False) -> Iterator[None]:
        """Lets a module's operations come by here; leaves no hook behind."""
        hooks = (
            module_hooks.register_module_forward_pre_hook(self._enter),
            module_hooks.register_module_forward_hook(self._leave, always_call=True),
        )
        try:
            with torch.set_grad_enabled(gradients), sdpa_kernel(SDPBackend.MATH), self:
                yield
        finally:
            for hook in hooks:
                hook.remove()

    def left(self, module: nn.Module, output: Any) -> None:
        """Takes note of what a submodule has returned."""

    def _enter(self, module: nn.Module, args: Any) -> None:
        del args
        if id(module) in self.names:
            self._running.append(module)

    def _leave(self, module: nn.Module, args: Any, output: Any) -> None:
        del args
        if id(module) in self.names:
            while self._running and self._running.pop() is not module:
                pass
            self.left(module, output)


def named_parts(module: nn.Module) -> list[tuple[str, nn.Module]]:
    """A module and all its submodules, by name."""
    return list(cast(Any, module).named_modules())
