"""A stranger who sends many requests: what the attacks of attack.py have in common."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit


class Attacker:
    """Sends bytes to one address; what comes back matters little, so each try just ends.

    Attributes:
        pid: the server's process, for who ends what it has begun.
    """

    def __init__(self, url: str, scale: float, pid: int = 0) -> None:
        address = urlsplit(url)
        self.pid = pid
        self.host, self.port = address.hostname or "", address.port or 80
        self._scale = scale
        self.sent = 0

    def count(self, full: int) -> int:
        """So many of what a full attack has `full` of."""
        return max(2, round(full * self._scale))

    async def open(self, sent: bytes) -> asyncio.StreamWriter | None:
        """A connection that has sent this and stays open."""
        self.sent += 1
        try:
            _, writer = await asyncio.open_connection(self.host, self.port)
            writer.write(sent)
            await writer.drain()
        except OSError:
            return None
        return writer

    async def post(
        self,
        path: str,
        body: bytes,
        *,
        headers: str = "",
        host: str = "",
        patience: float = 30,
        source: str | None = None,
    ) -> bytes:
        """The answer to one request, as far as one comes in time.

        Args:
            path: what is asked.
            body: what is sent.
            headers: lines of the head.
            host: what the server is asked as, if not as what it is.
            patience: seconds.
            source: the address that it comes from.
        """
        self.sent += 1
        authority = host or f"{self.host}:{self.port}"
        head = f"POST {path} HTTP/1.1\r\nHost: {authority}\r\n{headers}"
        if "Content-Type" not in headers:
            head += "Content-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        try:
            where = (source, 0) if source else None
            reader, writer = await asyncio.open_connection(self.host, self.port, local_addr=where)
            try:
                writer.write(head.encode() + body)
                return await asyncio.wait_for(reader.read(), patience)
            finally:
                writer.close()
        except (OSError, asyncio.TimeoutError):
            return b""

    async def ask(self, patience: float = 30, **request: object) -> bytes:
        """The answer to one of the viewer's requests."""
        address = "/headlight/upload" if "trace" in request else "/headlight/answer"
        return await self.post(address, json.dumps(request).encode(), patience=patience)

    async def many(self, full: int, at_once: int, send: Callable[[int], Awaitable[object]]) -> None:
        """Sends again and again, `at_once` beside one another."""
        numbers = iter(range(self.count(full)))

        async def line() -> None:
            for number in numbers:
                await send(number)

        await asyncio.gather(*(line() for _ in range(at_once)))
