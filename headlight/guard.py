"""What the server hands out, and to whom: what the page and programs need, with safe headers.

Every request is read here, whole and bounded, before anything else looks at it.
"""

import asyncio
import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from transformer.serving.requests import MAX_TRACE

from .programs import NAMES, asking

UPLOAD = "headlight/upload"
"""Where the viewer sends a trace that it has from a file, and nothing else."""

_PROGRAM = f"({'|'.join(NAMES)})"

# Gradio has many more routes: for uploads, files on the disk, proxying, editing the app.
SERVED = re.compile(
    r"/|/(config|theme\.css|favicon\.ico|robots\.txt|manifest\.json)/?"
    r"|/(assets|static|svelte|headlight)/.+"
    r"|/gradio_api/(info|openapi\.json|startup-events|app_id|theme\.css|user|login_check)/?"
    rf"|/gradio_api/run/{_PROGRAM}/?"
    r"|/gradio_api/mcp(/.*)?"
)
# Which `gradio_client` asks, and nobody else (calls.py).
CALLS = re.compile(
    rf"/gradio_api/(queue/join|queue/data|cancel)/?|/gradio_api/call/{_PROGRAM}(/[0-9a-f]+)?/?"
)

FRAMES = "HEADLIGHT_FRAME_ANCESTORS"
"""Names origins, besides Hugging Face's, whose pages may show this one in a frame: a school's
`https://moodle.example.org`, say, or `https://*.example.org`; blanks between them."""

_ORIGIN = re.compile(r"https?://(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?", re.IGNORECASE)


def frame_ancestors(named: str) -> str:
    """Whose pages may show this one, as a Content-Security-Policy says it.

    Raises:
        ValueError: one of the names is no origin: a path, say, or what would end the policy.
    """
    for origin in named.split():
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(
                f"{FRAMES} holds {origin!r}, which is no origin: write https://moodle.example.org"
            )
    return " ".join(
        ("frame-ancestors 'self' https://huggingface.co https://*.hf.space", *named.split())
    )


# Gradio's page has inline scripts, and makes functions of the text of `js_on_load`.
HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "frame-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            frame_ancestors(os.environ.get(FRAMES, "")),
        )
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}

MAX_NAME = 255
"""Bytes of a part of a path: no file has a longer name."""

SMALL, SMALL_SECONDS = 128_000, 20
"""Bytes of a request, and how long it may take to arrive: the longest sentence with every
intervention has a third of it."""

LARGE, LARGE_SECONDS = 2 * MAX_TRACE, 120
"""The same of a trace, whose texts may take more bytes than characters."""

LARGE_AT_ONCE = 2

MOST_PARTS = 200_000
"""Objects, lists and members of a request's JSON: forty times as many as the longest trace has.
Python reads that many in a few hundredths of a second, and nothing else runs meanwhile."""


def is_served(path: str) -> bool:
    """Whether anybody gets anything there."""
    return bool(SERVED.fullmatch(path) or CALLS.fullmatch(path))


class RefusedError(Exception):
    """A request that gets a status and a sentence instead of an answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Guard:
    """ASGI middleware: refuses what is not served, what is too much and what another site sends.

    Args:
        app: what answers.
        calls: whether `gradio_client` is answered; of many replicas none is, since it asks one for
            what another was told.
    """

    def __init__(self, app: ASGIApp, calls: bool = True) -> None:
        self.app = app
        self._calls = calls
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes one request on, or answers it with the reason why not."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asking.set(scope["client"][0] if scope.get("client") else "")
        try:
            self._check(scope)
            if scope["path"] == f"/{UPLOAD}":
                async with self._large:
                    body = await _read(receive, LARGE, LARGE_SECONDS)
                    await self.app(scope, _replay(body, receive), send_guarded)
            else:
                body = await _read(receive, SMALL, SMALL_SECONDS)
                await self.app(scope, _replay(body, receive), send_guarded)
        except RefusedError as refused:
            # Whatever of the request has not arrived is not waited for.
            closing = {"Connection": "close"}
            answer = PlainTextResponse(str(refused), refused.status, headers=closing)
            await answer(scope, receive, send_guarded)
        except _LeftError:
            pass

    def _check(self, scope: Scope) -> None:
        path, headers = scope["path"], Headers(scope=scope)
        if not (SERVED.fullmatch(path) or (self._calls and CALLS.fullmatch(path))) or any(
            len(part.encode()) > MAX_NAME for part in path.split("/")
        ):
            raise RefusedError(404, "Not found")
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return
        if not from_our_page_or_a_program(headers):
            raise RefusedError(
                403,
                "Only this server's own page and programs may ask. Behind a proxy, hand the Host "
                "on: see docs/serving.md.",
            )
        # Which no other site's page can send without asking first, and is then refused.
        kind, _, _ = headers.get("content-type", "").partition(";")
        if scope["method"] == "POST" and kind.strip().lower() != "application/json":
            raise RefusedError(415, "Send application/json.")


def from_our_page_or_a_program(headers: Mapping[str, str]) -> bool:
    """Whether a request was not made by another site's page, as far as a browser tells.

    Any page on the web can post to a port of this machine, or have its own name lead here (DNS
    rebinding). A browser says where a request comes from, and no page can make it say otherwise; a
    program says nothing.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    # A proxy may have changed the host, but not this.
    return site == "same-origin" if site else origin is None or _is_own(headers)


def _is_own(headers: Mapping[str, str]) -> bool:
    try:
        origin = urlsplit(headers.get("origin", "")).netloc
    except ValueError:
        return False
    return bool(origin) and origin == headers.get("host")


class _LeftError(Exception):
    """Who asked has gone in the middle of it."""


async def _read(receive: Receive, most: int, seconds: float) -> bytes:
    async def read() -> bytes:
        body, parts = bytearray(), 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _LeftError
            piece = message.get("body", b"")
            body += piece
            parts += sum(map(piece.count, (b",", b"[", b"{")))
            if len(body) > most or parts > MOST_PARTS:
                raise RefusedError(413, f"A request may have {most} bytes, {MOST_PARTS} parts.")
            if not message.get("more_body", False):
                return bytes(body)

    try:
        return await asyncio.wait_for(read(), seconds)
    except asyncio.TimeoutError:
        raise RefusedError(408, f"The request did not arrive within {seconds} s.") from None


def _replay(body: bytes, receive: Receive) -> Receive:
    """What has been read, once; then what comes after it: that the client goes."""
    read: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return read.pop() if read else await receive()

    return replay
