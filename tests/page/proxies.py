"""Proxies on loopback: one that counts what it is asked, and one that cuts a path off."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOP_BY_HOP = ("connection", "keep-alive", "transfer-encoding", "content-length", "host")


@contextmanager
def counting() -> Iterator[tuple[str, list[str]]]:
    """A proxy that reaches nobody: its host and port, and what it was asked for, in order."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def parse_request(self) -> bool:
            # Of whatever protocol: a SOCKS client's first bytes are counted, too.
            line: bytes = self.__dict__["raw_requestline"]
            asked.append(line.decode("latin1").strip())
            return super().parse_request()

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            self.send_error(502)

        def do_POST(self) -> None:
            self.do_GET()

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_CONNECT(self) -> None:
            self.do_GET()

    with _running(Handler) as port:
        yield f"127.0.0.1:{port}", asked


@contextmanager
def cutting(upstream: int, prefix: str) -> Iterator[str]:
    """A proxy as a larger site has it: what lies under `prefix` there is asked of a port here.

    Yields:
        the address of the page, which ends in `prefix` and a slash.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if not self.path.startswith(f"{prefix}/"):
                self._answer(404, [], b"another page of the same site")
                return
            connection = HTTPConnection("127.0.0.1", upstream, timeout=60)
            headers = dict(self.headers.items()) | {"Connection": "close"}
            path = self.path.removeprefix(prefix)
            connection.request(self.command, path, body or None, headers)
            response = connection.getresponse()
            self._answer(response.status, response.getheaders(), response.read())
            connection.close()

        def do_POST(self) -> None:
            self.do_GET()

        def do_HEAD(self) -> None:
            self.do_GET()

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers:
                if name.lower() not in HOP_BY_HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with _running(Handler) as port:
        yield f"http://127.0.0.1:{port}{prefix}/"


@contextmanager
def _running(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    # Half a second by default, which `shutdown` waits for.
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
