"""Threads for what is no trace, so that it neither blocks nor is blocked."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from threading import Event
from typing import TypeVar
from weakref import WeakValueDictionary

from .client import NOBODY, Client

Result = TypeVar("Result")

THREADS, SHARE = 4, 2
"""Of all, and the most that one client has at a time, where nothing else is said."""

_LEFT: ContextVar[Event | None] = ContextVar("_LEFT", default=None)
"""Set once whoever asked for what this thread works on has gone."""


def left() -> bool:
    """Whether whoever asked has gone: work that takes long looks now and then, and ends."""
    gone = _LEFT.get()
    return gone is not None and gone.is_set()


class Desk:
    """A few threads, of which one client never has more than its share."""

    def __init__(self, threads: int = THREADS, share: int = SHARE) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="desk")
        self._share = share
        self._turns: WeakValueDictionary[Client, asyncio.Semaphore] = WeakValueDictionary()

    async def run(self, work: Callable[[], Result], client: Client = NOBODY) -> Result:
        """What `work` returns; whoever goes away takes it along, unless it has begun and does not
        look whether they `left`.
        """
        loop = asyncio.get_running_loop()
        turn = self._turns.get(client) or asyncio.Semaphore(self._share)
        self._turns[client] = turn
        await turn.acquire()
        gone = Event()

        def begin() -> Result:
            _LEFT.set(gone)
            return work()

        job = self._threads.submit(begin)

        def release(_: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(turn.release)

        # Not as soon as the client has gone: what has begun keeps its thread until it is done.
        job.add_done_callback(release)
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            gone.set()
            raise
