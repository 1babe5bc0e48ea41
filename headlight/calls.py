"""What `gradio_client` asks: a call first, and its answer from another address.

Gradio's own queue computes at once and keeps what nobody fetches; past 2,000 such answers it stops
for good. Here a call is kept as it was sent, for a while, and computed once somebody listens.
https://www.gradio.app/guides/querying-gradio-apps-with-curl describes the second of the two ways.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any
from uuid import uuid4

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from transformer.serving.sharing.client import Client
from transformer.serving.sharing.freeing import Freed

from .answer_route import read_json
from .clients import PAGE, token
from .programs import asking
from .unread import Answer, Unread, most

KEEP_SECONDS = 60
"""Seconds that a call waits for somebody to listen for its answer."""

MOST_BYTES, EACH_BYTES = 16_000_000, 2_000
"""Bytes of all calls that wait, and of each beside what was sent."""

AT_ONCE = 8
"""Calls of one listener that are computed at the same time."""

BEAT_SECONDS = 15
"""Seconds between signs of life to a listener: proxies close what is silent."""

API = "/gradio_api"


@dataclass(frozen=True)
class Call:
    """A program to be run.

    Attributes:
        id: under which its answer is fetched.
        session: what its listener calls itself.
        program: its name.
        sent: what it is given, as JSON: what has been read takes many times as much.
        client: who asks for it.
        since: when.
    """

    id: str
    session: str
    program: str
    sent: bytes
    client: Client
    since: float

    def __len__(self) -> int:
        """Bytes of memory, about."""
        return len(self.sent) + EACH_BYTES


class Calls:
    """The calls of programs: those that wait, oldest first, and those that run.

    Args:
        programs: the names of all, in the order of their ids.
    """

    def __init__(self, programs: Sequence[str]) -> None:
        self._programs = programs
        self._waiting: dict[str, Call] = {}
        self._bytes = 0
        self._running: dict[str, asyncio.Task[Any]] = {}
        self._unread = Unread()
        self._freed = Freed()

    def routes(self) -> list[Route]:
        """The addresses, before Gradio's own."""
        named = f"{API}/call/{{program}}"
        return [
            Route(f"{API}/queue/join", self._join, methods=["POST"]),
            Route(f"{API}/queue/data", self._listen),
            Route(f"{API}/cancel", self._cancel, methods=["POST"]),
            Route(named, self._call, methods=["POST"]),
            Route(f"{named}/{{id}}", self._listen_for_one),
        ]

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, session: str, program: str, data: Any, client: Client) -> str:
        """Keeps a call, and returns its id.

        Where all take too much, the oldest is forgotten of the page that has most, at the address
        that has most: so whoever fills the room loses what is in it, and nobody else.
        """
        now = monotonic()
        sent = json.dumps({"data": data}, ensure_ascii=False, separators=(",", ":"))
        call = Call(uuid4().hex, session, program, sent.encode(errors="surrogatepass"), client, now)
        self._waiting[call.id] = call
        self._bytes += len(call)
        for each in [*self._waiting.values()]:
            if now - each.since < KEEP_SECONDS:
                break
            self._take(each)
        while self._bytes > MOST_BYTES:
            address = most(self._waiting.values(), lambda each: each.client.address)
            here = [each for each in self._waiting.values() if each.client.address == address]
            page = most(here, lambda each: each.client)
            self._take(next(each for each in here if each.client == page))
        return call.id

    def _take(self, call: Call) -> None:
        del self._waiting[call.id]
        self._bytes -= len(call)

    async def _join(self, request: Request) -> Response:
        match read_json(await request.body()):
            case {"data": _, "fn_index": int(index), "session_hash": str(session)} as sent if (
                0 <= index < len(self._programs)
            ):
                return self._added(session, self._programs[index], sent["data"])
            case _:
                return _refusal()

    def _added(self, session: str, program: str, data: Any) -> Response:
        client = asking.get()
        if session:  # `gradio_client` says no token, but each has a session
            client = client._replace(page=token(session))
        return JSONResponse({"event_id": self.add(session, program, data, client)})

    async def _call(self, request: Request) -> Response:
        match read_json(await request.body()):
            case {"data": _} as sent:
                return self._added("", request.path_params["program"], sent["data"])
            case _:
                return _refusal()

    async def _cancel(self, request: Request) -> Response:
        match read_json(await request.body()):
            case {"event_id": str(id)}:
                if call := self._waiting.get(id):
                    self._take(call)
                if running := self._running.get(id):
                    running.cancel()
            case _:
                pass
        return JSONResponse({"success": True})

    async def _listen(self, request: Request) -> Response:
        session = request.query_params.get("session_hash", "")
        return _stream(self._answers(session, request) if session else _closing())

    async def _answers(self, session: str, request: Request) -> AsyncIterator[str]:
        """Every answer of a session as it comes, until it has no call left."""
        tasks: dict[asyncio.Task[Answer], str] = {}
        try:
            while True:
                calls = [call for call in self._waiting.values() if call.session == session]
                at_once = 1 if self._unread.has_much() else AT_ONCE
                for call in calls[: max(0, at_once - len(tasks))]:
                    tasks[self._begin(call, request)] = call.id
                if not tasks:
                    break
                done, _ = await asyncio.wait(
                    tasks, timeout=BEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    id = tasks.pop(task)
                    went_well, output = self._read(task) or (True, "{}")
                    completed = {"msg": "process_completed", "event_id": id, "success": went_well}
                    yield f'data: {json.dumps(completed)[:-1]}, "output": {output}}}\n\n'
                if not done:
                    yield 'data: {"msg": "heartbeat"}\n\n'
            async for message in _closing():
                yield message
        finally:
            for task in tasks:
                self._drop(task)

    async def _listen_for_one(self, request: Request) -> Response:
        call = self._waiting.get(request.path_params["id"])
        if call is None or call.program != request.path_params["program"]:
            return JSONResponse({"detail": "No such call waits here."}, 404)
        return _stream(self._answer(self._begin(call, request)))

    async def _answer(self, task: "asyncio.Task[Answer]") -> AsyncIterator[str]:
        try:
            while not (await asyncio.wait([task], timeout=BEAT_SECONDS))[0]:
                yield "event: heartbeat\ndata: null\n\n"
            went_well, output = self._read(task) or (False, "null")
            if went_well:
                output = json.dumps(json.loads(output)["data"])
            yield f"event: {'complete' if went_well else 'error'}\ndata: {output}\n\n"
        finally:
            self._drop(task)

    def _read(self, task: "asyncio.Task[Answer]") -> tuple[bool, str] | None:
        """Whether it went well, and what is said; None if it was cancelled."""
        if task.cancelled():
            return None
        answer = task.result()
        self._leave(answer)  # from now on its connection is looked after
        return answer.went_well, answer.output

    def _drop(self, task: "asyncio.Task[Answer]") -> None:
        # Gradio answers what is cancelled, too: with an error, some time later.
        def leave(done: "asyncio.Task[Answer]") -> None:
            if not done.cancelled() and not done.exception():
                self._leave(done.result())

        if task.cancel():
            task.add_done_callback(leave)
        else:
            leave(task)

    def _leave(self, answer: Answer) -> None:
        self._unread.leave(answer)
        self._freed.add(len(answer))

    def _begin(self, call: Call, request: Request) -> "asyncio.Task[Answer]":
        self._take(call)

        async def run() -> Answer:
            answer = Answer(call.client, *await _run(call, request))
            self._unread.add(answer)
            return answer

        task = asyncio.get_running_loop().create_task(run())
        self._running[call.id] = task
        task.add_done_callback(lambda _: self._running.pop(call.id, None))
        return task


async def _run(call: Call, request: Request) -> tuple[bool, str]:
    """Whether it went well, and what Gradio's own route for one request answers, JSON."""
    came_from = (call.client.address, 0)
    here = httpx.ASGITransport(request.app, client=came_from, raise_app_exceptions=False)
    # The client's own Host may be anything at all.
    address = f"http://localhost{request.scope.get('root_path', '')}{API}/run/{call.program}"
    # No proxy that the environment names stands between us and ourselves.
    async with httpx.AsyncClient(transport=here, trust_env=False) as client:
        headers = {"Content-Type": "application/json", PAGE: call.client.page}
        answer = await client.post(address, content=call.sent, headers=headers, timeout=None)
    if not answer.headers.get("content-type", "").startswith("application/json"):
        return False, '{"error": null}'
    return answer.is_success, answer.text


def _refusal() -> Response:
    return JSONResponse({"detail": "No such call is known here."}, 422)


async def _closing() -> AsyncIterator[str]:
    yield 'data: {"msg": "close_stream"}\n\n'


def _stream(messages: AsyncIterator[str]) -> Response:
    return StreamingResponse(messages, media_type="text/event-stream")
