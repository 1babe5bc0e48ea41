"""Everything of a module that a call may change, kept so that it can be put back."""

import copy
import random
import types
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

_FIXED = (
    *(int, float, str, bytes, bool, type(None), type, torch.dtype, torch.Size),
    *(types.FunctionType, types.BuiltinFunctionType),
)
_OWN = {"_parameters", "_buffers", "_modules", "training", "_non_persistent_buffers_set"}


class ModuleState:
    """Buffers and plain attributes (a position counter, a cache) of a module and its submodules."""

    def __init__(self, module: nn.Module) -> None:
        self._modules = list(module.modules())
        memo = {id(part): part for part in [*self._modules, *module.parameters()]}
        memo |= {id(buffer): buffer for buffer in module.buffers()}
        self._memo: dict[int, Any] = dict(memo)
        self._buffers = [
            [(name, b, None if b is None else b.detach().clone()) for name, b in _buffers(part)]
            for part in self._modules
        ]
        self._attributes = [self._copy(_attributes(part)) for part in self._modules]

    def _copy(self, attributes: dict[str, Any]) -> dict[str, Any]:
        copied = dict(attributes)
        for name, value in attributes.items():
            if not _is_fixed(value):
                with suppress(Exception):  # what cannot be copied is left as it is
                    copied[name] = copy.deepcopy(value, dict(self._memo))
        return copied

    def restore(self) -> None:
        """Puts everything back."""
        rows = zip(self._modules, self._buffers, self._attributes, strict=True)
        for part, buffers, attributes in rows:
            for _, buffer, value in buffers:
                if buffer is not None and value is not None and not _same(buffer, value):
                    with torch.no_grad():
                        buffer.copy_(value)
            if isinstance(part, torch.jit.ScriptModule):
                continue  # its attributes are declared, and none can come or go
            held: dict[str, Tensor | None] = part.__dict__.get("_buffers", {})
            for name in set(held) - {name for name, _, _ in buffers}:
                del held[name]
            held.update({name: buffer for name, buffer, _ in buffers})
            known = _attributes(part)
            for name in known.keys() - attributes.keys():
                del part.__dict__[name]
            part.__dict__.update(self._copy(attributes))


def _is_fixed(value: Any) -> bool:
    """Whether a value cannot change in place."""
    if type(value) is tuple:
        return all(_is_fixed(item) for item in cast(tuple[Any, ...], value))
    return isinstance(value, _FIXED)


def _buffers(part: nn.Module) -> list[tuple[str, Tensor | None]]:
    if isinstance(part, torch.jit.ScriptModule):
        return list(part.named_buffers(recurse=False))
    return list(part.__dict__.get("_buffers", {}).items())


def _attributes(part: nn.Module) -> dict[str, Any]:
    if isinstance(part, torch.jit.ScriptModule):
        return {}
    return {
        name: value
        for name, value in part.__dict__.items()
        if name not in _OWN and "hooks" not in name
    }


def _same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and torch.equal(a, b)


@contextmanager
def untouched(module: nn.Module) -> Iterator[ModuleState]:
    """Leaves a module and all sources of randomness as they were found.

    Attributes that could not be copied are put back by the objects that they were.
    """
    training = [(part, part.training) for part in module.modules()]
    state = ModuleState(module)
    originals = [dict(_attributes(part)) for part in module.modules()]
    # A stranger's module may still use numpy's old global generator.
    seeds = random.getstate(), np.random.get_state()  # noqa: NPY002
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with ExitStack() as stack:
            stack.enter_context(cast(AbstractContextManager[None], torch.random.fork_rng()))
            stance = cast(AbstractContextManager[None], torch.compiler.set_stance("force_eager"))
            stack.enter_context(stance)
            yield state
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
        random.setstate(seeds[0])
        np.random.set_state(seeds[1])  # noqa: NPY002
        for part, mode in training:
            part.training = mode
        state.restore()
        for part, attributes in zip(module.modules(), originals, strict=True):
            for name, value in attributes.items():
                if not _changed(value, part.__dict__.get(name)):
                    part.__dict__[name] = value


def _changed(original: Any, restored: Any) -> bool:
    """Whether the original object no longer holds what its copy, taken at first, holds."""
    if _is_fixed(original):
        return False
    try:
        return bool(original != restored)
    except Exception:  # tensors compare element by element, some objects not at all
        return False
