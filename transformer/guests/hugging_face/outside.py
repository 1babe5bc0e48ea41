"""Attention outside transformers' interface: the softmax of each attention module, caught as well.

Which module computes one is learnt (see `learning`); its call tells whose softmax it is.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from ...recording.hooks import attached
from .catcher import Softmaxes
from .points import Points, Watch


class Calls:
    """Which attention module runs, and how many softmaxes it has computed in this call."""

    def __init__(self, watch: Watch, ordinals: Mapping[nn.Module, int] | None) -> None:
        self.watch = watch
        self._ordinals = ordinals
        self._running: list[tuple[nn.Module, int]] = []

    def enter(self, module: nn.Module, *_: Any) -> None:
        """A module begins."""
        self._running.append((module, 0))

    def leave(self, module: nn.Module, *_: Any) -> None:
        """A module ends."""
        while self._running and self._running.pop()[0] is not module:
            pass

    def at(self, scores: Tensor) -> tuple[Points, int] | None:
        """The points that a softmax is for."""
        if not self._running or scores.ndim not in (3, 4):
            return None
        at = -2 if isinstance(self._running[-1][0], nn.Softmax) and len(self._running) > 1 else -1
        module, nth = self._running[at]
        self._running[at] = (module, nth + 1)
        if self._ordinals is not None and self._ordinals.get(module) != nth:
            return None
        points = self.watch.enter(module, scores.size(-2))
        return None if points is None else (points, 0)

    def nth(self, module: nn.Module) -> int:
        """Which softmax of its call a module is at."""
        return next(n for it, n in reversed(self._running) if it is module) - 1


@contextmanager
def caught(
    modules: Callable[[], Iterator[nn.Module]] | Mapping[nn.Module, int], watch: Watch
) -> Iterator[Calls]:
    """Lets softmaxes of modules go through a watch's points while the block runs, in this thread.

    Args:
        modules: with the softmax, of several in one call, that is their attention; or, to learn
            which these are, all that there may be.
        watch: asked for the points.
    """
    known = modules if isinstance(modules, Mapping) else None
    calls = Calls(watch, known)
    listed = list(known) if known is not None else list(modules())  # pyright: ignore
    # A module's own forward begins after its first hook before it, and ends before its last after.
    before = [it.register_forward_pre_hook(_only_here(watch, calls.enter)) for it in listed]
    try:
        with attached([(it, calls.leave) for it in listed]), Softmaxes(calls.at):
            yield calls
    finally:
        for handle in before:
            handle.remove()


def _only_here(watch: Watch, hook: Callable[..., None]) -> Callable[..., None]:
    from .points import watch_under_way

    return lambda *args: hook(*args) if watch_under_way() is watch else None
