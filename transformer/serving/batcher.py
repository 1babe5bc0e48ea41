"""Requests that wait are computed together; what comes alone starts at once.

One thread does the work, since more would fight over the interpreter and the processor's caches.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Condition, Thread
from time import perf_counter
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(eq=False)
class _Job(Generic[Key, Item, Result]):
    """One request in the queue; `turn` is how many others its client had waiting."""

    key: Key
    item: Item
    client: str
    turn: int
    done: "Future[Result]"


class Batcher(Generic[Key, Item, Result]):
    """A queue whose jobs of one key are worked off in batches.

    Clients take turns: whoever has sent a hundred requests waits for those who have sent one.

    Args:
        work: from a key and its items to a result, or an error, for each.
        most: the largest batch.
    """

    def __init__(
        self, work: Callable[[Key, list[Item]], list[Result | Exception]], most: int = 20
    ) -> None:
        self._work = work
        self._most = most
        self._waiting: list[_Job[Key, Item, Result]] = []  # in the order in which they are taken
        self._clients: Counter[str] = Counter()
        self._changed = Condition()
        self._seconds = 0.0  # that one job takes, lately
        self._thread: Thread | None = None
        self._closed = False

    def submit(self, key: Key, item: Item, client: str = "") -> "Future[Result]":
        """Puts a request into the queue; whoever cancels it while it waits takes it out again."""
        with self._changed:
            turn, done = self._clients[client], Future[Result]()
            job = _Job(key, item, client, turn, done)
            self._clients[client] += 1
            later = (i for i, other in enumerate(self._waiting) if other.turn > job.turn)
            self._waiting.insert(next(later, len(self._waiting)), job)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="batches", daemon=True)
                self._thread.start()
            self._changed.notify()
        return done

    def place(self, done: "Future[Result]") -> tuple[int, float]:
        """How many requests are taken before this one, and in about how many seconds it is."""
        with self._changed:
            going = [job for job in self._waiting if not job.done.cancelled()]
            places = (i for i, job in enumerate(going) if job.done is done)
            ahead = next(places, 0)
            return ahead, ahead * self._seconds

    def close(self) -> None:
        """Ends after the batch in hand: Python must not exit in the middle of one."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread:
            self._thread.join()

    def _run(self) -> None:
        while self._work_off():
            pass

    def _work_off(self) -> bool:
        """The next batch, waited for; False at the end. While it waits it holds on to no key."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if self._closed:
                return False
            if not (jobs := self._take()):
                return True
        start = perf_counter()
        results = self._results(jobs)
        spent = (perf_counter() - start) / len(jobs)
        self._seconds = spent if not self._seconds else 0.8 * self._seconds + 0.2 * spent
        for job, result in zip(jobs, results, strict=True):
            if isinstance(result, Exception):
                job.done.set_exception(result)
            else:
                job.done.set_result(result)
        return True

    def _take(self) -> list[_Job[Key, Item, Result]]:
        """The next batch, without what was cancelled; from now on it is too late for that."""
        jobs: list[_Job[Key, Item, Result]] = []
        left: list[_Job[Key, Item, Result]] = []
        for job in self._waiting:
            if jobs and (job.key != jobs[0].key or len(jobs) == self._most):
                left.append(job)
                continue
            self._clients[job.client] -= 1
            if job.done.set_running_or_notify_cancel():
                jobs.append(job)
        self._waiting = left
        self._clients += Counter()  # forgets who has nothing waiting
        return jobs

    def _results(self, jobs: list[_Job[Key, Item, Result]]) -> list[Result | Exception]:
        """What each gets. Whatever one raises stays its own: the rest is tried again without it."""
        try:
            return self._work(jobs[0].key, [job.item for job in jobs])
        except Exception as error:
            if len(jobs) == 1:
                return [error]
            half = len(jobs) // 2
            return [*self._results(jobs[:half]), *self._results(jobs[half:])]
