"""Answers kept for those who ask the same."""

from collections import Counter
from collections.abc import Callable, Hashable, Sized
from concurrent.futures import Future
from threading import RLock
from typing import Generic, TypeVar

from .kept import Kept

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Sized)


class Cache(Generic[Key, Value]):
    """Answers whose length is in bytes, the latest used of them, and those that are being computed.

    The same question is computed once, also for those who ask while it is. Errors are not kept.

    Args:
        limit: the most bytes to keep.
    """

    def __init__(self, limit: int) -> None:
        self._lock = RLock()  # cancelling what waits calls back at once
        self._kept = Kept[Key, Value](limit)
        self._started: dict[Key, Future[Value]] = {}
        self._asking: Counter[Future[Value]] = Counter()

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return self._kept.size

    def get(self, key: Key, start: Callable[[], "Future[Value]"]) -> "Future[Value]":
        """The answer, kept or under way; otherwise `start` begins to compute it.

        Whoever no longer wants it says so with `leave`.
        """
        with self._lock:
            if (value := self.find(key)) is not None:
                return value
            answer = self._started[key] = start()
            self._asking[answer] = 1
        # Outside the lock: what is done already calls back at once.
        answer.add_done_callback(lambda done: self._finish(key, done))
        return answer

    def find(self, key: Key) -> "Future[Value] | None":
        """The answer, kept or under way, as `get` has it; None where it is for `get` to begin."""
        with self._lock:
            if (value := self._kept.get(key)) is not None:
                ready: Future[Value] = Future()
                ready.set_result(value)
                return ready
            if key in self._started:
                self._asking[self._started[key]] += 1
            return self._started.get(key)

    def leave(self, answer: "Future[Value]") -> None:
        """Notes that a client of an answer has gone; without any left, waiting work is dropped."""
        with self._lock:
            if answer not in self._asking:
                return  # it is done
            self._asking[answer] -= 1
            if not self._asking[answer]:
                answer.cancel()

    def _finish(self, key: Key, done: "Future[Value]") -> None:
        with self._lock:
            del self._started[key], self._asking[done]
            if not done.cancelled() and not done.exception():
                self._kept.put(key, done.result())
