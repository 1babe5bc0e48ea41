"""What waits is done together; nothing is lost, and nobody is starved."""

from concurrent.futures import Future
from math import inf
from threading import Event, Thread

import pytest

from transformer.serving.sharing.batcher import Batcher
from transformer.serving.sharing.cache import Cache
from transformer.serving.sharing.client import Client
from transformer.serving.sharing.kept import OVERHEAD


class Gate:
    """Work that stands still until it may go on, and remembers its batches."""

    def __init__(self) -> None:
        self.open = Event()
        self.busy = Event()
        self.batches: list[tuple[str, list[str]]] = []

    def work(self, key: str, items: list[str]) -> list[str | Exception]:
        self.batches.append((key, items))
        self.busy.set()
        assert self.open.wait(30)
        return [ValueError(item) if item == "bad" else item.upper() for item in items]


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def batcher(gate: Gate) -> "Batcher[str, str, str]":
    """Its only thread is busy with a first request, so that all others wait."""
    batcher = Batcher(gate.work, most=3, seconds=inf)
    batcher.submit("one", "first")
    assert gate.busy.wait(30)
    return batcher


def test_what_is_alone_starts_at_once_and_what_waits_is_batched_by_key(
    gate: Gate, batcher: "Batcher[str, str, str]"
) -> None:
    jobs = [batcher.submit("one" if item != "x" else "two", item) for item in "abxcde"]
    gate.open.set()
    assert [job.result(30) for job in jobs] == [*"ABXCDE"]
    assert gate.batches[0] == ("one", ["first"])
    assert gate.batches[1:] == [("one", [*"abc"]), ("two", ["x"]), ("one", [*"de"])]


def test_one_that_fails_spoils_no_other(gate: Gate, batcher: "Batcher[str, str, str]") -> None:
    jobs = [batcher.submit("one", item) for item in ("a", "bad", "c")]
    gate.open.set()
    assert isinstance(jobs[1].exception(30), ValueError)
    assert (jobs[0].result(30), jobs[2].result(30)) == ("A", "C")


def test_what_one_raises_stays_its_own(gate: Gate) -> None:
    def work(key: str, items: list[str]) -> list[str | Exception]:
        if "bad" in items:
            raise ValueError("a row is wholly masked")
        return gate.work(key, items)

    batcher = Batcher(work, most=20)
    batcher.submit("one", "first")
    assert gate.busy.wait(30)
    items = [*"abcdefg", "bad", *"hijklm", "bad", *"nopq"]
    jobs = [batcher.submit("one", item) for item in items]
    gate.open.set()
    for item, job in zip(items, jobs, strict=True):
        if item == "bad":
            assert isinstance(job.exception(30), ValueError)
        else:
            assert job.result(30) == item.upper()


def test_work_that_breaks_breaks_its_batch_alone() -> None:
    def work(key: str, items: list[int]) -> list[int | Exception]:
        if key == "broken":
            raise RuntimeError("disk on fire")
        return [*items]

    batcher = Batcher(work)
    with pytest.raises(RuntimeError, match="disk on fire"):
        batcher.submit("broken", 1).result(30)
    assert batcher.submit("whole", 2).result(30) == 2


def test_clients_take_turns(gate: Gate, batcher: "Batcher[str, str, str]") -> None:
    greedy = [batcher.submit("one", f"g{i}", Client("greedy")) for i in range(5)]
    modest = batcher.submit("one", "m", Client("modest"))
    assert batcher.place(modest)[0] == 1
    assert [batcher.place(job)[0] for job in greedy] == [0, 2, 3, 4, 5]
    gate.open.set()
    assert modest.result(30) == "M"
    assert gate.batches[1][1] == ["g0", "m", "g1"]
    assert greedy[-1].result(30) == "G4"
    ahead, seconds = batcher.place(modest)
    assert (ahead, seconds) == (0, 0)


def test_what_is_cancelled_while_it_waits_is_never_computed(
    gate: Gate, batcher: "Batcher[str, str, str]"
) -> None:
    jobs = [batcher.submit("one", item) for item in "abc"]
    last = batcher.submit("two", "d")
    assert all(job.cancel() for job in jobs)
    assert batcher.place(last)[0] == 0
    gate.open.set()
    assert last.result(30) == "D"
    assert gate.batches == [("one", ["first"]), ("two", ["d"])]
    assert not last.cancel(), "too late"


def test_an_answer_is_given_up_once_nobody_is_left_who_asked() -> None:
    cache, started = Cache[str, bytes](10 * OVERHEAD), list[Future[bytes]]()

    def start() -> Future[bytes]:
        started.append(Future())
        return started[-1]

    one, other = cache.get("question", start), cache.get("question", start)
    cache.leave(one)
    assert not other.cancelled()
    cache.leave(other)
    assert other.cancelled()
    again = cache.get("question", start)
    assert (len(started), again.cancelled()) == (2, False)
    again.set_running_or_notify_cancel()
    cache.leave(again)  # what has begun is finished, and kept
    again.set_result(b"answer")
    assert cache.get("question", start).result() == b"answer"
    cache.leave(again)
    assert len(started) == 2


