"""What strangers send to guests: hostile folders, prompts at the limits, and one that ends."""

import asyncio
import os
import pickle
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from transformer.checkpoint.hub.whole import MOST_TEXT
from transformer.serving.wire.requests import MAX_CHARACTERS

from .attacker import Attacker

RAN = "ran"
"""A file beside the folders, which the pickle's code would make."""

LOOPS = "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}"

MOST_ASKED = 60
"""Times that somebody who is told to wait asks again."""


class _Runs:
    """What runs code when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def __reduce__(self) -> Any:
        return Path.touch, (self._marker,)


def folders(root: Path) -> list[Path]:
    """Guests of two forms, and three that mean no good, made in a folder."""
    from tests.guests.folders import decoder, encoder, grouped_decoder

    pickled, large, looping = root / "pickled", root / "large-tokenizer", root / "looping"
    decoder(pickled)
    (pickled / "model.safetensors").unlink()
    (pickled / "pytorch_model.bin").write_bytes(pickle.dumps(_Runs(root / RAN)))
    decoder(large)
    os.truncate(large / "tokenizer.json", MOST_TEXT + 1)  # it takes no room
    grouped_decoder(looping)
    (looping / "chat_template.jinja").write_text(LOOPS, encoding="utf-8")
    return [decoder(root / "decoder"), encoder(root / "encoder"), pickled, large, looping]


async def hostile_guests(a: Attacker) -> None:
    """A pickle that runs code, a tokenizer of 200 MB, a chat's template that does not end."""
    names = ("pickled", "large-tokenizer", "looping")

    async def send(i: int) -> None:
        request = {"model": names[i % 3], "source": f"I have {i} cats."}
        body = await _answered(a, **request, guest={"chat": True} if i % 3 == 2 else None)
        if b'"error"' not in body:
            raise RuntimeError(f"{names[i % 3]} was not refused: {body[-300:]!r}")

    await a.many(12, 3, send)


async def prompts_at_the_limits(a: Attacker) -> None:
    """As much as may be sent, and more: letters, signs of four bytes, hidden tokens, two texts."""
    texts = ("a " * (MAX_CHARACTERS // 2), "🦙" * MAX_CHARACTERS, "a" * (MAX_CHARACTERS + 1), " ")

    async def send(i: int) -> None:
        text = texts[i % 4]
        encoder = {"hidden": [*range(200)], "second": texts[(i + 1) % 4]}
        guest, model = (None, "decoder") if i % 2 else (encoder, "encoder")
        await _answered(a, model=model, source=f"{i}{text}"[: len(text)], guest=guest)

    await a.many(40, 8, send)


async def ended_guests(a: Attacker) -> None:
    """The process of the guests ended in the middle, again and again."""

    async def send(i: int) -> None:
        source = f"{i} " + "The bank of the river was muddy. " * 4
        asking = asyncio.ensure_future(_answered(a, model="decoder", source=source))
        await asyncio.sleep(0.4)
        for pid in _children(a.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await asking

    await a.many(8, 2, send)


async def _answered(a: Attacker, **request: Any) -> bytes:
    """An answer, asked for until it is there."""
    values = {key: value for key, value in request.items() if value is not None}
    body = b""
    for _ in range(MOST_ASKED):
        body = await a.ask(ask="trace", prefix=[], **values)
        if b'{"waiting"' not in body:
            break
    return body


def _children(pid: int) -> Sequence[int]:
    """The processes that a server has begun: Linux tells."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(it) for task in tasks for it in task.read_text(encoding="ascii").split()]


ATTACKS = (hostile_guests, prompts_at_the_limits, ended_guests)
