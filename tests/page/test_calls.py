"""Calls that nobody fetches: whoever fills the room for them loses their own."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from headlight import calls, unread
from headlight.calls import EACH_BYTES, Calls
from tests.serving.asking import run
from transformer.serving.sharing.client import Client

SMALL = ["I love you.", "en-zh"]
CLASS = {
    "sixty addresses": [Client(f"192.0.2.{i}") for i in range(60)],
    "one address": [Client("192.0.2.1", f"pupil {i}") for i in range(60)],
}


def waits(kept: Calls, id: str) -> bool:
    return id in kept._waiting


@pytest.mark.parametrize("place", CLASS)
def test_a_class_keeps_its_calls_while_somebody_fills_the_room(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MOST_BYTES", 300 * (EACH_BYTES + 100))
    kept = Calls(["translate"])
    flood = CLASS[place][0]
    first = [kept.add("s", "translate", SMALL, flood) for _ in range(10)]
    asked = [kept.add("s", "translate", SMALL, each) for each in CLASS[place][1:] for _ in range(2)]
    for _ in range(500):
        kept.add("s", "translate", SMALL, flood)
    assert all(waits(kept, id) for id in asked)
    assert not any(waits(kept, id) for id in first)


def test_pages_by_the_thousand_from_one_address_cost_no_other_address_a_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "MOST_BYTES", 100 * EACH_BYTES)
    kept = Calls(["translate"])
    asked = [kept.add("", "translate", SMALL, Client("school")) for _ in range(20)]
    for i in range(1_000):
        kept.add("s", "translate", SMALL, Client("attacker", f"{i}"))
    assert all(waits(kept, id) for id in asked)


def test_what_waits_is_bounded_in_bytes_and_kept_as_it_was_sent() -> None:
    kept = Calls(["translate"])
    data = ["\ud800 爱 " + "x" * 100_000]
    for i in range(300):
        kept.add("", "translate", data, Client(f"{i}"))
    waiting = [*kept._waiting.values()]
    assert 0 < sum(map(len, waiting)) <= calls.MOST_BYTES
    assert waiting[-1].sent == f'{{"data":["{data[0]}"]}}'.encode(errors="surrogatepass")


@pytest.mark.parametrize("pages", [1, 40])
def test_answers_that_nobody_reads_are_bounded_and_cost_others_none(
    pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = json.dumps({"data": ["x" * 100_000]})

    async def said(*_: object) -> tuple[bool, str]:
        return True, output

    monkeypatch.setattr(calls, "_run", said)
    monkeypatch.setattr(unread, "UNREAD_OF_ONE", 1_000_000)
    monkeypatch.setattr(unread, "UNREAD", 4_000_000)
    kept = Calls(["translate"])

    def listen(client: Client, session: str) -> AsyncIterator[str]:
        for _ in range(8):
            kept.add(session, "translate", SMALL, client)
        return kept._answers(session, cast(Any, None))

    async def lived() -> list[str]:
        silent = [listen(Client("attacker", f"{i % pages}"), f"{i}") for i in range(80)]
        first = [await anext(each) for each in silent]  # and no more is read
        await asyncio.sleep(0)
        assert kept._unread.size <= (1_000_000 if pages == 1 else 4_000_000)
        normal = [each async for each in listen(Client("school", "pupil"), "pupil")]
        for each in silent:
            await cast(Any, each).aclose()
        assert kept._unread.size == 0
        assert kept._freed._bytes >= 80 * 100_000, "the system gets it back"
        assert all('"success": true' in each for each in first)
        return normal

    normal = run(lived())
    assert len(normal) == 9
    assert all('"success": true' in each for each in normal[:8])


def test_the_answer_to_a_call_that_was_left_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradio's own route answers what is cancelled: with an error."""

    async def said(*_: object) -> tuple[bool, str]:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return False, '{"error": null}'
        raise AssertionError

    monkeypatch.setattr(calls, "_run", said)
    kept = Calls(["translate"])

    async def lived() -> None:
        for _ in range(8):
            kept.add("s", "translate", SMALL, Client("a"))
        listening = asyncio.ensure_future(anext(kept._answers("s", cast(Any, None))))
        while len(kept):
            await asyncio.sleep(0)
        listening.cancel()
        while kept._running:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert kept._unread.size == 0

    run(lived())


def test_who_comes_back_for_an_answer_that_was_lost_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unread, "UNREAD_OF_ONE", 150)
    kept = unread.Unread()
    first, second = (unread.Answer(Client("a", "b"), True, "x" * 100) for _ in range(2))
    kept.add(first)
    kept.add(second)
    assert (first.went_well, second.went_well) == (False, True)
    assert "ask again" in json.loads(first.output)["error"]