def test_the_same_is_computed_once_also_while_it_is() -> None:
    cache, started = Cache[str, bytes](10 * OVERHEAD), list[Future[bytes]]()

    def start() -> Future[bytes]:
        started.append(Future())
        return started[-1]

    sixty = [cache.get("question", start) for _ in range(60)]
    assert len(started) == 1
    started[0].set_result(b"answer")
    assert {answer.result() for answer in sixty} == {b"answer"}
    assert cache.get("question", start).result() == b"answer"
    assert len(started) == 1


def test_errors_are_not_kept() -> None:
    cache = Cache[str, bytes](10 * OVERHEAD)
    wrong, right = Future[bytes](), Future[bytes]()
    wrong.set_exception(ValueError())
    right.set_result(b"answer")
    assert cache.get("question", lambda: wrong).exception()
    assert cache.get("question", lambda: right).result() == b"answer"


def test_the_cache_is_bounded_in_bytes_and_forgets_what_was_used_longest_ago() -> None:
    cache, starts = Cache[int, bytes](3 * (OVERHEAD + 100)), list[int]()

    def ask(key: int) -> None:
        def start() -> Future[bytes]:
            starts.append(key)
            done = Future[bytes]()
            done.set_result(bytes(100))
            return done

        assert len(cache.get(key, start).result()) == 100

    for key in (1, 2, 3, 1, 4, 1, 3, 2):
        ask(key)
        assert cache.size <= 3 * (OVERHEAD + 100)
    assert starts == [1, 2, 3, 4, 2]


def test_closing_waits_for_the_batch_in_hand_and_begins_no_other(
    gate: Gate, batcher: "Batcher[str, str, str]"
) -> None:
    later = batcher.submit("one", "later")
    closing = Thread(target=batcher.close)
    closing.start()
    closing.join(0.2)
    assert closing.is_alive()
    gate.open.set()
    closing.join(30)
    assert not closing.is_alive()
    assert gate.batches == [("one", ["first"])]
    assert not later.done()


def test_a_batch_is_bounded_by_the_tokens_that_its_longest_pads_it_to(gate: Gate) -> None:
    batcher = Batcher(gate.work, most=20, most_tokens=100, seconds=inf)
    batcher.submit("one", "first")
    assert gate.busy.wait(30)
    sizes = [30, 30, 30, 30, 200, 10, 10]
    jobs = [batcher.submit("one", f"{i}", tokens=size) for i, size in enumerate(sizes)]
    gate.open.set()
    assert [job.result(30) for job in jobs] == [*"0123456"]
    # What is longer than any batch is done by itself; short ones do not wait for a long one.
    assert [items for _, items in gate.batches[1:]] == [[*"012"], ["3", "5", "6"], ["4"]]


def test_who_asks_little_does_not_wait_for_much_in_one_batch(gate: Gate) -> None:
    batcher = Batcher(gate.work, most=20, most_tokens=500, seconds=inf)
    batcher.submit("one", "first")
    assert gate.busy.wait(30)
    jobs = [
        batcher.submit("one", f"{size}", Client(f"{size}"), size) for size in (66, 67, 11, 24, 5)
    ]
    gate.open.set()
    assert [job.result(30) for job in jobs] == ["66", "67", "11", "24", "5"]
    assert [items for _, items in gate.batches[1:]] == [["5", "11", "24"], ["66", "67"]]


def test_one_client_has_a_part_of_a_batch_while_others_wait(gate: Gate) -> None:
    batcher = Batcher(gate.work, most=20, most_tokens=100, seconds=inf)
    batcher.submit("one", "first")
    assert gate.busy.wait(30)
    greedy = [batcher.submit("one", f"g{i}", Client("g"), 20) for i in range(9)]
    modest = batcher.submit("one", "m", Client("m"), 5)
    gate.open.set()
    assert modest.result(30) == "M"
    assert greedy[-1].result(30) == "G8"
    assert gate.batches[1][1] == ["m", "g0", "g1"], "half of it, and what is short first"
    assert gate.batches[2][1] == [f"g{i}" for i in range(2, 7)], "all of it, once nobody waits"


def test_a_batch_is_smaller_where_it_would_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, slowness = [0.0], [1.0]
    monkeypatch.setattr("transformer.serving.sharing.batcher.perf_counter", lambda: clock[0])
    busy, go, took = Event(), Event(), list[float]()

    def work(_: str, items: list[str]) -> list[str | Exception]:
        busy.set()
        assert go.wait(30)
        took.append(slowness[0] * (0.03 + 0.025 * len(items)))
        clock[0] += took[-1]
        return [*items]

    batcher = Batcher(work)
    for slowness[0] in (1.0, 4.0):
        busy.clear()
        go.clear()
        first = batcher.submit("one", "first", tokens=120)
        assert busy.wait(30)
        jobs = [batcher.submit("one", f"{i}", tokens=120) for i in range(24)]
        go.set()
        for job in (first, *jobs):
            job.result(30)
    batcher.close()
    quiet, busy_too = took[:7], took[7:]
    assert len(quiet) == 7, "four by four"
    assert len(busy_too) > 7
    assert max(busy_too[2:]) <= 0.25
