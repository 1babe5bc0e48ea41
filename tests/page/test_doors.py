"""Connections: who reads slowly gets everything, who reads nothing keeps nothing from others."""

import asyncio
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.link import link
from headlight import crowd, doors, passes, patient
from headlight.crowd import Crowd
from headlight.passes import Passes
from tests.serving.asking import run

BODY = bytes(range(256)) * 12_000
SOON = 20
"""Seconds that a test waits for what must come."""


class App:
    """One that counts what it was asked, and lets whoever asks for it wait."""

    def __init__(self) -> None:
        self.begun = 0
        self.go = Event()
        self.asgi = Starlette(
            routes=[
                Route("/large", self.large, methods=["GET", "POST"]),
                Route("/small", self.small),
                Route("/piece", self.piece),
                Route("/waits", self.waits),
            ]
        )
        self.crowd: Crowd

    async def large(self, _: Request) -> Response:
        self.begun += 1
        return Response(BODY[:1] + BODY[1:])  # one of its own

    async def small(self, _: Request) -> Response:
        return Response("small")

    async def piece(self, _: Request) -> Response:
        return Response(BODY[: patient.PIECE])

    async def waits(self, _: Request) -> Response:
        self.begun += 1
        while not self.go.is_set():
            await asyncio.sleep(0.01)
        return Response("waited")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> App:
    monkeypatch.setattr(doors, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(doors, "MOST", 8)
    return App()


@pytest.fixture
def port(app: App) -> Iterator[int]:
    server = uvicorn.Server(uvicorn.Config(app.asgi, port=0, log_level="warning"))
    running = Thread(target=server.run)
    running.start()
    until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    doors.keep_doors(server)
    app.crowd = server.servers[0]._crowd  # type: ignore[attr-defined]
    try:
        yield port
    finally:
        app.go.set()
        server.should_exit = True
        running.join()


def until(happened: Callable[[], Any]) -> None:
    end = monotonic() + SOON
    while not happened():
        assert monotonic() < end, "it never happened"
        sleep(0.01)


def ask(port: int, path: str, *, host: str = "127.0.0.1", times: int = 1) -> socket.socket:
    """A connection of a client that has asked and read nothing yet."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8_000)
    line.settimeout(SOON)
    line.bind((host, 0))
    line.connect(("127.0.0.1", port))
    line.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path.encode() * times)
    return line


def read(line: socket.socket, size: int) -> bytes:
    got = bytearray()
    while len(got) < size and (piece := line.recv(1 << 16)):
        got += piece
    return bytes(got)


def answer(line: socket.socket) -> bytes:
    """The body of one answer; "" if the connection was closed."""
    try:
        head = b""
        while b"\r\n\r\n" not in head:
            if not (piece := line.recv(1)):
                return b""
            head += piece
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return read(line, length)
    except ConnectionError:
        return b""


def test_who_reads_slowly_gets_it_all(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient, "HEAD_SECONDS", 0.7)
    monkeypatch.setattr(patient, "READ_SECONDS", 0.7)

    async def visit() -> list[bytes]:
        # Two seconds for each of three, at once: as long as several patiences.
        async with link(port, 3 * len(BODY) / 2) as slow:
            return await asyncio.gather(*(asyncio.to_thread(through, slow.port) for _ in range(3)))

    def through(port: int) -> bytes:
        with ask(port, "/large") as line:
            return answer(line)

    assert run(visit()) == [BODY] * 3


def test_a_connection_rests_from_when_its_last_answer_was_read(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient, "REST_SECONDS", 1)
    with ask(port, "/piece") as line:
        sleep(1.5)  # longer than a connection may rest, while the answer is on its way
        assert len(answer(line)) == patient.PIECE
        line.sendall(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer(line) == b"small"
        assert line.recv(1) == b""  # and then it has rested


def test_newcomers_wait_for_a_place_together(
    app: App, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other they would wait longer than a person does."""
    monkeypatch.setattr(doors, "FULL_SECONDS", 2.7)
    monkeypatch.setattr(crowd, "FEW", -1)
    with ExitStack() as stack:
        for host in ("127.0.0.2", "127.0.0.3"):
            there = app.begun
            for _ in range(8):
                stack.enter_context(ask(port, "/waits", host=host))
            until(lambda there=there: app.begun == there + 8)


def test_a_client_of_a_few_comes_in_at_once_and_stays(
    app: App, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crowd from elsewhere makes room, also where all of it waits and he does nothing."""
    monkeypatch.setattr(crowd, "FEW", 2)
    monkeypatch.setattr(app.crowd, "_most_of_one", 20)
    with ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(ask(port, "/waits"))
        until(lambda: app.begun == 8)
        monkeypatch.setattr(doors, "FULL_SECONDS", 2 * SOON)
        other = stack.enter_context(ask(port, "/small", host="127.0.0.2"))
        assert answer(other) == b"small"
        monkeypatch.setattr(doors, "FULL_SECONDS", 0)
        for number in range(9, 12):
            stack.enter_context(ask(port, "/waits"))
            until(lambda number=number: app.begun == number)
        other.sendall(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer(other) == b"small"


def test_of_one_address_the_page_that_has_most_makes_room(
    app: App, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.crowd, "_most_of_one", 4)
    monkeypatch.setattr(doors, "FULL_SECONDS", 0)
    with ExitStack() as stack:
        pupil = stack.enter_context(ask(port, "/small"))
        assert answer(pupil) == b"small"
        next(iter(app.crowd.lines)).page = "a pupil's"
        for number in range(1, 6):
            stack.enter_context(ask(port, "/waits"))
            until(lambda number=number: app.begun == number)
        pupil.sendall(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer(pupil) == b"small"


def test_requests_begin_by_turns() -> None:
    """One of a client's in a pass of the loop, so that fifty of another are not first."""

    async def at_first(names: list[str]) -> list[str]:
        passes, order = Passes(), list[str]()

        async def request(client: str) -> None:
            await passes.turn(client)
            order.append(client)

        asked = [asyncio.ensure_future(request(name)) for name in names]
        await asyncio.sleep(0)
        first = list(order)
        await asyncio.gather(*asked)
        assert sorted(order) == sorted(names)
        return first

    assert run(at_first(["many"] * 50 + ["one"])) == ["many", "one"]
    assert len(run(at_first([str(number) for number in range(50)]))) == passes.MOST


def test_who_reads_nothing_is_cut_and_holds_nothing(
    app: App, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient, "READ_SECONDS", 0.3)
    with ask(port, "/large"):
        until(lambda: app.begun)
        until(lambda: not app.crowd.lines)
    assert app.crowd.unsent == 0


def test_who_drops_the_line_is_no_error(
    app: App, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(10):
        with ask(port, "/large") as line:
            line.recv(1)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    until(lambda: not app.crowd.lines)
    with ask(port, "/small") as other:  # all that can be done has been done
        assert answer(other) == b"small"
    assert not caplog.messages


def test_no_answer_is_begun_before_the_last_one_is_read(app: App, port: int) -> None:
    with ask(port, "/large", times=3) as line:
        begun = read(line, 1000)
        with ask(port, "/small") as other:  # all that can be done has been done
            assert answer(other) == b"small"
        assert app.begun == 1
        rest = len(BODY) - len(begun.split(b"\r\n\r\n", 1)[1])
        assert read(line, 1) + read(line, rest - 1)
        until(lambda: app.begun > 1)


def test_what_one_client_does_not_read_is_bounded(
    app: App, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crowd, "UNSENT_OF_ONE", 2 * len(BODY))
    monkeypatch.setattr(crowd, "ANSWER", len(BODY))
    monkeypatch.setattr(crowd, "STALLED_SECONDS", 0.3)
    with ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(ask(port, "/large"))
        until(lambda: app.begun == 6)
        until(lambda: app.crowd.unsent <= 2 * len(BODY))
        with ask(port, "/large", host="127.0.0.2") as other:
            assert answer(other) == BODY


def test_a_full_house_closes_nobody_who_waits_for_an_answer(app: App, port: int) -> None:
    with ExitStack() as stack:
        pupils = [stack.enter_context(ask(port, "/waits")) for _ in range(6)]
        until(lambda: app.begun == 6)
        for _ in range(5):  # who rest, one after the other
            neighbour = stack.enter_context(ask(port, "/small", host="127.0.0.2"))
            assert answer(neighbour) == b"small"
        app.go.set()
        assert [answer(pupil) for pupil in pupils] == [b"waited"] * 6


def test_a_client_past_its_bound_loses_its_own(
    app: App, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.crowd, "_most_of_one", 3)
    with ExitStack() as stack:
        other = stack.enter_context(ask(port, "/small", host="127.0.0.2"))
        assert answer(other) == b"small"
        lines = [stack.enter_context(ask(port, "/small")) for _ in range(3)]
        assert [answer(line) for line in lines] == [b"small"] * 3
        fourth = stack.enter_context(ask(port, "/small"))
        assert answer(fourth) == b"small"
        assert lines[0].recv(1) == b""
        for line in (other, *lines[1:]):
            line.sendall(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
            assert answer(line) == b"small"
