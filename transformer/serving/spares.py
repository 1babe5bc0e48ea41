"""Learnt models that nobody works with any more: the next one is put together in their memory."""

from collections import deque
from threading import RLock, Timer
from time import monotonic

from ..teach.change import Learnt
from ..translator import Translator
from .sharing.freeing import give_back

MOST = 2
"""A class works with one at the queue and one at a desk, mostly; each of `en-zh` takes 40 MB."""

KEEP_SECONDS = 10
"""So long they are kept while nobody needs one."""


class Spares:
    """A few of them. Any thread may take one, and give one back in the middle of anything."""

    def __init__(self) -> None:
        self._idle = deque[Learnt](maxlen=MOST)
        self._used = monotonic()
        self._lock = RLock()
        self._look: Timer | None = None

    def take(self, before: Translator) -> Learnt | None:
        """A spare copy of this model, if there is one."""
        self._used = monotonic()
        try:
            spare = self._idle.pop()
        except IndexError:
            return None
        return spare if spare.before is before else None

    def give(self, learnt: Learnt) -> None:
        """Keeps one for a while that nobody has any more."""
        self._used = monotonic()
        self._idle.append(learnt)
        with self._lock:
            if self._look is None:
                self._wait()

    def _wait(self) -> None:
        self._look = Timer(KEEP_SECONDS, self._let_go)
        self._look.daemon = True
        self._look.start()

    def _let_go(self) -> None:
        with self._lock:
            if monotonic() - self._used < KEEP_SECONDS:
                self._wait()
                return
            self._look = None
            self._idle.clear()
        give_back()
