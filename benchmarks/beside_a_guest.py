"""Sixty students on a small model while a guest computes, beside what they meet without it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from threading import Event, Thread

from .attack import OURS
from .large_by_http import SHAPES, Page, save_model, text_of
from .row import Row
from .server import Server, serve

STUDENTS, SECONDS = 60, 40

TOKENS = 96
"""Of what the guest is asked about, each time another text."""


def rows() -> Iterator[Row]:
    """The students' 95th percentile with a guest of GPT-2 small's shape, against that without."""
    with TemporaryDirectory() as folder:
        guest = save_model(Path(folder, "busy"), *SHAPES["small"])
        with serve(guests=[OURS, guest]) as server:
            _study(server, "alone", 5)  # the model is read, everything is warm
            Page(server.url).trace(guest.name, text_of(TOKENS))
            alone = _study(server, "study", STUDENTS)
            with _Busy(server.url, guest.name) as busy:
                beside = _study(server, "study", STUDENTS)
    before, after = (quantiles(it, n=20)[-1] for it in (alone, beside))
    detail = f"{1000 * before:.0f} → {1000 * after:.0f} ms, {busy.traces} traces of the guest"
    yield Row(f"{STUDENTS} students beside a busy guest, p95", after / before, "×", 2, detail)


class _Busy:
    """Somebody who asks a guest for one trace after another, within the block.

    Attributes:
        traces: how many were answered.
    """

    def __init__(self, url: str, model: str) -> None:
        self.traces = 0
        self._url, self._model = url, model
        self._stop = Event()
        self._thread = Thread(target=self._ask, daemon=True)

    def __enter__(self) -> "_Busy":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _ask(self) -> None:
        page = Page(self._url)
        with suppress(OSError):
            while not self._stop.is_set():
                self.traces += 1
                # What was asked before is kept.
                page.trace(self._model, f"{self.traces:08}{text_of(TOKENS - 8)}")


def _study(server: Server, kind: str, count: int) -> list[float]:
    plan = json.dumps({"kind": kind, "count": count, "seconds": SECONDS})
    command = [sys.executable, "-m", "benchmarks.clients", server.url, plan]
    done = subprocess.run(command, check=True, capture_output=True, timeout=300)
    output = json.loads(done.stdout)
    if output["wrong"]:
        raise RuntimeError(f"{output['wrong']} answers were of another sentence, or none")
    return output["seconds"]
