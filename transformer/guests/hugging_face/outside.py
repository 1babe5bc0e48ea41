"""Attention outside transformers' interface: the softmax of each attention module, caught as well.

Which module computes one is learnt (see `learning`); its call tells whose softmax it is.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from ...recording.hooks import attached
from .catcher import Softmaxes
from .points import Points, Watch, watch_under_way


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
        """The hook points of the attention whose scores [batch, head, query, key] a softmax reads.

        They come with the number of columns that are keys, 0 for all; None: of no attention.
        """
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
    modules: Collection[nn.Module], ordinals: Mapping[nn.Module, int] | None, watch: Watch
) -> Iterator[Calls]:
    """Lets softmaxes of modules go through a watch's points while the block runs, in this thread.

    Args:
        modules: that compute attention, or, to learn which these are, all that there are.
        ordinals: which softmax of its call is a module's attention; None lets all through.
        watch: asked for the points.
    """
    calls = Calls(watch, ordinals)

    def enter(module: nn.Module, *_: Any) -> None:
        if watch_under_way() is watch:
            calls.enter(module)

    before = [it.register_forward_pre_hook(enter) for it in modules]
    try:
        with attached([(it, calls.leave) for it in modules]), Softmaxes(calls.at):
            yield calls
    finally:
        for handle in before:
            handle.remove()
