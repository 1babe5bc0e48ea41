"""Threads for what is no trace, so that it neither blocks nor is blocked."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

from .client import NOBODY, Client
from .shares import Shares

Result = TypeVar("Result")

THREADS = min(4, max(2, os.cpu_count() or 2))
SHARE = THREADS // 2
"""Threads in all, and the most that one page has at a time, by default.

More than there are cores would make traces wait, and no analysis be done sooner."""

_LEFT: ContextVar[Event | None] = ContextVar("_LEFT", default=None)
"""Set once whoever asked for what this thread works on has gone."""


def left() -> bool:
    """Whether whoever asked has gone: work that takes long looks now and then, and ends."""
    gone = _LEFT.get()
    return gone is not None and gone.is_set()


class Desk:
    """A few threads, of which nobody ever has more than a share."""

    def __init__(self, threads: int = THREADS, share: int = SHARE) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="desk")
        self._shares = Shares(threads, share)

    async def run(self, work: Callable[[], Result], client: Client = NOBODY) -> Result:
        """What `work` returns; whoever goes away takes it along, unless it has begun and does not
        look whether they `left`.
        """
        place = await self._shares.take(client)
        gone = Event()

        def begin() -> Result:
            _LEFT.set(gone)
            return work()

        job = self._threads.submit(begin)
        # Not as soon as the client has gone: what has begun keeps its thread until it is done.
        job.add_done_callback(lambda _: self._shares.give_back(place))
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            gone.set()
            raise
