"""Calls that nobody fetches: whoever fills the room for them loses their own."""

import pytest

from headlight import calls
from headlight.calls import EACH_BYTES, Calls
from transformer.serving.client import Client

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
