"""`nn.Module` without its detours, since half of a decoding step was spent in them."""

from collections.abc import Callable
from typing import Any, cast

from torch import Tensor, nn
from torch.nn.modules import module as torch_module

_EVERYWHERE = tuple(
    getattr(torch_module, f"_global_{name}_hooks")
    for name in ("forward_pre", "forward", "backward_pre", "backward")
)
"""The hooks that PyTorch runs around every module, such as those of a profiler."""


class Module(nn.Module):
    """An `nn.Module` whose parts are found at once, and whose call goes straight to `forward`.

    PyTorch keeps parts in a dictionary of their own, which Python finds only after it has looked
    everywhere else; here they are ordinary attributes, too. Whoever writes to `_modules` itself
    leaves the older part behind in them: assign or delete the attribute.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        self._show(name)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._show(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`forward`, and what hooks there are around it."""
        if (
            self._forward_hooks
            or self._forward_pre_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or any(_EVERYWHERE)
            or self._compiled_call_impl is not None
        ):
            return super().__call__(*args, **kwargs)
        return self.forward(*args, **kwargs)

    def _show(self, name: str) -> None:
        """Has the attributes hold what is kept among the parts under this name, if anything is."""
        part = self._modules.get(name)
        if part is not None:
            self.__dict__[name] = part
        elif isinstance(self.__dict__.get(name), nn.Module):
            del self.__dict__[name]


_Hooks = dict[int, Callable[..., Tensor | None]]
"""Named once: to put such a type together takes longer than all else that a hook point does."""


class HookPoint(Module):
    """A named place in the model where a forward hook may look at a tensor, or replace it.

    It computes nothing and adds no key to the state_dict. A hook is a function (point, inputs,
    output) → another output, or None for the same; they run in their order. Of PyTorch's hooks it
    knows these alone: `register_forward_hook` without `with_kwargs`.
    """

    def __call__(self, x: Tensor) -> Tensor:
        """Any shape → the same shape: `x`, or what the hooks make of it."""
        # A copy, since another thread may put its hook on or take it off meanwhile.
        hooks = cast(_Hooks, self._forward_hooks)
        for hook in tuple(hooks.values()):
            changed = hook(self, (x,), x)
            if changed is not None:
                x = changed
        return x

    def forward(self, x: Tensor) -> Tensor:
        """`x` itself, of any shape."""
        return x
