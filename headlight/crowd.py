"""Connections, bounded in number and in what they have not yet read, by client and in all.

A class is one client, so a bound by client has room for one: it keeps a single client from taking
every place, and closes nobody's connection because many come by one door.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable
from math import inf
from time import monotonic
from typing import Protocol

from .passes import Passes

MOST_OF_ONE = 400
"""Connections of one client: of three hundred pupils behind one router."""

UNSENT_OF_ONE, UNSENT = 64_000_000, 256_000_000
"""Bytes of answers that one client, and all of them, have not read."""

FIRST_OF_PAGES = 16_000_000
"""Bytes more that are for pages that wait for nothing else: a class need not wait for one who
reads nothing."""

FEW = 6
"""Connections of one browser: whose client has no more keeps them while others have more."""

ANSWER = 160_000
"""Bytes that an answer counts for until it is there: one on each connection may be awaited."""

STALLED_SECONDS = 0.7
"""Seconds without reading after which a connection goes first, where room is needed."""

LOOK_SECONDS = 0.1
"""Seconds between two looks for them, as hundreds take as long as their answers."""


class Line(Protocol):
    """One connection, as the crowd sees it."""

    client_id: str
    page: str
    """What the page that asks by it calls itself; "" of a program, and until it asks."""
    since: float
    """The time at which it began to rest, or was asked what it now answers."""
    held: int
    """Bytes that its answer counts for."""
    streams: bool
    """Whether its answer goes on for as long as its page is open: it makes room for nobody."""

    def rests(self) -> bool:
        """Whether it waits for its client, rather than its client for us."""
        ...

    def stalled(self) -> float:
        """Seconds since its client last read something; 0 where nothing is there to read."""
        ...

    def look(self) -> None:
        """Cuts it off if its client lets us wait; called now and then."""
        ...

    def abort(self) -> None:
        """Closes it at once."""
        ...


class Crowd:
    """All connections of a server; for its event loop alone.

    Args:
        most: connections at once.
    """

    def __init__(self, most: int) -> None:
        self.lines: dict[Line, None] = {}  # in the order of their coming
        self.passes = Passes()
        self.most = most
        # One client leaves room for others also where there is little.
        self._most_of_one = min(MOST_OF_ONE, max(1, most * 5 // 6))
        self._by_client: Counter[str] = Counter()
        self._held: Counter[str] = Counter()
        self._waiting: list[asyncio.Future[None]] = []
        self._looked = self._sought = -inf

    def enter(self, line: Line) -> None:
        """Counts a connection."""
        self.lines[line] = None
        self._by_client[line.client_id] += 1

    def leave(self, line: Line) -> None:
        """Counts it no more; twice is once."""
        if line in self.lines:
            del self.lines[line]
            _less(self._by_client, line.client_id, 1)
        self.hold(line, 0)

    def has_room(self, client: str) -> bool:
        """Whether another connection of a client may come in."""
        return len(self.lines) < self.most and self._by_client[client] < self._most_of_one

    def has_few(self, client: str) -> bool:
        """Whether a client has no more connections than a browser opens, or than its share."""
        share = self.most // max(1, len(self._by_client))
        return self._by_client[client] <= max(1, min(FEW, share))

    def make_room(self, client: str = "", *, must: bool) -> bool:
        """Closes one connection that does nothing; if one must go, else the longest asked.

        A client of a few keeps them while others have more, but for a second one that rests; and of
        a client that has as many as one may it is one of the page that has most.

        Args:
            client: who wants to come in.
            must: whether one must go.
        Returns:
            Whether one was closed.
        """
        # Whoever waits for a place asks again and again, and all are looked at for each of them.
        if not must and monotonic() - self._sought < LOOK_SECONDS:
            return False
        may_go = self._may_go(client)
        leaving = _first_to_go(may_go) or self._second_to_rest(client)
        if must and not leaving:
            leaving = min(may_go, key=lambda line: line.since, default=None)
        if leaving:
            self._close(leaving)
        else:
            self._sought = monotonic()
        return leaving is not None

    def _may_go(self, client: str) -> list[Line]:
        may = [line for line in self.lines if not line.streams]
        if self._by_client[client] < self._most_of_one:
            return [line for line in may if not self.has_few(line.client_id)] or may
        own = [line for line in may if line.client_id == client]
        own = own or [line for line in self.lines if line.client_id == client]
        [(page, _)] = Counter(line.page for line in own).most_common(1)
        return [line for line in own if line.page == page]

    def _second_to_rest(self, client: str) -> Line | None:
        own = [line for line in self.lines if line.client_id == client and line.rests()]
        return own[0] if len(own) > 1 else None

    async def room_for_answer(self, line: Line, size: int) -> None:
        """Returns once this connection's client has read enough for another answer to be begun.

        Args:
            line: the connection.
            size: what the answer counts for until it is there.
        """
        while size and line in self.lines and not self._may_hold(line, size):
            self._cut_stalled()
            waiting = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            await asyncio.wait([waiting], timeout=LOOK_SECONDS)
        self.hold(line, size)

    def _may_hold(self, line: Line, size: int) -> bool:
        beyond = self._held[line.client_id] + size - UNSENT_OF_ONE
        if beyond <= 0:
            return True
        return beyond <= FIRST_OF_PAGES and not any(
            other.held and (other.client_id, other.page) == (line.client_id, line.page)
            for other in self.lines
        )

    def hold(self, line: Line, size: int) -> None:
        """Notes what a connection's answer now counts for."""
        if line not in self.lines and size:
            return
        _less(self._held, line.client_id, line.held - size)
        line.held = size
        self.look()

    @property
    def unsent(self) -> int:
        """Bytes that all of them have not read."""
        return self._held.total()

    def look(self) -> None:
        """Cuts connections that stall while there is too much; called now and then, too."""
        self._cut_stalled()
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)

    def _cut_stalled(self) -> None:
        """Cuts what the client with most does not read, while there is more than may be."""
        while (client := self._holds_too_much()) is not None:
            if monotonic() - self._looked < LOOK_SECONDS:
                return
            stalled = _stalled(
                line for line in self.lines if line.client_id == client and line.held
            )
            if not stalled:
                self._looked = monotonic()
                return
            for line in stalled:  # the kernel is asked about hundreds once, not for each that goes
                self._close(line)
                if self._holds_too_much() != client:
                    break

    def _holds_too_much(self) -> str | None:
        if not self._held:
            return None
        [(client, held)] = self._held.most_common(1)
        return client if held + ANSWER > UNSENT_OF_ONE or self.unsent > UNSENT else None

    def _close(self, line: Line) -> None:
        self.leave(line)
        line.abort()


def _first_to_go(lines: Iterable[Line]) -> Line | None:
    """A connection that rests, of the client with most of these; or the longest stalled."""
    resting = [line for line in lines if line.rests()]
    if resting:
        [(client, _)] = Counter(line.client_id for line in resting).most_common(1)
        return min((x for x in resting if x.client_id == client), key=lambda line: line.since)
    return next(iter(_stalled(lines)), None)


def _stalled(lines: Iterable[Line]) -> list[Line]:
    """Connections that have read nothing for long enough, the longest first."""
    seconds = {line: line.stalled() for line in lines}
    return sorted((x for x in seconds if seconds[x] >= STALLED_SECONDS), key=lambda x: -seconds[x])


def _less(counter: Counter[str], client: str, by: int) -> None:
    counter[client] -= by
    if counter[client] <= 0:
        del counter[client]
