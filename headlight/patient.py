"""One connection: its answers go out piece by piece, as fast as its client reads them.

While what is unsent shrinks nobody is cut; who reads nothing, or never ends the head of a request,
is.
"""

import asyncio
import socket
import sys
from contextlib import suppress
from typing import Any, cast

from starlette.types import Message, Receive, Scope, Send

from .clients import client_of, page_of
from .crowd import ANSWER, Crowd

# The protocol that is chosen once the server starts; the methods of both call each other.
_Protocol = cast(type[Any], object)

HEAD_SECONDS = 20
"""Seconds that a request's head may take, from the connection or from the last answer on."""

REST_SECONDS = 15
"""A connection rests so long after its last answer was read. A request through a crowded network
takes seconds until it is here; and where there is no room, those that rest go first."""

READ_SECONDS, READ_BYTES = 20, 1_000
"""A client reads so much in so long of what it has asked for, or is cut: a packet through a network
that has just lost some."""

LINE = "headlight.line"
"""The key, in a request's scope, of the connection that it came by."""

STREAM_SECONDS = 5
"""Seconds between two looks at a stream with nothing left to send: a class has hundreds."""

PIECE = 64_000
"""Bytes that are handed on at once; none before the last ones are on their way."""


class _Patience(_Protocol):
    """What waits for its client, but not for ever, before a protocol of uvicorn's for HTTP."""

    def __init__(self, *args: Any, crowd: Crowd, **options: Any) -> None:
        super().__init__(*args, **options)
        self.client_id = self.page = ""
        self.held = 0
        self.streams = False
        self._looked = 0.0
        self._crowd = crowd
        self.timeout_keep_alive = REST_SECONDS
        self._answer = self.app
        self.app = self._paced
        self._left = 0  # bytes of an answer that are not handed on yet
        self._handed = 0  # bytes that were ever there to send
        self._read = self._read_at_mark = 0
        self.since = self._moved = self._mark = self.loop.time()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # So `drain` waits until nothing is left, and pauses as soon as something is.
        transport.set_write_buffer_limits(high=0)
        self._socket = transport.get_extra_info("socket")
        _keep_little(self._socket)
        self.client_id = client_of(self.client[0] if self.client else "")
        self._crowd.enter(self)

    def on_response_complete(self) -> None:
        self.since = self.loop.time()
        super().on_response_complete()
        if self._answers():  # the next one, which was asked with it
            self._unset_keepalive_if_required()

    def timeout_keep_alive_handler(self) -> None:
        # An answer that is complete here may be on its way for longer than a connection rests:
        # closed then, it would cost whoever has just read it their next request.
        now = self.loop.time()
        if self.unsent():
            self.since = now
        left = self.since + self.timeout_keep_alive - now
        if left <= 0:
            super().timeout_keep_alive_handler()
        else:
            again = self.loop.call_later(left, self.timeout_keep_alive_handler)
            self.timeout_keep_alive_task = again

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._crowd.leave(self)

    def rests(self) -> bool:
        """Whether it waits for its client, rather than its client for us."""
        if self._answers():
            return self.cycle.more_body
        return not self.unsent()

    def abort(self) -> None:
        """Closes it at once."""
        self.transport.abort()

    def look(self) -> None:
        """Cuts it off if its client lets us wait; to be called now and then."""
        now = self.loop.time()
        if self.streams and not self.transport.get_write_buffer_size():
            if now - self._looked < STREAM_SECONDS:
                return
            self._looked = now
        self.stalled()
        if not self.unsent():
            self._mark, self._read_at_mark = now, self._read
            if not self._answers() and now - self.since > HEAD_SECONDS:
                self.abort()
            return
        if not self._answers():
            self.since = now  # it has not read the last answer yet
        if now - self._mark > READ_SECONDS:
            if self._read - self._read_at_mark < READ_BYTES:
                self.abort()
            self._mark, self._read_at_mark = now, self._read

    def stalled(self) -> float:
        """Seconds since its client last read something; 0 where nothing is there to read."""
        now, unsent = self.loop.time(), self.unsent()
        read = self._handed - unsent
        if read > self._read or not unsent:
            self._moved = now
        self._read = read
        return now - self._moved

    def _answers(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def unsent(self) -> int:
        """Bytes of its answers that are on their way, as far as the kernel tells."""
        if self._read == self._handed:  # as it was found last; the kernel is not asked again
            return 0
        if self.transport.is_closing() and not self.transport.get_write_buffer_size():
            return 0
        return self._left + self.transport.get_write_buffer_size() + _unread(self._socket)

    async def _paced(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the app on one request once the answer before is on its way, whole."""
        await self.flow.drain()
        self.page = page_of(scope) or self.page
        await self._crowd.room_for_answer(self, ANSWER if scope["method"] == "POST" else 0)
        await self._crowd.passes.turn(self.client_id)
        self.since = self.loop.time()
        last: Message | None = None

        async def hand(message: Message) -> None:
            nonlocal last
            self.stalled()  # from now on, where nothing was there to read
            size = len(message.get("body", b""))
            self._handed += size or 1  # a head is something to read, too
            self._left += size
            if message["type"] == "http.response.body" and not message.get("more_body"):
                last = message
            else:
                await self._send(message, send)

        try:
            try:
                await self._answer({**scope, LINE: self}, receive, hand)
            finally:  # an error has its answer, too
                # What the app made its answer of is freed by now, and the answer is ours alone.
                if last:
                    await self._send(last, send)
        finally:
            self._left = 0
            self._crowd.hold(self, 0)
        if self.transport.is_closing():
            await asyncio.sleep(0)  # for uvicorn to hear that it is lost: else it logs an error

    async def _send(self, message: Message, send: Send) -> None:
        body = memoryview(message.get("body", b""))
        if len(body) > PIECE:
            self._crowd.hold(self, len(body))
        while len(body) > PIECE:
            await send({**message, "body": bytes(body[:PIECE]), "more_body": True})
            self._left -= PIECE
            body = body[PIECE:]
            await self.flow.drain()
            if self.transport.is_closing():  # its client has gone, or was cut
                return
        await send({**message, "body": bytes(body)} if body else message)
        self._left -= len(body)


def patient(protocol: type[Any]) -> type[Any]:
    """A protocol of uvicorn's for HTTP, which waits for its client, but not for ever."""
    return type("Patient", (_Patience, protocol), {})


def _keep_little(connection: Any) -> None:
    """Has the kernel hold little that is not on its way, so that what is left with us tells."""
    option = getattr(socket, "TCP_NOTSENT_LOWAT", None)
    if option is not None:
        with suppress(OSError):  # no TCP
            connection.setsockopt(socket.IPPROTO_TCP, option, PIECE)


def _unread(connection: Any) -> int:
    """Bytes that the other side's kernel has not said to have, where ours tells."""
    if sys.platform != "linux":
        return 0
    import fcntl
    import termios

    with suppress(OSError):  # it has just been closed
        size = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4))
        return int.from_bytes(size, sys.byteorder)
    return 0
