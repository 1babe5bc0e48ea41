"""Server-sent events down to one page: always the newest state, never what was missed.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from .problems import RoomError

BEAT_SECONDS = 15
"""Seconds between signs of life to a page: proxies close what is silent."""


class Stream:
    """A stream of events to one page that follows a room.

    Args:
        person: its random token.
        address: the client that it comes from.
        teacher: whether it is one of the teacher's screens.
    """

    def __init__(self, person: str, address: str, *, teacher: bool = False) -> None:
        self.person, self.address, self.teacher = person, address, teacher
        self._woken = asyncio.Event()
        self._reason = ""

    @property
    def ended(self) -> bool:
        """Whether it is told to close."""
        return bool(self._reason)

    def wake(self) -> None:
        """Wakes the stream: there is something new."""
        self._woken.set()

    def end(self, reason: str) -> None:
        """Says why, and closes."""
        self._reason = self._reason or reason
        self._woken.set()

    async def events(
        self,
        newest: Callable[[], tuple[str, str]],
        own: Callable[[], Any],
        last: str,
    ) -> AsyncIterator[str]:
        """What is sent, until the stream ends or its page leaves.

        Args:
            newest: the newest state's id, and its event.
            own: what the page's person has answered.
            last: the id of the last event that the page has.
        """
        yield f"retry: 1000\nevent: own\ndata: {json.dumps(own())}\n\n"
        while not self._reason:
            self._woken.clear()
            id, text = newest()
            if id != last:
                last = id
                yield text
                continue
            try:
                await asyncio.wait_for(self._woken.wait(), BEAT_SECONDS)
            except asyncio.TimeoutError:
                yield ": still here\n\n"
        yield f"event: end\ndata: {json.dumps({'reason': self._reason})}\n\n"


def make_room(streams: Iterable[Stream], address: str, most: int) -> None:
    """Sees to it that another stream may be begun; where there are too many, the newest ends of the
    address that has most, if that has more than this one will have.

    Raises:
        RoomError: it has not.
    """
    there = [*streams]
    if len(there) < most:
        return
    counts = Counter(stream.address for stream in there)
    [(heaviest, count)] = counts.most_common(1)
    if count <= counts[address] + 1:
        raise RoomError("streams_full", most=most)
    next(stream for stream in reversed(there) if stream.address == heaviest).end("full")
