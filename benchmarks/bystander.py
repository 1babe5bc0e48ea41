"""A normal client beside an attack, in a process of its own: `python -m benchmarks.bystander URL`.

It opens the page and translates, with a new connection each time, until a line comes in. Then it
prints [[seconds of each request], how many failed].
"""

import asyncio
import json
import random
import sys
from threading import Event, Thread
from time import perf_counter

from .clients import Visitor, sentence

PATIENCE = 30
"""Seconds until a request counts as failed."""


async def live(url: str, stop: Event) -> tuple[list[float], int]:
    """Asks until it is told to stop."""
    draw, seconds, failed = random.Random(), [float(0)] * 0, 0
    while not stop.is_set():
        start = perf_counter()
        try:
            fine = await asyncio.wait_for(_ask(url, sentence(draw)), PATIENCE)
        except (OSError, RuntimeError, EOFError, asyncio.TimeoutError):
            fine = False
        seconds.append(perf_counter() - start)
        failed += not fine
        if len(seconds) == 1:
            print("begun", flush=True)
        await asyncio.sleep(0.05)
    return seconds, failed


async def _ask(url: str, source: str) -> bool:
    async with Visitor(url, page="bystander") as visitor:
        await visitor.get("/")
        answer = await visitor.trace(source)
        return answer.get("trace", {}).get("source") == source


def main() -> None:
    """Lives until a line comes in."""
    stop = Event()

    def listen() -> None:
        sys.stdin.readline()
        stop.set()

    Thread(target=listen, daemon=True).start()
    json.dump(asyncio.run(live(sys.argv[1], stop)), sys.stdout)


if __name__ == "__main__":
    main()
