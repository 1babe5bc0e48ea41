"""Values kept in memory within a number of bytes, the latest used of them."""

from collections import OrderedDict
from collections.abc import Hashable, Sized
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Sized)

OVERHEAD = 2_000
"""Bytes that an entry takes beside its value, about."""


class Kept(Generic[Key, Value]):
    """Values whose length is in bytes. Any thread may ask.

    Args:
        limit: the most bytes to keep.
        share: the most values that one owner has here; by default, any number.
        alone: whether the latest is kept though it takes more bytes than that, beside no other.
    """

    def __init__(self, limit: int, share: int | None = None, *, alone: bool = False) -> None:
        self._limit, self._share, self._least = limit, share, int(alone)
        self._lock = Lock()
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._owners: dict[Key, Hashable] = {}
        self.size = 0

    def __len__(self) -> int:
        """The number of entries."""
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """The value of a key; None if it is not, or no longer, kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Key, value: Value, owner: Hashable = None) -> None:
        """Keeps one, in the place of its owner's or of all that were not used for longest."""
        with self._lock:
            self._drop(key)
            own = [each for each in self._values if self._owners[each] == owner]
            if self._share is not None and len(own) >= self._share:
                self._drop(own[0])
            self._values[key], self._owners[key] = value, owner
            self.size += len(value) + OVERHEAD
            while self.size > self._limit and len(self._values) > self._least:
                self._drop(next(iter(self._values)))

    def _drop(self, key: Key) -> None:
        if key in self._values:
            self.size -= len(self._values.pop(key)) + OVERHEAD
            del self._owners[key]
