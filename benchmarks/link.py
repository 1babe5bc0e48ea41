"""A link as a school has it: what loopback hides, a relay that hands on so many bytes a second."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

PIECE = 8_000


class Link:
    """A relay to one server: all connections share what it hands on to its clients.

    Args:
        port: of the server, on this machine.
        rate: bytes a second, for all clients together.
        cut: the first connection by which so many bytes came is cut.
    """

    def __init__(self, port: int, rate: float, cut: int | None = None) -> None:
        self.port = 0
        self.broken = 0
        self._server_port, self._rate, self._cut = port, rate, cut
        self._free_at = 0.0

    async def run(self, client: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        """One connection, both ways."""
        upstream = socket.socket()
        # Else this machine's kernel swallows megabytes, and no server sees a slow client.
        upstream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE)
        upstream.setblocking(False)
        # A client is as many addresses behind the link as before it.
        upstream.bind((back.get_extra_info("peername")[0], 0))
        loop = asyncio.get_running_loop()
        await loop.sock_connect(upstream, ("127.0.0.1", self._server_port))
        down, up = await asyncio.open_connection(sock=upstream, limit=PIECE)
        asking = asyncio.create_task(self._ask(client, up))
        try:
            came = 0
            while piece := await down.read(PIECE):
                await self._wait(len(piece))
                came += len(piece)
                if self._cut is not None and came >= self._cut:
                    self._cut = None
                    back.transport.abort()
                    return
                back.write(piece)
                await back.drain()
        except ConnectionError:
            self.broken += 1
        except asyncio.CancelledError:
            pass  # the link has ended; Python 3.11 would print that for each connection
        finally:
            asking.cancel()
            up.close()
            back.close()

    async def _ask(self, client: asyncio.StreamReader, up: asyncio.StreamWriter) -> None:
        while piece := await client.read(PIECE):
            up.write(piece)

    async def _wait(self, size: int) -> None:
        """Pieces follow one another, whoever they are for."""
        loop = asyncio.get_running_loop()
        self._free_at = max(self._free_at, loop.time()) + size / self._rate
        await asyncio.sleep(self._free_at - loop.time())


@asynccontextmanager
async def link(port: int, rate: float, cut: int | None = None) -> AsyncIterator[Link]:
    """A running link; its `port` leads to the server's."""
    relay = Link(port, rate, cut)
    server = await asyncio.start_server(relay.run, "127.0.0.1", limit=PIECE)
    relay.port = server.sockets[0].getsockname()[1]
    try:
        yield relay
    finally:
        server.close()
