"""Attacks on a class: forged calls, answers without end, tried codes, markup, streams."""

import asyncio
import json
from contextlib import suppress
from typing import Any

from headlight.class_routes import ADDRESS
from headlight.rooms.codes import LENGTH, LETTERS
from headlight.teacher import HEADER, PERSON

from .attacker import Attacker

SECRET = "the-teacher-of-this-attack"
TEACHER = f"{HEADER}: {SECRET}\r\n{PERSON}: screen\r\n"
MARKUP = "<img src=x onerror=alert(1)>\r\n\r\nevent: end\ndata: {}\n\n=1+1\u2028"
SENTENCE = {"kind": "sentence", "text": "", "options": []}


async def call(a: Attacker, headers: str, **sent: object) -> dict[str, Any]:
    """The answer to one call; nothing if there is none."""
    answer = await a.post(f"/{ADDRESS}", json.dumps(sent).encode(), headers=headers)
    _, _, body = answer.partition(b"\r\n\r\n")
    with suppress(ValueError):
        return json.loads(body)
    return {}


async def follow(a: Attacker, room: str, person: str, source: str = "") -> Any:
    """A stream's reader and writer, once its head was sent."""
    a.sent += 1
    local = (source, 0) if source else None
    reader, writer = await asyncio.open_connection(a.host, a.port, local_addr=local)
    head = f"GET /{ADDRESS}/stream?room={room} HTTP/1.1\r\nHost: {a.host}:{a.port}\r\n"
    writer.write(f"{head}{PERSON}: {person}\r\n\r\n".encode())
    return reader, writer


async def forged_calls(a: Attacker) -> None:
    """Each of the teacher's calls with a student's secret, another's, and none."""
    room = (await call(a, TEACHER, do="open"))["room"]
    calls: list[dict[str, object]] = [
        {"do": "show", "address": MARKUP, "by": "me"},
        {"do": "ask", "question": SENTENCE},
        {"do": "reveal", "truth": {}},
        {"do": "close"},
    ]

    async def send(i: int) -> None:
        secret = ("", f"{HEADER}: ann\r\n", f"{HEADER}: {'x' * 30}\r\n")[i % 3]
        await call(a, f"{secret}{PERSON}: ann\r\n", room=room, **calls[i % len(calls)])

    await a.many(600, 8, send)
    if (await call(a, TEACHER, do="open"))["view"] is not None:
        raise RuntimeError("a forged call was obeyed")
    await call(a, TEACHER, do="close")


async def one_persons_answers(a: Attacker) -> None:
    """Ten thousand answers of one person, some of a hundred kilobytes, all of them markup."""
    room = (await call(a, TEACHER, do="open"))["room"]
    await call(a, TEACHER, do="ask", question=SENTENCE)
    _, writer = await follow(a, room, "ann")
    await asyncio.sleep(0.2)

    async def send(i: int) -> None:
        text = MARKUP * (2_000 if i % 100 == 0 else 1)
        values = {"text": text[:100_000], "sure": True}
        await call(a, f"{PERSON}: ann\r\n", do="answer", room=room, question=1, answer=values)

    await a.many(10_000, 16, send)
    writer.close()
    if (await call(a, TEACHER, do="open"))["answered"] > 1:
        raise RuntimeError("one person was counted more than once")
    await call(a, TEACHER, do="close")


async def tried_codes(a: Attacker) -> None:
    """Codes by brute force, from one address and from many."""

    async def send(i: int) -> None:
        letters = [LETTERS[(i // 20**n) % 20] for n in range(LENGTH)]
        seems = f"X-Forwarded-For: 198.51.100.{i % 250}\r\n" if i % 2 else ""
        call_ = {"do": "answer", "room": "".join(letters), "question": 1, "answer": {}}
        await call(a, f"{seems}{PERSON}: ann\r\n", **call_)

    await a.many(3_000, 16, send)


async def streams_beside_a_class(a: Attacker) -> None:
    """A thousand streams of one client, beside a class that follows from another."""
    room = (await call(a, TEACHER, do="open"))["room"]
    flood: list[asyncio.StreamWriter] = []
    for i in range(a.count(1_000)):
        with suppress(OSError):
            flood.append((await follow(a, room, f"flood-{i}"))[1])
    pupils = [await follow(a, room, f"pupil-{i}", "127.0.0.2") for i in range(a.count(20))]
    await asyncio.sleep(0.5)
    await call(a, TEACHER, do="show", address="?step=9", by="me")
    heard = await asyncio.gather(*(_hears(reader, b"step=9") for reader, _ in pupils))
    for writer in [*flood, *(writer for _, writer in pupils)]:
        writer.close()
    await call(a, TEACHER, do="close")
    if not all(heard):
        raise RuntimeError(f"{heard.count(False)} of {len(pupils)} pupils were shut out")


async def _hears(reader: asyncio.StreamReader, text: bytes) -> bool:
    async def wait() -> bool:
        while line := await reader.readline():
            if text in line:
                return True
        return False

    with suppress(asyncio.TimeoutError, OSError):
        return await asyncio.wait_for(wait(), 10)
    return False


ATTACKS = (forged_calls, one_persons_answers, tried_codes, streams_beside_a_class)
