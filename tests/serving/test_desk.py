"""Who gets a thread, and who gives it back."""

import asyncio
import time
from threading import Event

import pytest

from tests.serving.asking import run
from transformer.serving.sharing.client import Client
from transformer.serving.sharing.desk import Desk, left

THREADS, SHARE = 4, 2


def test_who_leaves_before_it_has_begun_takes_the_work_along() -> None:
    may_go_on, begun = Event(), list[str]()

    async def ask() -> None:
        desk = Desk(THREADS, SHARE)

        def work(name: str) -> str:
            begun.append(name)
            assert may_go_on.wait(30)
            return name

        names = [f"{i}" for i in range(SHARE + 2)]
        asked = [
            asyncio.create_task(desk.run(lambda n=name: work(n), Client("one"))) for name in names
        ]
        while len(begun) < SHARE:
            await asyncio.sleep(0.01)
        assert await desk.run(lambda: "modest", Client("other")) == "modest"
        for leaving in (asked[0], asked[-2]):
            leaving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaving
        # A thread is not free because its client has gone.
        assert len(begun) == SHARE
        may_go_on.set()
        assert await asked[-1] == names[-1]

    run(ask())
    assert sorted(begun) == ["0", "1", "3"]


def test_what_has_begun_can_see_that_nobody_waits() -> None:
    begun, ended, reports = Event(), Event(), list[bool]()

    def work() -> None:
        reports.append(left())
        begun.set()
        while not left():
            time.sleep(0.001)
        reports.append(left())
        ended.set()

    async def ask() -> None:
        desk = Desk(THREADS, SHARE)
        asked = asyncio.create_task(desk.run(work))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        # Who asked has gone at once; the thread takes a moment more.
        assert await asyncio.to_thread(ended.wait, 20)
        # The thread is free again, and knows nothing of the one who has gone.
        assert [await desk.run(left) for _ in range(THREADS)] == [False] * THREADS

    run(ask())
    assert reports == [False, True]
