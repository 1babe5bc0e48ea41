"""A host of a site as there are many: with its own headers, and files that come and go."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Thread

from transformer.site.contents import Contents

MOST_SECONDS = 2

COMPILED = """{
    const { kernelOf, roomFor } = engine_model_kernel;
    kernelOf(roomFor([[4]])(4)) !== null;
}"""
"""In an engine's Worker: whether its policy lets it compile."""

YEAR_AGO = "Wed, 26 Nov 2025 10:00:00 GMT"
"""When all files here were last modified: browsers that are told no more keep them for weeks."""


class Host:
    """What a server does beside sending the files of a folder.

    Attributes:
        port: where it listens.
        headers: with every answer.
        gone: beginnings of paths at which there is nothing.
        asked: how often each path was.
        slow: the end of paths whose answer waits for somebody else who asks for the same, a while.
    """

    def __init__(self) -> None:
        self.port = 0
        self.headers: dict[str, str] = {}
        self.gone: tuple[str, ...] = ()
        self.asked = Counter[str]()
        self.slow = "\0"
        self._came = Condition()

    def ask(self, path: str) -> None:
        """Counts a request, and keeps it waiting where it is to wait."""
        with self._came:
            self.asked[path] += 1
            self._came.notify_all()
            if path.endswith(self.slow):
                self._came.wait_for(lambda: self.asked[path] > 1, timeout=MOST_SECONDS)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


class Handler(SimpleHTTPRequestHandler):
    def __init__(self, host: Host, *args: object, **options: object) -> None:
        self.host = host
        super().__init__(*args, **options)  # pyright: ignore[reportArgumentType]

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.host.ask(path)
        if path.startswith(self.host.gone or ("\0",)):
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            super().do_GET()

    def end_headers(self) -> None:
        for name, value in self.host.headers.items():
            self.send_header(name, value)
        super().end_headers()

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string() if timestamp is None else YEAR_AGO

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing of every file."""


@contextmanager
def hosted(folder: Path) -> Iterator[Host]:
    """A host of a folder, whose files may change meanwhile."""
    host = Host()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, host, directory=folder)) as server:
        host.port = server.server_address[1]
        Thread(target=server.serve_forever, daemon=True).start()
        yield host
        server.shutdown()


def another(contents: Contents, action: str) -> Contents:
    """A version of the site whose button that translates is called otherwise, in English."""
    path = "locales/en.json"
    english = {**json.loads(contents.texts[path]), "translate": action}
    return replace(contents, texts={**contents.texts, path: json.dumps(english).encode()})
