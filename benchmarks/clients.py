"""A class of visitors, in a process of its own: `python -m benchmarks.clients URL PLAN`.

Each has a connection to the server and asks as the page does. What they met is printed as JSON.
"""

import asyncio
import json
import random
import sys
from contextlib import AsyncExitStack
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from headlight.clients import PAGE

WORDS = (
    ["I", "You", "We", "They", "Students", "Teachers", "Parents", "Children"],
    ["want", "need", "like", "hope", "try", "have", "love", "begin"],
    ["to"],
    ["read", "write", "buy", "see", "find", "open", "paint", "keep"],
    ["a", "the", "this", "that", "my", "your", "our", "one"],
    ["new", "old", "small", "large", "red", "good", "long", "short"],
    ["book", "house", "letter", "door", "car", "garden", "school", "song"],
    ["in", "near", "behind", "before", "after", "with", "for", "without"],
    ["the", "my", "your", "his", "her", "our", "their", "a"],
    ["city.", "river.", "family.", "lesson.", "morning.", "winter.", "station.", "brother."],
)
PAUSE_SECONDS = 5
KEPT_SECONDS = 4
"""A server closes what has been idle for five."""


class Visitor:
    """One open page.

    Args:
        url: of the server.
        door: the address of this machine that it comes from; whichever, if none is named.
        page: what it calls itself.
        encoding: what it takes answers in, which it hands out as they come.
    """

    def __init__(
        self, url: str, door: str = "", page: str = "", encoding: str = "identity"
    ) -> None:
        self._address, self._door, self._page = urlsplit(url), door, page
        self._encoding = encoding
        self._used = perf_counter()

    async def __aenter__(self) -> "Visitor":
        await self._connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def get(self, path: str) -> bytes:
        """The body of a page or a file."""
        return await self._send("GET", path, b"")

    async def trace(self, source: str, model: str = "en-zh") -> dict[str, Any]:
        """The answer to Translate."""
        return await self.ask(ask="trace", source=source, model=model)

    async def ask(self, **request: object) -> dict[str, Any]:
        """The answer to one of the viewer's requests."""
        sent = json.dumps(request).encode()
        return json.loads(await self._send("POST", "/headlight/answer", sent))

    async def _connect(self) -> None:
        address = self._address
        self._reader, self._writer = await asyncio.open_connection(
            address.hostname, address.port, local_addr=(self._door, 0) if self._door else None
        )

    async def _send(self, method: str, path: str, body: bytes) -> bytes:
        if perf_counter() - self._used > KEPT_SECONDS:
            self._writer.close()
            await self._connect()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._address.netloc}\r\n"
        if self._page:
            head += f"{PAGE}: {self._page}\r\n"
        head += f"Accept-Encoding: {self._encoding}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        answered = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        fields = dict(line.split(": ", 1) for line in answered[1:] if line)
        if " 200 " not in answered[0]:
            raise RuntimeError(f"{path}: {answered[0]}")
        content = await self._reader.readexactly(int(fields["content-length"]))
        self._used = perf_counter()
        return content


async def ask(visitor: Visitor, source: str) -> tuple[float, bool]:
    """Seconds to the answer, and whether it is this sentence's."""
    start = perf_counter()
    answer = await visitor.trace(source)
    while "waiting" in answer:
        answer = await visitor.trace(source)
    fine = answer.get("trace", {}).get("source") == source
    return perf_counter() - start, fine


async def look(visitor: Visitor, paths: list[str], until: "asyncio.Future[Any]") -> list[float]:
    """Seconds for each page and file, again and again until the others are done."""
    times: list[float] = []
    while not until.done():
        for path in paths:
            start = perf_counter()
            await visitor.get(path)
            times.append(perf_counter() - start)
            await asyncio.sleep(0.02)
    return times


async def study(visitor: Visitor, draw: random.Random, seconds: float) -> list[tuple[float, bool]]:
    """One student: a sentence, and after the answer a pause, until the time is over."""
    end = perf_counter() + seconds
    await asyncio.sleep(draw.uniform(0, PAUSE_SECONDS))
    visits: list[tuple[float, bool]] = []
    while perf_counter() < end:
        visits.append(await ask(visitor, sentence(draw)))
        await asyncio.sleep(PAUSE_SECONDS)
    return visits


def sentence(draw: random.Random) -> str:
    """Ten words; there are a billion."""
    return " ".join(draw.choice(words) for words in WORDS)


async def main(url: str, plan: dict[str, Any]) -> dict[str, Any]:
    """Carries a plan out: {"kind": "alone" | "burst" | "equal" | "study", "count", "seconds"}."""
    draw, count = random.Random(), int(plan["count"])
    looks: list[float] = []
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        watcher = await enter(Visitor(url))
        if plan["kind"] == "alone":
            visits = [await ask(watcher, sentence(draw)) for _ in range(count)]
            return _summary(visits, looks)
        visitors = [await enter(Visitor(url)) for _ in range(count)]
        if plan["kind"] == "study":
            lives = [
                study(each, random.Random(draw.random()), plan["seconds"]) for each in visitors
            ]
            visits = [each for life in await asyncio.gather(*lives) for each in life]
        else:
            same = sentence(draw)
            sources = [same if plan["kind"] == "equal" else sentence(draw) for _ in visitors]
            asking = asyncio.gather(*map(ask, visitors, sources))
            looks, visits = await asyncio.gather(look(watcher, plan["paths"], asking), asking)
        return _summary(visits, looks)


def _summary(visits: list[tuple[float, bool]], looks: list[float]) -> dict[str, Any]:
    seconds = [seconds for seconds, _ in visits]
    return {"seconds": seconds, "wrong": sum(not fine for _, fine in visits), "looks": looks}


if __name__ == "__main__":
    json.dump(asyncio.run(main(sys.argv[1], json.loads(sys.argv[2]))), sys.stdout)
