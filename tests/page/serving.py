"""A server in another process: waiting for it, and asking it as the page does."""

import json
import socket
from time import monotonic, sleep
from typing import Any
from urllib.request import Request, urlopen

from headlight.answer_route import ADDRESS


def free_port() -> int:
    """One of this machine's, which nobody serves at."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def wait_for(url: str, seconds: float = 100) -> None:
    """Until somebody answers there."""
    start = monotonic()
    while not answers_at(url):
        assert monotonic() - start < seconds, "the server did not start"
        sleep(0.05)


def answers_at(url: str) -> bool:
    """Whether somebody does."""
    try:
        urlopen(url, timeout=5).close()
    except OSError:
        return False
    return True


def ask(url: str, asked: dict[str, Any]) -> bytes:
    """The answer to one of the viewer's requests."""
    headers = {"Content-Type": "application/json"}
    request = Request(f"{url}/{ADDRESS}", json.dumps(asked).encode(), headers)
    with urlopen(request, timeout=30) as response:
        return response.read()
