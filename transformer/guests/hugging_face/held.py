"""A guest while it is held: what had to be changed in it, and how that is put back."""

# pyright: reportPrivateUsage=false
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import nn
from transformers import PreTrainedModel

from ...errors import GuestError
from .interface import NAME, Former, formers

_lock = threading.Lock()
_held: weakref.WeakSet[nn.Module] = weakref.WeakSet()


class Held:
    """A model whose attention goes through hook points, until it is let go.

    Nothing is added to the model: each configuration says another name for its attention, and
    every module is in evaluation mode.

    Args:
        model: of transformers.
    Raises:
        HeadlightError: somebody holds it already, or it is the copy of one that was held.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        towers = [it for it in model.modules() if isinstance(it, PreTrainedModel)]
        configs = {id(it.config): it.config for it in towers}
        for config in _with_parts(configs.values()):
            configs[id(config)] = config
        name = type(model).__name__
        with _lock:
            if model in _held:
                raise GuestError(
                    f"This {name} is loaded already: use what load(…) returned, or close() that"
                )
            copied = any(_name_of(it) == NAME and id(it) not in formers for it in configs.values())
            if copied:
                raise GuestError(
                    f"This {name} is a copy of one that was loaded when it was made: close() that "
                    "first, then copy it"
                )
            _held.add(model)
        self._configs = [*configs.values()]
        self._begun: list[Former] = []
        self.model = model
        self.within = all(it._can_set_attn_implementation() for it in towers)
        self._training = [(it, it.training) for it in model.modules()]
        self._finish = weakref.finalize(self, _let_go, model, self._begun, self._training)
        model.eval()

    def begin(self) -> None:
        """Sends attention through the interface, or, outside it, through what shows its softmax."""
        with _lock:
            for config in self._configs:
                former = formers.setdefault(id(config), Former(config, _name_of(config)))
                former.users += 1
                self._begun.append(former)
                config._attn_implementation_internal = NAME if self.within else "eager"

    def leave_interface(self) -> None:
        """Has attention computed as eager code does, for it never asked the interface."""
        self.within = False
        for config in self._configs:
            config._attn_implementation_internal = "eager"

    @contextmanager
    def eager(self) -> Iterator[None]:
        """Attention as the family's own eager code computes it, before anybody else can see it.

        What transformers leaves in a model whose attention it was asked for is taken off again.
        """
        modules = [(it, {*vars(it)}, {*it._forward_hooks}) for it in self.model.modules()]
        before = [(config, _name_of(config)) for config in self._configs]
        for config in self._configs:
            config._attn_implementation_internal = "eager"
        try:
            yield
        finally:
            for config, name in before:
                config._attn_implementation_internal = name
            for module, names, hooks in modules:
                for key in {*module._forward_hooks} - hooks:
                    del module._forward_hooks[key]
                    module._forward_hooks_with_kwargs.pop(key, None)
                    module._forward_hooks_always_called.pop(key, None)
                for name in {*vars(module)} - names:
                    delattr(module, name)

    @property
    def closed(self) -> bool:
        """Whether the model has been let go."""
        return not self._finish.alive

    def close(self) -> None:
        """Puts everything back; a second time does nothing."""
        self._finish()


def _name_of(config: Any) -> str | None:
    return getattr(config, "_attn_implementation_internal", None)


def _with_parts(configs: Any) -> list[Any]:
    parts_too: list[Any] = []
    waiting = list(configs)
    while waiting:
        config = waiting.pop()
        parts_too.append(config)
        parts = (getattr(config, key, None) for key in getattr(config, "sub_configs", ()))
        waiting += [it for it in parts if it is not None]
    return parts_too


def _let_go(
    model: PreTrainedModel, begun: list[Former], training: list[tuple[nn.Module, bool]]
) -> None:
    with _lock:
        _held.discard(model)
        for former in begun:
            # Two models may share a configuration: the last to be let go puts it back.
            former.users -= 1
            if not former.users:
                former.config._attn_implementation_internal = former.name
                formers.pop(id(former.config), None)
    for module, was in training:
        module.training = was
