"""What strangers send to have the queue to themselves: long sentences, and corrections."""

from .attacker import Attacker
from .pupils import TARGETS

WORDS = "very " * 110
HOW = "sgd-10-0.02"


async def long_sentences(a: Attacker) -> None:
    """A hundred and twenty long sentences at once, of one client."""

    async def send(i: int) -> None:
        await a.ask(ask="trace", model="en-zh", source=f"It was a {WORDS} long day, day {i}.")

    await a.many(120, 120, send)


async def corrections(a: Attacker) -> None:
    """Corrections about long sentences, each another one."""

    async def send(i: int) -> None:
        source = f"It was a {'very ' * 40} long day, day {i}."
        taught = {"target": TARGETS[i % len(TARGETS)], "how": HOW}
        await a.ask(patience=60, ask="teach", model="en-zh", source=source, taught=taught)

    await a.many(32, 8, send)


async def taught_models(a: Attacker) -> None:
    """Questions to models that were taught another correction each."""

    async def send(i: int) -> None:
        taught = {"target": TARGETS[i % len(TARGETS)], "how": "sgd-1-0.02"}
        source = f"I have {i} dogs."
        await a.ask(ask="trace", model="en-zh", source=source, taught=taught)

    await a.many(60, 60, send)
