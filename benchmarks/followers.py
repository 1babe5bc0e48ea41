"""A class that follows, in a process of its own: `python -m benchmarks.followers URL PLAN`.

Its pages are connections, as a browser's; some are a browser. What they met is printed as JSON.
"""

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from headlight.class_routes import ADDRESS
from headlight.teacher import HEADER, PERSON

from .clients import Visitor, ask, sentence
from .link import link

SECRET = "the-teacher-of-this-class"
SHOWN = "?model=en-zh&source=She+reads+a+book+every+day.&step={step}"
PACE_SECONDS = 0.5
"""Between two of the teacher's steps."""


class Follower:
    """One stream, and when its last event of each number came."""

    def __init__(self, url: str, door: str, person: str, room: str) -> None:
        self._address, self._door = urlsplit(url), door
        self._person, self._room = person, room
        self.came: dict[int, float] = {}
        self.answered = 0
        self._moved = asyncio.Event()

    async def __aenter__(self) -> "Follower":
        local = (self._door, 0) if self._door else None
        host, port = self._address.hostname, self._address.port
        self._reader, self._writer = await asyncio.open_connection(host, port, local_addr=local)
        head = (
            f"GET /{ADDRESS}/stream?room={self._room} HTTP/1.1\r\nHost: {self._address.netloc}\r\n"
        )
        if not self._room:
            head += f"{HEADER}: {SECRET}\r\n"
        self._writer.write(f"{head}{PERSON}: {self._person}\r\n\r\n".encode())
        answer = await self._reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in answer.split(b"\r\n")[0]:
            raise RuntimeError(answer.decode())
        self._listening = asyncio.create_task(self._listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.cancel()
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def until(self, there: Any) -> None:
        """Returns once `there(self)` holds."""
        while not there(self):
            self._moved.clear()
            await self._moved.wait()

    async def _listen(self) -> None:
        while line := await self._reader.readline():
            if not line.startswith(b"data: {"):
                continue
            content = json.loads(line[6:])
            if view := content.get("view"):
                self.came.setdefault(view["number"], perf_counter())
            self.answered = content.get("answered", self.answered)
            self._moved.set()


class Class:
    """A teacher, and who follows."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.steps = 0

    async def call(self, headers: dict[str, str], **sent: object) -> dict[str, Any]:
        """The answer to one post, on a connection of its own."""
        address = urlsplit(self._url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        body = json.dumps(sent).encode()
        fields = {"Host": address.netloc, "Content-Type": "application/json", **headers}
        fields |= {"Content-Length": str(len(body)), "Connection": "close"}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        writer.write(f"POST /{ADDRESS} HTTP/1.1\r\n{head}\r\n".encode() + body)
        answer = await reader.read()
        writer.close()
        return json.loads(answer.partition(b"\r\n\r\n")[2])

    async def teach(self, **sent: object) -> dict[str, Any]:
        """One of the teacher's calls."""
        return await self.call({HEADER: SECRET, PERSON: "teacher"}, **sent)

    async def show(self, followers: list[Follower]) -> list[float]:
        """Seconds until each of them has heard of a step."""
        self.steps += 1
        number, start = self.steps, perf_counter()
        address = SHOWN.format(step=1 + number % 4)
        await self.teach(do="show", address=address, by="teacher")
        await asyncio.gather(*(each.until(lambda it: number in it.came) for each in followers))
        return [each.came[number] - start for each in followers]

    async def answers(self, room: str, people: int, desk: Follower) -> float:
        """Seconds until as many answers as there are people are counted."""
        question = {"kind": "own", "text": "?", "options": ["one", "two"]}
        await self.teach(do="ask", question=question)
        values = {
            "do": "answer",
            "room": room,
            "question": 1,
            "answer": {"choice": 1, "sure": True},
        }
        start = perf_counter()
        calls = (self.call({PERSON: f"pupil-{i}"}, **values) for i in range(people))
        await asyncio.gather(*calls)
        await desk.until(lambda it: it.answered == people)
        seconds = perf_counter() - start
        await self.teach(do="end")
        return seconds


@asynccontextmanager
async def browsers(url: str, room: str, count: int) -> AsyncIterator[list[Any]]:
    """So many pages of Chromium that follow."""
    if not count:
        yield []
        return
    from playwright.async_api import async_playwright

    from scripts.browser import find_chromium

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium())
        pages = [await browser.new_page(locale="en-US") for _ in range(count)]
        for page in pages:
            await page.goto(f"{url}?room={room}")
            await page.locator(".classroom:not([hidden])").wait_for()
        yield pages
        await browser.close()


async def main(url: str, plan: dict[str, Any]) -> dict[str, Any]:
    """Carries a plan out: {"count", "doors": "one" | "many", "steps", "browsers", "translating",
    "rate", "drops"}; `rate` is that of a link in bytes a second, 0 for none.
    """
    count, results = int(plan["count"]), dict[str, Any]()
    if plan.get("rate"):
        async with link(urlsplit(url).port or 80, plan["rate"]) as relay:
            results = await main(f"http://127.0.0.1:{relay.port}/", {**plan, "rate": 0})
            await asyncio.sleep(1)  # until it has heard that all have gone
            return results
    lesson = Class(url)
    room = (await lesson.teach(do="open"))["room"]
    doors = [f"127.0.1.{1 + i}" if plan["doors"] == "many" else "" for i in range(count)]
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        desk = await enter(Follower(url, "", "teacher", ""))
        followers = [
            await enter(Follower(url, door, f"pupil-{i}", room)) for i, door in enumerate(doors)
        ]
        pages = await enter(browsers(url, room, plan.get("browsers", 0)))
        results["shown"], results["drawn"] = [], []
        for _ in range(plan.get("steps", 0)):
            start = perf_counter()
            results["shown"] += await lesson.show(followers)
            for page in pages:
                text = f"Step {1 + lesson.steps % 4} of"
                await page.get_by_role("status", name="Step status").get_by_text(text).wait_for()
                results["drawn"].append(perf_counter() - start)
            await asyncio.sleep(PACE_SECONDS)
        results["answers"] = await lesson.answers(room, count, desk)
        if translating := plan.get("translating", 0):
            results["waits"] = await _translate(url, translating, lesson, followers)
        for i in range(plan.get("drops", 0)):
            async with Follower(url, "", f"dropped-{i}", room):
                pass
        if plan.get("idle"):
            sys.stdout.write("idle\n")
            sys.stdout.flush()
            await asyncio.sleep(plan["idle"])
        results["left"] = (await lesson.teach(do="open"))["people"] - len(pages)
        await lesson.teach(do="close")
    return results


async def _translate(url: str, count: int, lesson: Class, followers: list[Follower]) -> list[float]:
    """Seconds that each of so many waits for a sentence of its own, while the class goes on."""
    draw, seconds = random.Random(1), list[float]()

    async def pupil(i: int) -> None:
        async with Visitor(url, page=f"pupil-{i}") as visitor:
            await asyncio.sleep(draw.uniform(0, 8))
            seconds.append((await ask(visitor, sentence(draw)))[0])

    pupils = [asyncio.create_task(pupil(i)) for i in range(count)]
    while not all(each.done() for each in pupils):
        await lesson.show(followers)
        await asyncio.sleep(PACE_SECONDS)
    await asyncio.gather(*pupils)
    return seconds


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))))
