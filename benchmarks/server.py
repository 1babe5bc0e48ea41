"""The app in a process of its own, as a user starts it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

from headlight.page import VERSION


class Server(NamedTuple):
    """A running app; `assets` are the addresses of the viewer's modules."""

    url: str
    seconds_to_start: float
    pid: int
    assets: list[str]


@contextmanager
def serve(
    checkpoints: Path | None = None, files: int | None = None, guests: Sequence[Path] = ()
) -> Iterator[Server]:
    """Starts `app.py`, waits until it answers, and stops it at the block's end.

    Args:
        checkpoints: the folder of models; by default the project's own.
        files: how many file descriptors it may open; by default as many as this process.
        guests: folders of models that are not ours.

    Raises:
        RuntimeError: the app ended, or did not answer within a minute.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Whoever measures may open a class.
    environment = {**os.environ, "GRADIO_SERVER_PORT": str(port), "HEADLIGHT_ROOMS": "1"}
    if checkpoints:
        environment["HEADLIGHT_CHECKPOINTS"] = str(checkpoints)
    if guests:
        environment["HEADLIGHT_MODELS"] = " ".join(map(str, guests))
    command = [sys.executable, "app.py", "--no-browser"]
    if files:
        command = ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh", *command]
    start = monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            url = f"http://127.0.0.1:{port}/"
            while not _answers(url):
                if process.poll() is not None or monotonic() - start > 60:
                    raise RuntimeError(f"{' '.join(command)} did not answer")
                sleep(0.02)
            seconds = monotonic() - start
            yield Server(url, seconds, process.pid, [f"/headlight/{VERSION}/joined/start.js"])
        finally:
            process.terminate()


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as response:
            return response.status == 200
    except URLError:
        return False
