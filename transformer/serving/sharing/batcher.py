"""Requests that wait are computed together; what comes alone starts at once.

One thread does the work, since more would fight over the interpreter and the processor's caches.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Condition, Thread
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar, cast

from .client import NOBODY, Client
from .pace import SECONDS, Pace
from .turns import Turns

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
Result = TypeVar("Result")
Own = TypeVar("Own")


class Run(Protocol):
    """`Batcher.run`: work done by itself in its turn, on the batcher's thread."""

    def __call__(self, work: Callable[[], Own], client: Client = ...) -> "Future[Own]": ...  # noqa: D102


MOST, MOST_TOKENS = 20, 500
"""The most requests of a batch, and tokens with padding. Eight long sentences of `en-zh` are no
sooner done together than four by four."""

SHORT, LONGER = 24, 2
"""Tokens of a request that any other may wait for, and how many times its own a longer one has: a
batch ends when its longest does, and who asks little would wait for who asks much."""

EACH = 10
"""Tokens that a request costs beside its own, about."""

PIECE = 40
"""Tokens that work costs which is done by itself."""


@dataclass(eq=False)
class _Job(Generic[Key, Item]):
    """One request in the queue.

    Attributes:
        client: who asks.
        tokens: how large it is.
        key, item: what it is, if it is done with others of its key.
        alone: what it is, if it is done by itself.
    """

    client: Client
    tokens: int
    done: "Future[Any]"
    key: Key | None = None
    item: Item | None = None
    alone: Callable[[], object] | None = None


class Batcher(Generic[Key, Item, Result]):
    """A queue whose jobs of one key are worked off in batches.

    Clients take turns, and while several wait, each has its part of a batch.

    Args:
        work: from a key and its items to a result, or an error, for each.
        most: requests in the largest batch.
        most_tokens: of the largest batch, as they are padded to the longest.
        seconds: that a batch takes; where it would take longer, it is made smaller.
    """

    def __init__(
        self,
        work: Callable[[Key, list[Item]], list[Result | Exception]],
        most: int = MOST,
        most_tokens: int = MOST_TOKENS,
        seconds: float = SECONDS,
    ) -> None:
        self._work = work
        self._most, self._most_tokens = most, most_tokens
        self._pace = Pace(seconds)
        self._turns = Turns[_Job[Key, Item]]()
        self._changed = Condition()
        self._seconds = 0.0  # that one job takes, lately
        self._thread: Thread | None = None
        self._closed = False

    def submit(
        self, key: Key, item: Item, client: Client = NOBODY, tokens: int = 1
    ) -> "Future[Result]":
        """Puts a request into the queue; whoever cancels it while it waits takes it out again.

        Args:
            key: of what can be done together.
            item: what is asked.
            client: who asks.
            tokens: how large it is, about.
        """
        job = _Job(client, tokens, Future[Result](), key, item)
        return self._add(job, tokens + EACH)

    def run(self, work: Callable[[], Own], client: Client = NOBODY) -> "Future[Own]":
        """Puts other work into the queue, to be done by itself, on the same thread.

        Raises:
            RuntimeError: the queue is closed; at its end, what waits of such work is cancelled.
        """
        return self._add(_Job(client, 0, Future[Own](), alone=work), PIECE)

    def _add(self, job: "_Job[Key, Item]", cost: float) -> "Future[Any]":
        with self._changed:
            if job.alone and self._closed:
                raise RuntimeError("the queue is closed")
            self._turns.add(job, job.client, cost)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="batches", daemon=True)
                self._thread.start()
            self._changed.notify()
        return job.done

    def place(self, done: "Future[Result]") -> tuple[int, float]:
        """The number of requests before this one, and the seconds until its turn, about."""
        with self._changed:
            going = [job for job in self._turns.ordered() if not job.done.cancelled()]
            places = (i for i, job in enumerate(going) if job.done is done)
            ahead = next(places, 0)
            return ahead, ahead * self._seconds

    def close(self) -> None:
        """Ends after the batch in hand: Python must not exit in the middle of one."""
        with self._changed:
            self._closed = True
            for job in self._turns.ordered():
                if job.alone:  # whoever waits for it is a thread, that could not end
                    job.done.cancel()
            self._changed.notify()
        if self._thread:
            self._thread.join()

    def _run(self) -> None:
        while self._work_off():
            pass

    def _work_off(self) -> bool:
        """The next batch, waited for; False at the end. While it waits it holds on to no key."""
        with self._changed:
            self._changed.wait_for(lambda: self._turns or self._closed)
            if self._closed:
                return False
            if not (jobs := self._take()):
                return True
        start = perf_counter()
        results = self._results(jobs)
        spent = perf_counter() - start
        if not jobs[0].alone:
            self._pace.took(max(job.tokens for job in jobs) * len(jobs), spent)
        spent /= len(jobs)
        self._seconds = spent if not self._seconds else 0.8 * self._seconds + 0.2 * spent
        for job, result in zip(jobs, results, strict=True):
            if isinstance(result, Exception):
                job.done.set_exception(result)
            else:
                job.done.set_result(result)
        return True

    def _take(self) -> list[_Job[Key, Item]]:
        """The next batch, without what was cancelled; from now on it is too late for that."""
        jobs: list[_Job[Key, Item]] = []
        most = min(self._most_tokens, self._pace.most_tokens())
        part = most * self._turns.share()
        for job in self._turns.ordered():
            if jobs and not self._fits(job, jobs, most, part):
                continue
            if job.done.set_running_or_notify_cancel():
                jobs.append(job)
            else:
                self._turns.drop(job)
        if jobs:
            self._turns.take(jobs)
        return jobs

    def _fits(
        self, job: _Job[Key, Item], jobs: list[_Job[Key, Item]], most: float, part: float
    ) -> bool:
        """Whether a batch may have another job, of a client that shall have its part of it."""
        if job.alone or jobs[0].alone or job.key != jobs[0].key or len(jobs) == self._most:
            return False
        own = Counter[Client]()
        for each in (*jobs, job):
            own[each.client] += each.tokens
        if job.tokens > max(SHORT, LONGER * jobs[0].tokens):
            return False
        longest = max(each.tokens for each in (*jobs, job))
        whole = longest * (len(jobs) + 1)
        # What is a client's first is never too much.
        return whole <= most and own[job.client] <= max(part, job.tokens)

    def _results(self, jobs: list[_Job[Key, Item]]) -> list[Result | Exception]:
        """What each gets. Whatever one raises stays its own: the rest is tried again without it."""
        try:
            if alone := jobs[0].alone:
                return [cast(Result, alone())]
            return self._work(cast(Key, jobs[0].key), [cast(Item, job.item) for job in jobs])
        except Exception as error:
            if len(jobs) == 1:
                return [error]
            half = len(jobs) // 2
            return [*self._results(jobs[:half]), *self._results(jobs[half:])]
