"""What strangers do with whom they seem to be: many, silent, or asking by another name.

A proxy on this machine may say for whom it asks, so that one attacker comes from many addresses.
"""

import asyncio
import json

from .attacker import Attacker

LARGE = 9_000_000
"""Bytes that an upload says it has."""

JSON = "Content-Type: application/json\r\n"


def _from(i: int) -> str:
    return f"X-Forwarded-For: 198.51.100.{i % 250}\r\n"


async def silent_uploads(a: Attacker) -> None:
    """Large bodies that stop at once, or once they have a place, from one address and many."""
    lines: list[asyncio.StreamWriter | None] = []
    for i in range(a.count(160)):
        come = b"x" * (10, 200_000)[i % 2]
        where = _from(i if i % 4 > 1 else 0) + f"X-Headlight-Page: page-{i}\r\n"
        head = f"POST /headlight/upload HTTP/1.1\r\nHost: {a.host}\r\n{JSON}{where}"
        lines.append(await a.open(f"{head}Content-Length: {LARGE}\r\n\r\n".encode() + come))
    await asyncio.sleep(5 * min(1, a.count(160) / 160))
    for line in lines:
        if line:
            line.close()


async def rebound_names(a: Attacker) -> None:
    """Requests of a page whose name leads here, to all that is served."""
    body = json.dumps({"ask": "trace", "model": "en-zh", "source": "I love you."}).encode()
    paths = (
        "headlight/answer",
        "gradio_api/run/translate",
        "gradio_api/mcp/",
        "gradio_api/queue/join",
    )

    async def send(i: int) -> None:
        led = f"Origin: http://evil.example:{a.port}\r\nSec-Fetch-Site: same-origin\r\n"
        await a.post(f"/{paths[i % 4]}", body, headers=led, host=f"evil.example:{a.port}")

    await a.many(400, 8, send)


async def tool_names(a: Attacker) -> None:
    """Tools that nobody offers, with names of a hundred kilobytes that would drive a terminal."""
    name = "\x1b]0;owned\x07\x1b[2J\n" * 5_000
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body = json.dumps({**call, "params": {"name": name, "arguments": {}}}).encode()

    async def send(_: int) -> None:
        accepted = "Accept: application/json, text/event-stream\r\n"
        await a.post("/gradio_api/mcp/", body, headers=accepted)

    await a.many(120, 4, send)


async def one_network(a: Attacker) -> None:
    """A host that has an address for each request, all of one /64."""

    async def send(i: int) -> None:
        where = f"X-Forwarded-For: 2001:db8:1:2:{i % 60_000:x}::{i % 9:x}\r\n"
        request = {
            "ask": "trace",
            "model": "en-zh",
            "source": f"We have {i} new houses near the sea.",
        }
        await a.post("/headlight/answer", json.dumps(request).encode(), headers=where)

    await a.many(600, 8, send)


async def made_up_pages(a: Attacker) -> None:
    """A page's name for each request, at one address: traces, analyses, calls and uploads."""
    long = "we think that " * 20

    async def send(i: int) -> None:
        where = _from(1) + f"X-Headlight-Page: page-{i}\r\n"
        text = f"{long} {i} birds sing."
        about = {"model": "en-zh", "source": text}
        path, request = (
            ("headlight/answer", {"ask": "trace", **about}),
            ("headlight/answer", {"ask": "inside", "name": "sweep", "options": {}, **about}),
            ("gradio_api/call/translate", {"data": [text, "en-zh"]}),
            ("headlight/upload", {"ask": "nothing", "trace": "x" * 400_000}),
        )[i % 4]
        await a.post(f"/{path}", json.dumps(request).encode(), headers=where, patience=3)

    await a.many(1_200, 8, send)


async def watchers(a: Attacker) -> None:
    """Pages that watch a toy learn, from five addresses: three for each place."""
    body = json.dumps({"ask": "noise", "after": 1_000, "toy": "reverse"}).encode()
    end = asyncio.get_running_loop().time() + 10 * min(1, a.count(300) / 300)

    async def watch(i: int) -> None:
        while asyncio.get_running_loop().time() < end:
            await a.post("/headlight/answer", body, source=f"127.0.1.{i % 5 + 1}")

    await asyncio.gather(*(watch(i) for i in range(a.count(300))))


ATTACKS = (silent_uploads, rebound_names, tool_names, one_network, made_up_pages, watchers)
