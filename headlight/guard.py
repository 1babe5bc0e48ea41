"""What the server hands out, and to whom: what the page and programs need, with safe headers.

Every request is read here, whole and bounded, before anything else looks at it.
"""

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from transformer.serving.sharing.client import Client

from .bodies import LARGE, SMALL, Body, LeftError, RefusedError, Uploads, read_small
from .clients import client_of, page_of
from .frames import frame_ancestors
from .hosts import is_host
from .programs import NAMES, asking

UPLOAD = "headlight/upload"
"""Where the viewer sends a trace that it has from a file, and nothing else."""

_PROGRAM = f"({'|'.join(NAMES)})"

# Gradio has many more routes: for uploads, files on the disk, proxying, editing the app; and an
# older way of MCP, which lets one client have any number of calls computed that nobody fetches.
SERVED = re.compile(
    r"/|/(config|theme\.css|favicon\.ico|robots\.txt|manifest\.json)/?"
    r"|/(assets|static|svelte|headlight)/.+"
    r"|/gradio_api/(info|openapi\.json|startup-events|app_id|theme\.css|user|login_check)/?"
    rf"|/gradio_api/run/{_PROGRAM}/?"
    r"|/gradio_api/mcp(/|/http/?|/schema/?)?"
)
# Which `gradio_client` asks, and nobody else (calls.py).
CALLS = re.compile(
    rf"/gradio_api/(queue/join|queue/data|cancel)/?|/gradio_api/call/{_PROGRAM}(/[0-9a-f]+)?/?"
)

MCP = re.compile(r"/gradio_api/mcp(/|/http/?)?")
"""Where language models ask. They may also listen there for what a server has to say unasked; ours
has nothing, and each who listened would cost as much as one who asks."""

MAX_NAME = 255
"""Bytes of a part of a path: no file has a longer name."""


def safe_headers(framed_by: str) -> dict[str, str]:
    """What every answer brings along.

    Args:
        framed_by: origins whose pages may show this one.
    Raises:
        ValueError: one of them is none.
    """
    # Gradio's page has inline scripts, and makes functions of the text of `js_on_load`.
    return {
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
                frame_ancestors(framed_by),
            )
        ),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
    }


def is_served(path: str) -> bool:
    """Whether anybody gets anything there."""
    return bool(SERVED.fullmatch(path) or CALLS.fullmatch(path))


class Guard:
    """ASGI middleware: refuses what is not served, what is too much and what another site sends.

    Args:
        app: what answers.
        headers: that every answer brings along.
        is_open: whether others reach this server by any name (hosts.py).
        calls: whether `gradio_client` is answered; of many replicas none is, since it asks one for
            what another was told.
    """

    def __init__(
        self,
        app: ASGIApp,
        headers: dict[str, str],
        is_open: Callable[[], bool],
        calls: bool = True,
    ) -> None:
        self.app = app
        self._headers = headers
        self._is_open = is_open
        self._calls = calls
        self._uploads = Uploads()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes one request on, or answers it with the reason why not."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asking.set(who_asks(scope))
        is_upload = scope["path"] == f"/{UPLOAD}"
        body = Body(receive, LARGE if is_upload else SMALL)
        try:
            self._check(scope)
            if is_upload:
                await self._upload(body, scope, send_guarded)
            else:
                await read_small(body)
                body.check_depth()
                await self.app(scope, body.replay(), send_guarded)
        except RefusedError as refused:
            # Whatever of the request has not arrived is not waited for.
            closing = {"Connection": "close"}
            answer = PlainTextResponse(str(refused), refused.status, headers=closing)
            await answer(scope, receive, send_guarded)
        except LeftError:
            pass
        finally:
            await body.leave()

    async def _upload(self, body: Body, scope: Scope, send: Send) -> None:
        if (place := await self._uploads.read(body, asking.get())) is None:
            await self.app(scope, body.replay(), send)
            return

        async def send_giving_back(message: Message) -> None:
            # From here on it takes as long as whoever asked likes to take.
            self._uploads.give_back(place)
            await send(message)

        try:
            await self.app(scope, body.replay(), send_giving_back)
        finally:
            self._uploads.give_back(place)

    def _check(self, scope: Scope) -> None:
        path, headers = scope["path"], Headers(scope=scope)
        if not is_host(headers.get("host", ""), self._is_open()):
            raise RefusedError(
                403,
                "This server is asked by the names of its own machine alone. Behind a proxy, name "
                "the proxy's host in HEADLIGHT_HOSTS: see docs/serving.md.",
            )
        if not (SERVED.fullmatch(path) or (self._calls and CALLS.fullmatch(path))) or any(
            len(part.encode()) > MAX_NAME for part in path.split("/")
        ):
            raise RefusedError(404, "Not found")
        if scope["method"] == "GET" and MCP.fullmatch(path):
            raise RefusedError(405, "Ask by POST: nothing is said here unasked.")
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


def who_asks(scope: Scope) -> Client:
    """The address that a request comes from, and what the page behind it calls itself."""
    host = scope["client"][0] if scope.get("client") else ""
    return Client(client_of(host), page_of(scope))
