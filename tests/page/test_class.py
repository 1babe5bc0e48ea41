"""A class over real HTTP: its teacher, who follows, and who only tries."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headlight import doors
from headlight.class_routes import Class
from headlight.crowd import Crowd
from headlight.guard import Guard
from headlight.rooms.rooms import Rooms
from headlight.teacher import SECRET
from tests.page.following import following, post, student, teacher
from tests.page.serving import free_port, wait_for

ROOT = Path(__file__).parents[2]
TEACHER = teacher(SECRET)
SOON = 20
"""Seconds that a test waits for what must come."""


def until(true: Callable[[], bool]) -> None:
    end = monotonic() + SOON
    while not true():
        assert monotonic() < end
        sleep(0.01)


class Served:
    """Rooms behind the page's own doors and guard."""

    def __init__(self, *, on: bool = True) -> None:
        self.rooms = Rooms(lambda: 6)
        routes = [*Class(self.rooms if on else None, list).routes(), Route("/", self.page)]
        guard = Middleware(Guard, headers={}, is_open=lambda: False)
        app = Starlette(routes=routes, middleware=[guard])
        self.server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
        self._running = Thread(target=self.server.run)
        self._running.start()
        until(lambda: self.server.started)
        self.port: int = self.server.servers[0].sockets[0].getsockname()[1]
        doors.keep_doors(self.server)
        self.crowd: Crowd = self.server.servers[0]._crowd  # type: ignore[attr-defined]

    async def page(self, _: Request) -> Response:
        return Response("page")

    def stop(self) -> None:
        self.rooms.stop()
        self.server.should_exit = True
        self._running.join()


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    served = Served()
    yield served
    served.stop()


@pytest.fixture
def code(served: Served) -> Iterator[str]:
    """Of an open room."""
    yield post(served.port, TEACHER, do="open")[1]["room"]
    post(served.port, TEACHER, do="close")
    until(lambda: not served.rooms.streams)


def test_everybody_sees_what_the_teacher_shows_and_who_comes_late_the_newest(
    served: Served, code: str
) -> None:
    port = served.port
    with following(port, student("ann"), code) as ann, following(port, TEACHER) as desk:
        assert ann.response.headers["Content-Type"].startswith("text/event-stream")
        assert ann.response.headers["X-Accel-Buffering"] == "no"
        assert ann.response.headers["Cache-Control"] == "no-store"
        assert ann.event() == ("own", None)
        assert ann.until("room")["view"] is None
        assert desk.until("desk")["people"] == 1
        for step in (3, 4):
            assert post(port, TEACHER, do="show", address=f"?step={step}", by="me") == (200, {})
            assert ann.until("room")["view"]["address"] == f"?step={step}"
        with following(port, student("bob"), code) as bob:
            assert bob.until("room")["view"]["address"] == "?step=4"
            while desk.until("desk")["people"] != 2:
                pass
        while desk.until("desk")["people"] != 1:
            pass


def test_after_a_broken_connection_the_newest_state_comes_and_no_film(
    served: Served, code: str
) -> None:
    port = served.port
    with following(port, student("ann"), code) as ann:
        ann.until("room")
        last = ann.last
    for step in range(5):
        post(port, TEACHER, do="show", address=f"?step={step}", by="me")
    with following(port, student("ann"), code, last) as ann:
        assert ann.event() == ("own", None)
        assert ann.event()[1]["view"]["address"] == "?step=4"
        last = ann.last
    with following(port, student("ann"), code, last) as ann:
        assert ann.event() == ("own", None)
        post(port, TEACHER, do="show", address="?step=9", by="me")
        assert ann.event()[1]["view"]["address"] == "?step=9"  # what it had is not said again


def test_a_question_its_answers_and_the_reveal(served: Served, code: str) -> None:
    port = served.port
    question = {"kind": "own", "text": "How many?", "options": ["one", "two"]}
    with following(port, student("ann"), code) as ann, following(port, TEACHER) as desk:
        ann.until("room")
        assert post(port, TEACHER, do="ask", question=question)[0] == 200
        asked = ann.until("room")["question"]
        assert (asked["text"], asked["options"]) == ("How many?", ["one", "two"])
        values = {"choice": 1, "sure": True}
        answer = {"do": "answer", "room": code, "question": asked["number"], "answer": values}
        assert post(port, student("ann"), **answer) == (200, {})
        while desk.until("desk")["answered"] != 1:
            pass
        with following(port, student("ann"), code) as again:  # a reload is the same person
            assert again.event() == ("own", {"choice": 1, "text": "", "sure": True})
            assert ann.until("end") == {"reason": "elsewhere"}
            truth = {"labels": ["one", "two"], "shares": None, "right": 0}
            assert post(port, TEACHER, do="reveal", truth=truth)[0] == 200
            outcome = again.until("room")["outcome"]
            while outcome is None:
                outcome = again.until("room")["outcome"]
            assert (outcome["counts"], outcome["sure_wrong"]) == ([0, 1], 1)
    assert post(port, TEACHER, do="end")[0] == 200
    [past] = post(port, TEACHER, do="history")[1]["history"]
    assert past["counts"] == [0, 1]


TEACHERS_CALLS: list[dict[str, object]] = [
    {"do": "open"},
    {"do": "show", "address": "?step=1", "by": "me"},
    {"do": "ask", "question": {"kind": "own", "text": "?", "options": ["a", "b"]}},
    {"do": "reveal", "truth": {"labels": ["a", "b"], "shares": None, "right": None}},
    {"do": "take", "id": "1"},
    {"do": "end"},
    {"do": "history"},
    {"do": "close"},
]


