"""A model that can be had at once: as it was loaded, or put together with a correction's change."""

from dataclasses import dataclass
from threading import Lock
from weakref import WeakValueDictionary, finalize

from ..teach.change import Change
from ..translator import Translator
from .spares import Spares

_LOCK = Lock()
_in_use: "WeakValueDictionary[Change, Translator]" = WeakValueDictionary()
"""Learnt models while somebody works with them. Each takes up to as much as its model, so there
are only as many as threads that work, and those who wait hold none."""

_spares = Spares()


@dataclass(frozen=True)
class Ready:
    """A model, and what a correction changed of it; None if nothing."""

    base: Translator
    change: Change | None = None

    def translator(self) -> Translator:
        """The model itself, put together within about the time of a trace, if nobody has it.

        Whoever works with it holds on to it: once nobody does, another is put together in its
        place.
        """
        if self.change is None:
            return self.base
        with _LOCK:
            if (lent := _in_use.get(self.change)) is None:
                learnt = self.change.of(self.base, _spares.take(self.base))
                lent = _in_use[self.change] = learnt.translator()
                finalize(lent, _spares.give, learnt).atexit = False
            return lent
