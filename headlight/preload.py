"""Has browsers fetch and start the viewer before Gradio's own page, which is as large."""

import re
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

GRADIO = re.compile(rb'<script type="module".*?(?=</head>)', re.DOTALL)
"""The part of Gradio's page that asks for its files."""

WHERE = {
    b'href="/manifest.json"': b'href="manifest.json"',
    b"const root = ": b"const root = gradio_config.root = "
    b'new URL(".", document.baseURI).href.slice(0, -1) || ',
}
"""Where Gradio's page believes that it lies, and what is right also under a path that a proxy cuts
off: there, the browser alone knows."""


class Preload:
    """Writes into the page's head, before Gradio's script; its `head=` works once that runs.

    Gradio's script waits in a template until the viewer has drawn its first picture (start.js).
    """

    def __init__(self, app: ASGIApp, links: str, texts: Callable[[str], str]) -> None:
        self._app = app
        self._links = links.encode()
        self._texts = texts  # links by what a browser says of languages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on, and the page with the links."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] != "/":
            await self._app(scope, receive, send)
            return
        start: Message = {}
        body = b""

        async def insert(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body", False):
                return
            wish = Headers(scope=scope).get("accept-language", "")
            links = self._links + self._texts(wish).encode()
            page = GRADIO.sub(
                lambda gradio: links + b'<template id="gradio">' + gradio[0] + b"</template>",
                body,
                count=1,
            )
            for believed, right in WHERE.items():
                page = page.replace(believed, right, 1)
            length = (b"content-length", str(len(page)).encode())
            others = [pair for pair in start["headers"] if pair[0].lower() != length[0]]
            by_language = (b"vary", b"Accept-Language")
            await send({**start, "headers": [*others, length, by_language]})
            await send({**message, "body": page})

        await self._app(scope, receive, insert)
