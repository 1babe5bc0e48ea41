"""What nobody sees waits for what somebody waits to see."""

import asyncio
import gc
import weakref

import pytest
from starlette.types import Message, Receive, Scope, Send

from headlight import yielding
from headlight.patient import LINE
from headlight.yielding import Yielding
from tests.serving.asking import run


class Line:
    """A connection: so many bytes are on their way by it."""

    def __init__(self, unsent: int = 0) -> None:
        self.bytes = unsent
        self.looks = 0

    def unsent(self) -> int:
        self.looks += 1
        return self.bytes


class Server:
    def __init__(self) -> None:
        self.answered: list[str] = []
        self.ready = asyncio.Event()
        self.ready.set()
        self._server = Yielding(self._app, lambda path: path == "/first")

    async def _app(self, scope: Scope, _: Receive, __: Send) -> None:
        await self.ready.wait()
        self.answered.append(scope["path"])

    async def get(self, path: str, line: Line | None = None) -> None:
        async def receive() -> Message:
            raise AssertionError

        async def send(_: Message) -> None:
            raise AssertionError

        await self._server({"type": "http", "path": path, LINE: line}, receive, send)


async def some_looks() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yielding, "LOOK_SECONDS", 1e-9)


def test_gradios_files_come_after_everybodys_first_picture() -> None:
    server, quick, slow = Server(), Line(5_000), Line(90_000)

    async def visit() -> None:
        await server.get("/first", quick)
        await server.get("/first", slow)
        later = asyncio.create_task(server.get("/assets/x.js", quick))
        await server.get("/answer", quick)
        await some_looks()
        assert server.answered == ["/first", "/first", "/answer"], "all else waits for nothing"
        quick.bytes = 0
        await some_looks()
        assert not later.done()
        slow.bytes = 0
        await later
        slow.bytes = 70_000  # a translation, which nobody's Gradio waits for
        await server.get("/svelte/y.js", quick)

    run(visit())
    assert server.answered[3:] == ["/assets/x.js", "/svelte/y.js"]


def test_a_first_picture_that_is_still_being_made_is_waited_for() -> None:
    server, line = Server(), Line()

    async def visit() -> None:
        server.ready.clear()
        first = asyncio.create_task(server.get("/first", line))
        await some_looks()
        later = asyncio.create_task(server.get("/assets/x.js", Line()))
        await some_looks()
        line.bytes = 90_000
        server.ready.set()
        await first
        await some_looks()
        assert server.answered == ["/first"]
        line.bytes = 0
        await later

    run(visit())


def test_a_slow_line_keeps_no_others_gradio_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yielding, "MOST_SECONDS", 3e-9)
    server, slow = Server(), Line(90_000)

    async def visit() -> None:
        await server.get("/first", slow)
        await server.get("/static/z.png", Line())

    run(visit())
    assert server.answered == ["/first", "/static/z.png"]


def test_a_slow_line_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradio's files ask for one another: each would wait anew."""
    monkeypatch.setattr(yielding, "MOST_SECONDS", 0.05)
    server, slow = Server(), Line(90_000)

    async def visit() -> None:
        await server.get("/first", slow)
        await server.get("/assets/x.js", Line())
        looks = slow.looks
        await server.get("/assets/y.js", Line())
        assert slow.looks == looks

    run(visit())


def test_one_looks_for_all_who_wait() -> None:
    server, slow = Server(), Line(90_000)

    async def visit() -> None:
        await server.get("/first", slow)
        waiting = [asyncio.create_task(server.get("/assets/x.js", Line())) for _ in range(300)]
        for _ in range(10):
            await asyncio.sleep(0)
        assert slow.looks < 30
        slow.bytes = 0
        await asyncio.gather(*waiting)

    run(visit())


def test_a_connection_that_is_gone_is_not_kept() -> None:
    """Else whoever fetches the viewer often, but nothing of Gradio's, fills the memory."""
    server, line = Server(), Line(90_000)
    run(server.get("/first", line))
    gone = weakref.ref(line)
    del line
    gc.collect()
    assert gone() is None
