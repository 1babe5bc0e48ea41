"""The two addresses at which the viewer asks: for a request, and for one that brings a trace along.

A server function of Gradio's would do, but keeps a state for everyone who asks (3 ms, 8 kB),
and goes on for those who have left.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from transformer.serving import Service

from .guard import UPLOAD
from .programs import asking

ADDRESS = "headlight/answer"


def answer_routes(service: Service, is_owner: Callable[[Request], bool]) -> list[Route]:
    """One of the viewer's requests in, JSON; its answer out, JSON."""

    async def answer(request: Request) -> Response:
        # Not `request.body()`: what is large would stay until the answer has been read.
        payload = read_json(b"".join([piece async for piece in request.stream()]))
        answering = asyncio.ensure_future(service.answer(payload, asking.get(), is_owner(request)))
        del payload
        leaving = asyncio.ensure_future(_leaving(request))
        try:
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                return Response(answering.result(), media_type="application/json")
            return Response(status_code=499)  # as nginx has it; nobody is there to read it
        finally:
            answering.cancel()
            leaving.cancel()

    return [Route(f"/{address}", answer, methods=["POST"]) for address in (ADDRESS, UPLOAD)]


def read_json(body: bytes) -> Any:
    """What was sent, of which nothing is certain; None if it is no JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


async def _leaving(request: Request) -> None:
    """Returns once the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
