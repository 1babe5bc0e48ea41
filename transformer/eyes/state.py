"""Everything of a module that a call may change, kept so that it can be put back.

Nothing is replaced by a copy: every object that the module holds stays the one that it was, however
many of its parts share it, and what has changed inside it is changed back.
"""

import random
import types
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

PutBack = Callable[[], object]

_FIXED = (
    *(int, float, complex, str, bytes, bool, type(None), type, torch.dtype, torch.Size),
    *(torch.device, range, slice, types.ModuleType, types.MethodType, types.FunctionType),
    *(types.BuiltinFunctionType,),
)
# A check adds hooks and chooses the mode while it looks.
_OURS = {"training"}


class ModuleState:
    """What a module and its submodules hold: parameters by name, buffers, attributes (a position
    counter, a cache), and whatever these hold themselves.
    """

    def __init__(self, module: nn.Module) -> None:
        self._parts = list(module.modules())
        self._seen: dict[int, object] = {id(part): part for part in self._parts}
        self._put_back: list[PutBack] = []
        waiting: list[object] = []
        for part in self._parts:
            waiting += self._of_part(part)
        while waiting:
            value = waiting.pop()
            if not _is_fixed(value) and id(value) not in self._seen:
                self._seen[id(value)] = value  # else another may get its id
                waiting += self._inside(value)

    def restore(self) -> None:
        """Puts everything back."""
        for put_back in self._put_back:
            put_back()

    def _of_part(self, part: nn.Module) -> list[object]:
        if isinstance(part, torch.jit.ScriptModule):  # declared, and none can come or go
            return list(part.buffers(recurse=False))
        self._put_back.append(partial(_restore_part, part, type(part), _attributes(part)))
        return list(_attributes(part).values())

    def _inside(self, value: object) -> list[object]:
        """Keeps how to put one object back; returns what it holds."""
        if isinstance(value, nn.Parameter):
            return []  # what a call trains, nobody could examine
        if isinstance(value, Tensor):
            with suppress(Exception):  # one that has no values
                self._put_back.append(partial(_restore_tensor, value, value.detach().clone()))
            return []
        if isinstance(value, np.ndarray):
            array = cast(np.ndarray[Any, Any], value)
            self._put_back.append(partial(_restore_array, array, array.copy()))
            return array.ravel().tolist() if array.dtype.hasobject else []
        if generator := _generator(value):
            self._put_back.append(generator)
            return []
        if isinstance(value, tuple | frozenset):
            return list(cast(tuple[object, ...] | frozenset[object], value))
        return [*self._contents(value), *self._fields(value)]

    def _contents(self, value: object) -> list[object]:
        # By the built-in types' own methods: a subclass may watch what is put into it.
        if isinstance(value, dict):
            items = dict(cast(dict[object, object], value))
            self._put_back.append(partial(_restore_dict, cast(Any, value), items))
            return list(items.values())
        if isinstance(value, list | deque | set):
            held = list(cast(list[object], value))
            self._put_back.append(partial(_restore_collection, cast(Any, value), held))
            return held
        return []

    def _fields(self, value: object) -> list[object]:
        """An object's attributes, where it has no way of its own to be copied or pickled."""
        kind = type(value)
        own_way = kind.__reduce__ is not object.__reduce__
        if own_way and not issubclass(kind, (dict, list, set)):
            return []
        held: list[object] = []
        if isinstance(own := getattr(value, "__dict__", None), dict):
            fields = dict(cast(dict[object, object], own))
            self._put_back.append(partial(_restore_dict, cast(Any, own), fields))
            held += fields.values()
        slots = [name for each in kind.__mro__ for name in _slots(each) if hasattr(value, name)]
        if slots:
            slot_values = {name: getattr(value, name) for name in slots}
            self._put_back.append(partial(_restore_slots, value, slot_values))
            held += slot_values.values()
        return held


def _is_fixed(value: object) -> bool:
    """Whether a value cannot change in place."""
    if type(value) is tuple:
        return all(map(_is_fixed, cast(tuple[object, ...], value)))
    return isinstance(value, _FIXED)


def _attributes(part: nn.Module) -> dict[str, Any]:
    return {
        name: value
        for name, value in part.__dict__.items()
        if name not in _OURS and "hooks" not in name
    }


def _slots(kind: type[object]) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(cast(tuple[str, ...], slots))
    return tuple(name for name in names if name not in {"__dict__", "__weakref__"})


def _restore_part(part: nn.Module, kind: type[nn.Module], attributes: dict[str, Any]) -> None:
    if type(part) is not kind:
        part.__class__ = kind
    now = _attributes(part)
    if not _alike(now, attributes):
        for name in now.keys() - attributes.keys():
            del part.__dict__[name]
        part.__dict__.update(attributes)


def _restore_dict(value: dict[object, object], items: dict[object, object]) -> None:
    if not _alike(value, items):
        dict.clear(value)
        dict.update(value, items)


def _alike(now: dict[Any, object], before: dict[Any, object]) -> bool:
    return len(now) == len(before) and all(
        name is other and value is was
        for (name, value), (other, was) in zip(now.items(), before.items(), strict=True)
    )


def _restore_collection(value: Any, held: list[object]) -> None:
    now: list[object] = list(value)
    if len(now) == len(held) and all(a is b for a, b in zip(now, held, strict=True)):
        return
    if isinstance(value, list):
        list.__setitem__(cast(list[object], value), slice(None), held)
        return
    kind: Any = deque if isinstance(value, deque) else set
    kind.clear(value)
    (kind.extend if kind is deque else kind.update)(value, held)


def _restore_slots(value: object, slot_values: dict[str, object]) -> None:
    for name, held in slot_values.items():
        if getattr(value, name, None) is not held:
            object.__setattr__(value, name, held)


def _restore_tensor(tensor: Tensor, value: Tensor) -> None:
    if tensor.shape == value.shape and torch.equal(tensor.detach(), value):
        return
    with torch.no_grad():
        if tensor.shape == value.shape:
            tensor.detach().copy_(value)
        else:
            tensor.data = value.clone()


def _restore_array(array: np.ndarray[Any, Any], value: np.ndarray[Any, Any]) -> None:
    if array.flags.writeable:
        array[...] = value


def _generator(value: object) -> PutBack | None:
    """How to put back a source of random numbers; None of anything else."""
    match value:
        case torch.Generator():
            return partial(value.set_state, value.get_state())
        case random.Random():
            return partial(value.setstate, value.getstate())
        case np.random.Generator():
            return partial(setattr, value.bit_generator, "state", value.bit_generator.state)
        case np.random.RandomState():
            return partial(value.set_state, value.get_state())
        case _:
            return None


@contextmanager
def untouched(module: nn.Module) -> Iterator[ModuleState]:
    """Leaves a module and all sources of randomness as they were found."""
    training = [(part, part.training) for part in module.modules()]
    state = ModuleState(module)
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
        state.restore()
        for part, mode in training:
            part.training = mode


def is_lazy(module: nn.Module) -> bool:
    """Whether some of its parameters get their sizes by its first call (`nn.LazyLinear`)."""
    lazy = nn.parameter.UninitializedParameter, nn.parameter.UninitializedBuffer
    return any(isinstance(each, lazy) for each in [*module.parameters(), *module.buffers()])
