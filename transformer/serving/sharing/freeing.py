"""Memory that was freed goes back to the system."""

import ctypes
import sys
from contextlib import suppress
from threading import Lock, Timer

MUCH, SOON = 8_000_000, 2.0


def give_back() -> None:
    """Has the C library hand back what it keeps for itself, which after large answers is most.

    Its free memory lies between what is still used, so that it would keep it for ever. Other
    libraries than GNU's have no such call.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


class Freed:
    """Gives memory back a while after much of it was used. Any thread may tell.

    Args:
        most: bytes that may be used without.
        seconds: until what was used is freed.
    """

    def __init__(self, most: int = MUCH, seconds: float = SOON) -> None:
        self._most, self._seconds = most, seconds
        self._lock = Lock()
        self._bytes = 0

    def add(self, size: int) -> None:
        """Counts what will be freed soon."""
        with self._lock:
            was, self._bytes = self._bytes, self._bytes + size
            if was <= self._most < self._bytes:
                later = Timer(self._seconds, self._give_back)
                later.daemon = True
                later.start()

    def _give_back(self) -> None:
        with self._lock:
            self._bytes = 0
        give_back()
