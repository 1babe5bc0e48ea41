"""Who gets in: connections are bounded in number, and in how long they may keep us waiting.

Uvicorn closes a connection that rests between two requests, but not one that never finishes the
head of its request; and asyncio's own accepting spins where no file descriptor is left.
"""

import asyncio
import socket
from collections import Counter
from contextlib import suppress
from typing import Any, cast

HEAD_SECONDS = 10
"""So long may the head of a request take, counted from the connection or from the last answer."""

MOST = 1_000
"""Connections at once."""

SPARE = 64
"""File descriptors for models, files and libraries."""

PAUSE = 0.05
"""Seconds until the next try where none is left."""


def keep_doors(server: Any) -> None:
    """Takes over a running uvicorn server's listening sockets; returns once it has.

    Args:
        server: Gradio's, which runs in a thread of its own.
    """
    config = server.config
    # An upgraded connection would leave our count; nothing here speaks WebSocket.
    config.ws_protocol_class = None
    loop = server.servers[0].get_loop()
    doors = [Door(listening, server) for old in server.servers for listening in old.sockets]

    async def take_over() -> None:
        # Who is just coming in by the old doors is let in, before these close.
        with suppress(NotImplementedError, RuntimeError):  # uvloop and Windows close them softly
            for old in server.servers:
                for listening in old.sockets:
                    loop.remove_reader(listening.fileno())
        await asyncio.sleep(PAUSE)
        for old in server.servers:
            old.close()
        server.servers = doors
        for door in doors:
            door.open()

    asyncio.run_coroutine_threadsafe(take_over(), loop).result()


class Door:
    """One listening socket, with what uvicorn asks of an `asyncio.Server`."""

    def __init__(self, listening: Any, server: Any) -> None:
        # A second handle: the server's own closes with it. Only where asyncio is told the protocol
        # does it send an answer's head and body without a pause of 40 ms between them.
        kind = listening.family, listening.type, listening.proto
        self._socket = socket.fromfd(listening.fileno(), *kind)
        self._socket.setblocking(False)
        self._server = server
        self._protocol = patient(server.config.http_protocol_class)
        self._inside: dict[Any, None] = {}  # in the order of their coming
        self._most = most_connections()
        self._accepting: asyncio.Task[None] | None = None
        self.sockets = (self._socket,)

    def open(self) -> None:
        """Begins to let people in."""
        self._accepting = asyncio.get_running_loop().create_task(self._accept())

    def close(self) -> None:
        """Lets nobody in any more; whoever is inside stays."""
        if self._accepting:
            self._accepting.cancel()
        self._socket.close()

    async def wait_closed(self) -> None:
        """As an `asyncio.Server` has it."""

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(self._socket)
            except OSError:  # gone again, or no file descriptor is left
                self._make_room()
                await asyncio.sleep(PAUSE)
                continue
            if len(self._inside) >= self._most:
                self._make_room()
            await self._let_in(connection)

    async def _let_in(self, connection: socket.socket) -> None:
        loop, server = asyncio.get_running_loop(), self._server

        def made() -> Any:
            return self._protocol(
                config=server.config,
                server_state=server.server_state,
                app_state=server.lifespan.state,
                _loop=loop,
                inside=self._inside,
            )

        try:
            await loop.connect_accepted_socket(made, connection)
        except OSError:  # gone again
            connection.close()
        except asyncio.CancelledError:
            connection.close()
            raise

    def _make_room(self) -> None:
        """Closes one connection of the address that holds the most: one that rests, or the oldest.

        So nobody is turned away, and whoever takes many places loses one for every newcomer.
        """
        if not self._inside:
            return
        [(crowd, _)] = Counter(map(_address, self._inside)).most_common(1)
        crowding = [each for each in self._inside if _address(each) == crowd]
        leaving = next((each for each in crowding if each.rests()), crowding[0])
        del self._inside[leaving]
        leaving.transport.abort()


def most_connections() -> int:
    """How many this process may hold, of the file descriptors that it may open."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return MOST
    return max(8, min(MOST, (allowed - SPARE) // 2))


def patient(protocol: type[Any]) -> type[Any]:
    """A protocol of uvicorn's for HTTP, that waits for the head of a request, but not for ever."""

    class Patient(protocol):
        def __init__(self, *args: Any, inside: dict[Any, None], **options: Any) -> None:
            super().__init__(*args, **options)
            self._inside = inside
            self._patience: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._inside[self] = None
            self._wait()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._inside.pop(self, None)
            if self._patience:
                self._patience.cancel()

        def rests(self) -> bool:
            """Whether it waits for its client, rather than its client for us."""
            cycle = self.cycle
            return cycle is None or cycle.response_complete or cycle.more_body

        def _wait(self) -> None:
            if self._patience:
                self._patience.cancel()
            self._patience = self.loop.call_later(HEAD_SECONDS, self._lose_patience)

        def _lose_patience(self) -> None:
            # Who has sent a head is answered, and gets as much patience again after it.
            if self.cycle is None or self.cycle.response_complete:
                self.transport.abort()

    return cast(type[Any], Patient)


def _address(connection: Any) -> str:
    client = connection.client
    return client[0] if client else ""
