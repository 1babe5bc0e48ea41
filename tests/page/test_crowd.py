"""Hundreds who read nothing cost the others no time."""

import pytest

from headlight import crowd
from headlight.crowd import ANSWER, Crowd

pytestmark = pytest.mark.slow


class Reader:
    """A connection whose client reads."""

    client_id = "router"
    page = ""
    since = 0.0
    held = 0
    streams = False
    looked = 0

    def rests(self) -> bool:
        return False

    def stalled(self) -> float:
        Reader.looked += 1
        return 0.0

    def look(self) -> None: ...

    def abort(self) -> None: ...


def test_who_holds_much_is_not_looked_at_for_each_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd, "UNSENT_OF_ONE", ANSWER)
    monkeypatch.setattr(crowd, "monotonic", lambda: 0.0)
    many, readers = Crowd(1_000), [Reader() for _ in range(200)]
    for each in readers:
        many.enter(each)
    for each in readers:
        many.hold(each, ANSWER)
    assert len(many.lines) == 200
    assert Reader.looked <= 200