@pytest.mark.parametrize("call", TEACHERS_CALLS, ids=lambda call: str(call["do"]))
def test_each_of_the_teachers_calls_is_refused_without_the_secret(
    call: dict[str, object], served: Served, code: str
) -> None:
    for secret in ("", "ann", "x" * 22, SECRET[:-1], f"{SECRET}x"):
        headers = {**student("ann"), **(teacher(secret) if secret else {})}
        status, answer = post(served.port, headers, room=code, **call)
        assert (status, answer["error"]["code"]) == (403, "class.no_teacher")
    assert post(served.port, TEACHER, do="open")[1]["view"] is None
    with following(served.port, teacher("x" * 22)) as stranger:
        assert stranger.response.status == 403


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "none"}])
def test_another_sites_page_posts_nothing(
    headers: dict[str, str], served: Served, code: str
) -> None:
    assert post(served.port, {**TEACHER, **headers}, do="close")[0] == 403
    assert len(served.rooms) == 1
    assert code


@pytest.mark.parametrize("sent", [{}, {"do": "fly"}, {"do": "show"}, {"do": "ask", "question": 1}])
def test_what_is_no_call_is_refused(sent: dict[str, object], served: Served, code: str) -> None:
    status, answer = post(served.port, TEACHER, **sent)
    assert (status, answer["error"]["code"]) == (422, "class.unread")
    assert code


def test_who_follows_no_room_is_told_so(served: Served, code: str) -> None:
    with following(served.port, student("ann"), "ZZZZZ" if code != "ZZZZZ" else "BBBBB") as ann:
        assert ann.response.status == 404
        assert json.loads(ann.response.read())["error"]["code"] == "class.no_room"
    with following(served.port, {}, code) as nobody:
        assert nobody.response.status == 422
    call = {"do": "answer", "room": code, "question": 1, "answer": {"choice": 0, "sure": True}}
    assert post(served.port, student("ann"), **call)[0] == 409  # is not there


def test_where_several_processes_answer_there_are_no_rooms() -> None:
    served = Served(on=False)
    try:
        about = post(served.port, TEACHER, do="about")[1]
        assert (about["on"], about["may"]) == (False, False)
        status, answer = post(served.port, TEACHER, do="open")
        assert (status, answer["error"]["code"]) == (404, "class.off")
        with following(served.port, student("ann"), "BCDFG") as ann:
            assert ann.response.status == 404
    finally:
        served.stop()


def test_streams_make_room_for_nobody_and_are_half_of_all(
    served: Served, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served.crowd, "most", 12)
    with ExitStack() as stack:
        follows = [
            stack.enter_context(following(served.port, student(f"p{i}"), code, source="127.0.0.2"))
            for i in range(6)
        ]
        for each in follows:
            each.until("room")
        with following(served.port, student("late"), code, source="127.0.0.2") as late:
            assert late.response.status == 503
            assert json.loads(late.response.read())["error"]["details"] == {"most": 6}
        # Idle ones, more than there is room for.
        for _ in range(20):
            stack.enter_context(socket.create_connection(("127.0.0.1", served.port)))
        # Another address gets one of the six, and no other is lost.
        with following(served.port, student("else"), code, source="127.0.0.3") as other:
            other.until("room")
            post(served.port, TEACHER, do="show", address="?step=2", by="me")
            ends = 0
            for each in follows:
                name, data = each.event()
                ends += name == "end"
                assert name == "end" or data["view"]["address"] == "?step=2"
            assert ends == 1


def test_a_hundred_dropped_connections_leave_nothing_behind(served: Served, code: str) -> None:
    for i in range(100):
        with following(served.port, student(f"p{i}"), code) as each:
            each.event()
    until(lambda: post(served.port, TEACHER, do="open")[1]["people"] == 0)
    until(lambda: not served.rooms.streams)
    until(lambda: len(served.crowd.lines) <= 1)


@pytest.mark.slow
def test_the_command_tells_students_and_teacher_apart_and_says_goodbye() -> None:
    port = free_port()
    started = [sys.executable, "app.py", "--no-browser", "--host", "0.0.0.0", "--port", str(port)]
    environment = {**os.environ, "PYTHONWARNINGS": "", "HEADLIGHT_ADDRESS": "http://class.test/x"}
    options = {"cwd": ROOT, "env": environment, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(started, **options) as process:  # pyright: ignore
        try:
            wait_for(f"http://127.0.0.1:{port}")
            assert process.stdout
            before = line = ""
            while "#teacher=" not in line:
                before, line = line, process.stdout.readline().strip()
            assert before == "Students: http://class.test/x/"
            way, _, secret = line.partition("#teacher=")
            assert way == f"Teacher: http://localhost:{port}/"
            about = post(port, teacher(secret), do="about")[1]
            access = {"reached": True, "named": True, "addresses": ["http://class.test/x/"]}
            assert about == {"on": True, "may": True, **access}
            assert not post(port, student("ann"), do="about")[1]["may"]
            code = post(port, teacher(secret), do="open")[1]["room"]
            with following(port, student("ann"), code) as ann:
                ann.until("room")
                start = monotonic()
                process.send_signal(signal.SIGTERM)
                assert ann.until("end") == {"reason": "stopped"}
                with pytest.raises(EOFError):
                    ann.event()
                assert monotonic() - start < SOON
            assert process.wait(SOON) == 0
        finally:
            process.kill()
