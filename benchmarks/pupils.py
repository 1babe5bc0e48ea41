"""Pupils who teach, in a process of their own: `python -m benchmarks.pupils URL PLAN`.

Each teaches the model a sentence, then clicks: what they met is printed as JSON.
"""

import asyncio
import json
import random
import sys
from time import perf_counter
from typing import Any

from .clients import PAUSE_SECONDS, Visitor, sentence

TARGETS = ("别迟到。", "我爱你。", "早上好。", "多好的一天！", "猫睡在床上。", "她每天看书。")


class Pupil:
    """One of the class, with a correction of their own.

    Args:
        visitor: their page.
        draw: what they think of.
    """

    def __init__(self, visitor: Visitor, draw: random.Random) -> None:
        self._visitor, self._draw = visitor, draw
        self._source = sentence(draw)
        self._taught = {"source": self._source, "target": draw.choice(TARGETS)}

    async def teach(self) -> float:
        """Seconds that the correction took, its wait among them."""
        return await self._ask("taught", ask="teach", source=self._source)

    async def study(self, seconds: float) -> list[float]:
        """Seconds of each click, a pause after each. Mostly it is the same question again: of the
        correction's own sentence, whose tab is opened and left; then it is another sentence.
        """
        end, clicks = perf_counter() + seconds, list[float]()
        await asyncio.sleep(self._draw.uniform(0, PAUSE_SECONDS))
        while perf_counter() < end:
            for source in (self._source, self._source, sentence(self._draw)):
                clicks.append(await self._ask("trace", ask="trace", source=source))
                await asyncio.sleep(PAUSE_SECONDS)
                clicks.append(await self._ask("inside", ask="inside", name="lens", source=source))
                await asyncio.sleep(PAUSE_SECONDS)
                if perf_counter() > end:
                    break
        return clicks

    async def _ask(self, part: str, **request: object) -> float:
        start = perf_counter()
        question = {"model": "en-zh", "taught": self._taught, **request}
        while "waiting" in (answer := await self._visitor.ask(**question)):
            pass
        if part not in answer:
            raise RuntimeError(str(answer)[:200])
        return perf_counter() - start


async def main(url: str, plan: dict[str, Any]) -> dict[str, Any]:
    """Carries a plan out: {"count", "seconds", "doors": "one" | "many"}."""
    draw, count = random.Random(plan.get("seed")), int(plan["count"])
    many = plan["doors"] == "many"
    doors = [f"127.0.0.{2 + i}" if many else "127.0.0.1" for i in range(count)]
    visitors = [await Visitor(url, door, f"pupil-{i}").__aenter__() for i, door in enumerate(doors)]
    pupils = [Pupil(visitor, random.Random(draw.random())) for visitor in visitors]
    taught = await asyncio.gather(*(pupil.teach() for pupil in pupils))
    lives = await asyncio.gather(*(pupil.study(plan["seconds"]) for pupil in pupils))
    for visitor in visitors:
        await visitor.__aexit__()
    return {"corrections": taught, "clicks": [each for life in lives for each in life]}


if __name__ == "__main__":
    json.dump(asyncio.run(main(sys.argv[1], json.loads(sys.argv[2]))), sys.stdout)
