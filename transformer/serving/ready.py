"""A model that can be had at once: as it was loaded, or put together from what a lesson changed."""

from dataclasses import dataclass
from threading import Lock
from weakref import WeakValueDictionary

from ..teach.change import Change
from ..translator import Translator

_LOCK = Lock()
_in_use: "WeakValueDictionary[Change, Translator]" = WeakValueDictionary()
"""Learnt models while somebody works with them. Each takes up to as much as its model, so there
are only as many as threads that work, and those who wait hold none."""


@dataclass(frozen=True)
class Ready:
    """A model, and what a lesson changed of it; None if nothing."""

    base: Translator
    change: Change | None = None

    def translator(self) -> Translator:
        """The model itself, put together within about the time of a trace, if nobody has it."""
        if self.change is None:
            return self.base
        with _LOCK:
            if (learnt := _in_use.get(self.change)) is None:
                learnt = _in_use[self.change] = self.change.of(self.base)
            return learnt
