"""The two addresses of a class: posts up, and one stream of events down."""

import os
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from .answer_route import read_json
from .clients import token
from .guard import who_asks
from .patient import LINE
from .rooms.problems import RoomError
from .rooms.room import Room
from .rooms.rooms import Rooms
from .rooms.streams import Stream
from .teacher import ADDRESS as ADDRESS_SETTING
from .teacher import HEADER, PERSON, may_teach

ADDRESS = "headlight/class"

STREAMED = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # which nginx obeys whatever else it was told
}


class Class:
    """What a page may ask of the rooms.

    Args:
        rooms: None where there are none, since several processes answer.
        reach: the addresses at which students find this server; None where no other machine reaches
            it.
    """

    def __init__(self, rooms: Rooms | None, reach: Callable[[], list[str] | None]) -> None:
        self._rooms, self._reach = rooms, reach

    def routes(self) -> list[Route]:
        """Routes for posts, and for the stream."""
        return [
            Route(f"/{ADDRESS}", self._post, methods=["POST"]),
            Route(f"/{ADDRESS}/stream", self._listen, methods=["GET"]),
        ]

    async def _post(self, request: Request) -> Response:
        sent = read_json(await request.body())
        try:
            if not isinstance(sent, dict):
                raise RoomError("unread")
            return JSONResponse(self._do(request, cast(dict[str, Any], sent)))
        except RoomError as refused:
            return JSONResponse(refused.problem, refused.status)

    def _do(self, request: Request, sent: dict[str, Any]) -> dict[str, Any]:
        secret = request.headers.get(HEADER, "")
        if sent.get("do") == "about":
            return self._about(secret)
        if self._rooms is None:
            raise RoomError("off")
        if sent.get("do") == "answer":
            person = token(request.headers.get(PERSON, ""))
            room = self._rooms.find(sent.get("room"), who_asks(request.scope).address, person)
            room.answer(person, sent.get("question"), sent.get("answer"))
            return {}
        if not may_teach(secret):
            raise RoomError("no_teacher")
        if sent.get("do") == "open":
            return self._rooms.open(secret).desk()
        if not (room := self._rooms.of(secret)):
            raise RoomError("no_room")
        return self._teach(self._rooms, room, sent)

    def _teach(self, rooms: Rooms, room: Room, sent: dict[str, Any]) -> dict[str, Any]:
        match sent:
            case {"do": "show", "address": address, "by": str(by)}:
                room.show(address, token(by))
            case {"do": "ask", "question": question}:
                room.ask(question)
            case {"do": "reveal", "truth": truth}:
                room.reveal(truth)
            case {"do": "end"}:
                room.end_question()
            case {"do": "take", "id": id}:
                room.take(id)
            case {"do": "history"}:
                return {"history": room.history + room.now()}
            case {"do": "close"}:
                rooms.close(room)
            case _:
                raise RoomError("unread")
        return {}

    def _about(self, secret: str) -> dict[str, Any]:
        """Whether there are rooms, whether a secret opens one, and where students find this."""
        on = self._rooms is not None
        addresses = self._reach() if on else None
        return {
            "on": on,
            "may": on and may_teach(secret),
            "reached": addresses is not None,
            "named": bool(os.environ.get(ADDRESS_SETTING)),
            "addresses": addresses or [],
        }

    async def _listen(self, request: Request) -> Response:
        try:
            if self._rooms is None:
                raise RoomError("off")
            room, stream = self._enter(self._rooms, request)
        except RoomError as refused:
            return JSONResponse(refused.problem, refused.status)
        events = self._events(self._rooms, room, stream, request)
        return StreamingResponse(events, media_type="text/event-stream", headers=STREAMED)

    def _enter(self, rooms: Rooms, request: Request) -> tuple[Room, Stream]:
        address = who_asks(request.scope).address
        person = token(request.headers.get(PERSON, ""))
        if not person:
            raise RoomError("unread")
        if secret := request.headers.get(HEADER, ""):
            room = rooms.of(secret) if may_teach(secret) else None
            if not room:
                raise RoomError("no_room" if may_teach(secret) else "no_teacher")
        else:
            room = rooms.find(request.query_params.get("room"), address, person)
        stream = Stream(person, address, teacher=bool(secret))
        rooms.begin(room, stream)
        return room, stream

    async def _events(
        self, rooms: Rooms, room: Room, stream: Stream, request: Request
    ) -> AsyncIterator[str]:
        def newest() -> tuple[str, str]:
            rooms.forget()
            return room.event(stream)

        line = request.scope.get(LINE)
        last = request.headers.get("last-event-id", "")
        try:
            if line:
                line.streams = True
            async for event in stream.events(newest, lambda: room.own(stream.person), last):
                yield event
        finally:
            room.leave(stream)
            if line:
                line.streams = False
