"""Every operation that PyTorch runs, below autograd."""

from typing import Any

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
        """What is to come of `func(*args, **kwargs)`."""
        raise NotImplementedError
