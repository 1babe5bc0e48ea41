"""The server's listening sockets, taken over so that everybody inside is counted.

Uvicorn closes a connection that rests between two requests, but not one that never finishes the
head of its request; and asyncio's own accepting spins where no file descriptor is left.
"""

import asyncio
import socket
from contextlib import suppress
from typing import Any

from transformer.serving.sharing.freeing import give_back

from .clients import client_of
from .crowd import Crowd
from .patient import patient

MOST = 1_000
"""Connections at once."""

SPARE = 64
"""File descriptors for models, files and libraries."""

PAUSE = 0.05
"""Seconds until the next try where none is left."""

FULL_SECONDS = 0.1
"""Seconds that a client of many connections waits for one that does nothing, where all places are
taken; a client of a few gets a place at once."""

ADMITTED = 32
"""Connections of these let in within that time: whoever had to go for them comes again at once."""

WAITING = 8
"""Connections, at least, or three for four places, that wait for one, with a file descriptor: who
comes after them is not seen before there are fewer."""

LOOK_SECONDS = 0.5
"""Seconds between two looks at each connection."""

FREED = 32_000_000
"""Bytes of answers: once as much was unsent and is not any more, the system gets it back."""


def keep_doors(server: Any) -> None:
    """Takes over a running uvicorn server's listening sockets; returns once it has.

    Args:
        server: Gradio's, which runs in a thread of its own.
    """
    config = server.config
    # An upgraded connection would leave our count; nothing here speaks WebSocket.
    config.ws_protocol_class = None
    loop = server.servers[0].get_loop()
    crowd = Crowd(most_connections())
    doors = [Door(listening, server, crowd) for old in server.servers for listening in old.sockets]

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
        doors[0].watch()

    asyncio.run_coroutine_threadsafe(take_over(), loop).result()


class Door:
    """One listening socket, with what uvicorn asks of an `asyncio.Server`."""

    def __init__(self, listening: Any, server: Any, crowd: Crowd) -> None:
        # A second handle: the server's own closes with it. Only where asyncio is told the protocol
        # does it send an answer's head and body without a pause of 40 ms between them.
        kind = listening.family, listening.type, listening.proto
        self._socket = socket.fromfd(listening.fileno(), *kind)
        self._socket.setblocking(False)
        self._server = server
        self._protocol = patient(server.config.http_protocol_class)
        self._crowd = crowd
        self._accepting: asyncio.Task[None] | None = None
        self._coming: set[asyncio.Task[None]] = set()
        self._most_coming = max(WAITING, crowd.most * 3 // 4)
        self.sockets = (self._socket,)

    def open(self) -> None:
        """Begins to let people in."""
        self._accepting = asyncio.get_running_loop().create_task(self._accept())

    def watch(self) -> None:
        """Begins to look after whoever is inside, for as long as the server runs."""
        self._watching = asyncio.get_running_loop().create_task(watch(self._crowd))

    def close(self) -> None:
        """Lets nobody in any more; whoever is inside stays."""
        for task in (self._accepting, *self._coming):
            if task:
                task.cancel()
        self._socket.close()

    async def wait_closed(self) -> None:
        """Waits for nothing; an `asyncio.Server` has it."""

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(self._socket)
            except OSError:  # gone again, or no file descriptor is left
                self._crowd.make_room(must=False)
                await asyncio.sleep(PAUSE)
                continue
            client = client_of(str(address[0]) if address else "")
            # One after the other they would wait as long as all before them together.
            coming = loop.create_task(self._come_in(connection, client))
            self._coming.add(coming)
            coming.add_done_callback(self._coming.discard)
            while len(self._coming) >= self._most_coming:
                await asyncio.wait(self._coming, return_when=asyncio.FIRST_COMPLETED)

    async def _come_in(self, connection: socket.socket, client: str) -> None:
        try:
            await self._make_room(client)
        except asyncio.CancelledError:
            connection.close()
            raise
        await self._let_in(connection)

    async def _make_room(self, client: str) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time()
        if not self._crowd.has_few(client):
            end += FULL_SECONDS * max(1, len(self._coming) / ADMITTED)
        while not self._crowd.has_room(client):
            if not self._crowd.make_room(client, must=loop.time() >= end):
                await asyncio.sleep(PAUSE)

    async def _let_in(self, connection: socket.socket) -> None:
        loop, server = asyncio.get_running_loop(), self._server

        def protocol() -> Any:
            return self._protocol(
                config=server.config,
                server_state=server.server_state,
                app_state=server.lifespan.state,
                _loop=loop,
                crowd=self._crowd,
            )

        try:
            await loop.connect_accepted_socket(protocol, connection)
        except OSError:  # gone again
            connection.close()
        except asyncio.CancelledError:
            connection.close()
            raise


async def watch(crowd: Crowd) -> None:
    """Looks at each connection now and then, for as long as the server runs."""
    most = 0
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        for line in list(crowd.lines):
            line.look()
        crowd.look()
        most = max(most, crowd.unsent)
        if most > FREED and crowd.unsent < most / 4:
            most = 0
            await asyncio.to_thread(give_back)


def most_connections() -> int:
    """How many this process may hold: it may open what files it needs, or the system allows."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST
    allowed, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = SPARE + 2 * MOST
    if allowed == resource.RLIM_INFINITY:
        return MOST
    if allowed < wanted:  # what a shell gives, 1024 or 256, is less than its system allows
        allowed = wanted if limit == resource.RLIM_INFINITY else min(limit, wanted)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, limit))
        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(8, min(MOST, (allowed - SPARE) // 2))
