"""Reading what is sent: bounded in bytes, parts and time, and nobody holds up others."""

import asyncio
import re
from contextlib import suppress
from time import monotonic

from starlette.types import Message, Receive

from transformer.serving.sharing.client import Client
from transformer.serving.sharing.shares import Place, Shares
from transformer.serving.wire.requests import MAX_TRACE

SMALL, SMALL_SECONDS = 128_000, 20
"""Bytes of a request, and how long they may take to arrive: the longest sentence with every
intervention has a third of it."""

LARGE = 2 * MAX_TRACE
"""Bytes of a trace, whose texts may take more bytes than characters."""

PLACES, SHARE = 4, 1
"""How many bodies may be larger than `SMALL` at a time, and how many of one page."""

SILENT_SECONDS = 20
"""Seconds that such a body may pause."""

LEAST, GRACE_SECONDS, LOOK_SECONDS = 64_000, 2, 0.5
"""Bytes a second that it brings, after a moment, while somebody else waits for its place; and how
often somebody looks."""

MOST_PARTS = 200_000
"""Objects, lists and members of a request's JSON: forty times as many as the longest trace has.
Python reads that many in a few hundredths of a second, and nothing else runs meanwhile."""


MOST_DEPTH = 100
"""Lists and objects within one another: libraries that read what is sent go down once for each."""

_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)

_BRACKET = re.compile(rb"[][{}]")


class RefusedError(Exception):
    """A request that gets a status and a sentence instead of an answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class LeftError(Exception):
    """A client that left before its request's body was whole."""


class Body:
    """A request's, as it comes.

    Args:
        receive: the request's.
        most: bytes that it may have.
    """

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most = receive, most
        self._bytes, self._parts = bytearray(), 0
        self._coming: asyncio.Future[Message] | None = None
        self.whole = False

    def __len__(self) -> int:
        """Bytes that have come."""
        return len(self._bytes)

    async def more(self, seconds: float) -> bool:
        """Whether another piece has come within so many seconds.

        Raises:
            LeftError: nor will it ever.
            RefusedError: it is too much.
        """
        coming = self._coming = self._coming or asyncio.ensure_future(self._receive())
        if not (await asyncio.wait([coming], timeout=max(0, seconds)))[0]:
            return False
        self._coming, message = None, coming.result()
        if message["type"] == "http.disconnect":
            raise LeftError
        piece = message.get("body", b"")
        self._bytes += piece
        self._parts += sum(map(piece.count, (b",", b"[", b"{")))
        if len(self) > self._most or self._parts > MOST_PARTS:
            raise RefusedError(413, f"A request may have {self._most} bytes, {MOST_PARTS} parts.")
        self.whole = not message.get("more_body", False)
        return True

    def check_depth(self) -> None:
        """Refuses what is too deep, once it is whole.

        Raises:
            RefusedError: it is.
        """
        if self._bytes.count(b"[") + self._bytes.count(b"{") <= MOST_DEPTH:
            return
        depth = 0
        for bracket in _BRACKET.findall(_TEXT.sub(b"", self._bytes)):
            depth += 1 if bracket in b"[{" else -1
            if depth > MOST_DEPTH:
                raise RefusedError(400, f"A request may have {MOST_DEPTH} levels.")

    async def leave(self) -> None:
        """Waits for nothing any more."""
        if coming := self._coming:
            coming.cancel()
            with suppress(asyncio.CancelledError):
                await coming

    def replay(self) -> Receive:
        """What has come, once, and kept no longer; then what comes after it: the client goes."""
        read: list[Message] = [{"type": "http.request", "body": bytes(self._bytes)}]
        self._bytes.clear()
        receive = self._receive

        async def replay() -> Message:
            return read.pop() if read else await receive()

        return replay


async def read_small(body: Body, enough: int = LARGE) -> None:
    """Reads a body to its end, or until it has more bytes than are `enough`."""
    until = monotonic() + SMALL_SECONDS
    while not body.whole and len(body) <= enough:
        if not await body.more(until - monotonic()):
            raise _too_slow()


class Uploads:
    """Bodies that may be large. Their places are for what comes: who sends nothing has none."""

    def __init__(self) -> None:
        self._places = Shares(PLACES, SHARE)

    async def read(self, body: Body, client: Client) -> Place | None:
        """Reads a body to its end; what is large has a place, until it is given back."""
        await read_small(body, SMALL)
        if body.whole:
            return None
        place = await self._places.take(client)
        try:
            await self._read_large(body, place)
        except BaseException:
            self._places.give_back(place)
            raise
        return place

    def give_back(self, place: Place) -> None:
        """Lets the next large body come; once more changes nothing."""
        self._places.give_back(place)

    async def _read_large(self, body: Body, place: Place) -> None:
        begun = heard = monotonic()
        had = len(body)
        while not body.whole:
            came, now = await body.more(LOOK_SECONDS), monotonic()
            heard = now if came else heard
            due = (now - begun - GRACE_SECONDS) * LEAST
            if now - heard > SILENT_SECONDS:
                raise _too_slow()
            if len(body) - had < due and self._places.is_wanted(place):
                raise _too_slow()


def _too_slow() -> RefusedError:
    return RefusedError(408, "The request did not arrive in time: try again.")
