"""Memory that was used and freed goes back to the system by itself."""

from threading import Event

import pytest

from transformer.serving.sharing import freeing


def test_memory_goes_back_a_while_after_much_of_it_was_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    back, times = Event(), list[int]()

    def noted() -> None:
        times.append(1)
        back.set()

    monkeypatch.setattr(freeing, "give_back", noted)
    freed = freeing.Freed(most=100, seconds=0.01)
    freed.add(100)
    assert not back.wait(0.1), "little"
    for _ in range(2):
        freed.add(50)
        freed.add(100)
        assert back.wait(30)
        back.clear()
    assert len(times) == 2
