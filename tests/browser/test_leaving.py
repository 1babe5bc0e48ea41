"""Strangers over HTTP: those who leave cost nothing more, and nobody keeps the others waiting."""

import http.client
import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import wraps
from itertools import count
from threading import Event
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

import pytest

from headlight.answer_route import ADDRESS
from headlight.page import service
from tests.browser.conftest import Open
from transformer import Translator
from transformer.ask.analysis import Analysis
from transformer.inside import ANALYSES
from transformer.inside.sweep import _Run
from transformer.serving.sharing.desk import SHARE, left
from transformer.trace.trace import AttentionTrace

ONE, OTHER = "127.0.0.1", "127.0.0.2"
"""Addresses of this machine that requests come from: Linux has more than one."""

COUNT = count()

linux = pytest.mark.skipif(sys.platform != "linux", reason="loopback has one address here")


class Client:
    """One request, sent and not waited for."""

    def __init__(self, address: str, host: str = ONE, **asked: Any) -> None:
        server = urlsplit(address).netloc
        self._connection = http.client.HTTPConnection(server, timeout=60, source_address=(host, 0))
        request = {"ask": "trace", "model": "en-zh"} | asked
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", f"/{ADDRESS}", json.dumps(request).encode(), headers)

    def answer(self) -> dict[str, Any]:
        answer = json.loads(self._connection.getresponse().read())
        self._connection.close()
        return answer

    def leave(self) -> None:
        self._connection.close()


class Worker:
    """The one that decodes: at work on a first sentence until the test lets it go on."""

    def __init__(self) -> None:
        self.may_go_on = Event()
        self.batches: list[list[str]] = []

    @property
    def sources(self) -> list[str]:
        return [source for batch in self.batches for source in batch]


@pytest.fixture
def worker(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    worker, traces = Worker(), Translator.traces

    def wait_and_trace(self: Translator, requests: Any) -> Any:
        worker.batches.append([request.source for request in requests])
        assert worker.may_go_on.wait(60)
        return traces(self, requests)

    monkeypatch.setattr(Translator, "traces", wait_and_trace)
    first = Client(address, source=f"No. {next(COUNT)}")  # no answer is kept of it
    until(lambda: bool(worker.batches))
    yield worker
    worker.may_go_on.set()
    first.answer()


class Sweeping:
    """Sweeps whose batches take until whoever asked has gone, or the test lets all go on."""

    def __init__(self) -> None:
        self.may_go_on = Event()
        self.batches = 0
        self.ended = 0


@pytest.fixture
def sweeping(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sweeping]:
    seen, without, sweep = Sweeping(), _Run.without, ANALYSES["sweep"]

    def wait_and_score(*asked: Any) -> Any:
        seen.batches += 1
        until(lambda: seen.may_go_on.is_set() or left())
        return without(*asked)

    @wraps(sweep.function)
    def sweep_and_tell(**asked: Any) -> Any:
        try:
            return sweep.function(**asked)
        finally:
            seen.ended += 1

    monkeypatch.setattr(_Run, "without", wait_and_score)
    monkeypatch.setitem(ANALYSES, "sweep", replace(sweep, function=sweep_and_tell))
    # A head a batch.
    monkeypatch.setattr("transformer.ask.passes.CELLS", 1)
    yield seen
    seen.may_go_on.set()


def until(true: Callable[[], bool]) -> None:
    start = monotonic()
    while not true():
        assert monotonic() - start < 30
        sleep(0.01)


def waiting() -> int:
    """How many traces are in the queue."""
    jobs = service.traces._batcher._turns.ordered()
    return sum(not job.done.cancelled() for job in jobs)


def test_who_leaves_takes_along_what_nobody_else_asked(address: str, worker: Worker) -> None:
    morning, day, night = (f"No. {next(COUNT)}" for _ in range(3))
    gone = [Client(address, source=source) for source in (morning, day, day, night)]
    stays = Client(address, source=day)
    until(lambda: waiting() == 3)
    for client in gone:
        client.leave()
    until(lambda: waiting() == 1)
    worker.may_go_on.set()
    assert stays.answer()["trace"]["source"] == day
    assert worker.sources[1:] == [day]


@linux
def test_a_client_with_a_hundred_requests_keeps_nobody_waiting(
    address: str, worker: Worker
) -> None:
    greedy = [Client(address, source=f"Good {i}") for i in range(100)]
    until(lambda: waiting() == 100)
    modest = [Client(address, OTHER, source=f"Late {i}") for i in range(2)]
    until(lambda: waiting() == 102)
    worker.may_go_on.set()
    for client in (*modest, *greedy):
        assert "trace" in client.answer()
    assert {"Late 0", "Late 1"} <= set(worker.batches[1])


@linux
def test_nor_does_one_with_a_hundred_that_take_long(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on, begun = Event(), list[str]()

    def analyse(_: Analysis, __: Any, ___: Any, trace: AttentionTrace, **____: Any) -> Any:
        begun.append(trace.source)
        assert may_go_on.wait(60)
        return {}

    monkeypatch.setattr(Analysis, "answer", analyse)
    asked: dict[str, Any] = {"ask": "inside", "name": "sweep"}
    greedy = [Client(address, **asked, source=f"Good {i}") for i in range(12)]
    try:
        until(lambda: len(begun) == SHARE)
        cell = {"ask": "worked_out", "kind": "cross", "layer": 0, "head": 0}
        modest = Client(address, OTHER, source="Good", target=[5], **cell)
        assert "worked_out" in modest.answer()
    finally:
        may_go_on.set()
    with ThreadPoolExecutor() as threads:
        answers = list(threads.map(Client.answer, greedy))
    assert answers == [{"inside": {}}] * 12


def test_who_leaves_a_sweep_ends_it_between_two_batches(address: str, sweeping: Sweeping) -> None:
    asked = {"ask": "inside", "name": "sweep", "source": f"No. {next(COUNT)}"}
    gone = Client(address, **asked)
    until(lambda: sweeping.batches == 1)
    gone.leave()
    until(lambda: sweeping.ended == 1)
    assert sweeping.batches == 1
    sweeping.may_go_on.set()
    assert "inside" in Client(address, **asked).answer()
    assert sweeping.batches == 1 + 24


def test_so_does_the_page(open_page: Open, sweeping: Sweeping) -> None:
    # Of a sentence that nobody has asked about: an answer that is kept is computed by nobody.
    page = open_page(query=f"?tab=heads&source=No.+{next(COUNT)}")
    ways: list[Callable[[], None]] = [
        page.get_by_role("button", name="Cancel").click,
        page.get_by_role("tab", name="Attention").click,
        lambda: page.reload() and None,
    ]
    start = page.get_by_role("button", name="Switch off every head in turn")
    for times, leave in enumerate(ways, 1):
        page.get_by_role("tab", name="Heads").click()
        start.click()
        until(lambda times=times: sweeping.batches == times)
        leave()
        until(lambda times=times: sweeping.ended == times)
        assert sweeping.batches == times
