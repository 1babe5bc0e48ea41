"""What strangers send to take the server from everybody, replayed, with a normal client beside it.

All of it stays on this machine, is counted, and ends by itself.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from . import attacks_class, attacks_clients, attacks_guests, attacks_queue
from .attacker import Attacker
from .attacks_links import LINK_ATTACKS
from .row import Row
from .server import serve

FILES = 256
"""File descriptors of the attacked server: fewer than the connections that are opened."""

SETTLE_SECONDS = 2
"""After an attack, until the memory that it keeps is read."""

WAIT, KEPT = 1.0, 50.0
"""Budgets: the normal client's worst wait in seconds, and megabytes kept of one attack."""

BY_DESIGN = {"corrections": 42.0, "taught models": 42.0, "made up pages": 48.0}
"""Megabytes that one page may keep of what its corrections changed, three times 14; and that all
pages together fill caches with, of traces and of analyses, 24 each."""

OURS = Path("en-zh")
"""The model that the page opens with, named before the guests."""

LONG = "very " * 120 + "long."


Attack = Callable[[Attacker], Awaitable[None]]


class Outcome(NamedTuple):
    """What a normal client met during one attack."""

    what: str
    sent: int
    worst: float
    requests: int
    failed: int
    growth: float


async def empty_shapes(a: Attacker) -> None:
    """Traces of millions of layers without a head, or of none at all, as files and for BertViz."""
    n = 20_000
    label = {"schema": "headlight-trace", "version": 1, "model": "x", "source": "x"}
    label |= {"translation": "x", "prefix_length": 0, "stop_reason": "eos", "interventions": []}

    def trace(tokens: int, layers: int, heads: int) -> object:
        names, ids = ["a"] * tokens, [1] * tokens
        packed = {"shape": [layers, heads, tokens, tokens], "dtype": "float16", "data": ""}
        sides = {"src": [], "src_ids": [], "tgt_in": names, "tgt_out": names, "tgt_ids": ids}
        towers = {"encoder_self": None, "cross": None, "decoder_self": packed}
        return label | sides | towers | {"candidates": [[]] * tokens}

    async def send(i: int) -> None:
        if i % 2:
            await a.ask(ask="bertviz", view="model", theme="light", trace=trace(3, 20_000_000, 0))
        else:
            await a.ask(ask="file", format="npz", trace=trace(n, 0, 8))

    await a.many(8, 4, send)


async def masked_rows(a: Attacker) -> None:
    """Changes that together leave a row nothing to attend to, among everybody's questions."""
    changes = ["decoder_self.L3=first", "causal=inverted"]

    async def send(i: int) -> None:
        source = f"I have {i} apples."
        await a.ask(ask="trace", model="en-zh", source=source, interventions=changes)

    await a.many(120, 2, send)


async def unfetched_calls(a: Attacker) -> None:
    """Calls of programs whose answers nobody fetches."""

    async def send(i: int) -> None:
        body = json.dumps({"data": [f"I have {i} dogs.", "en-zh"]}).encode()
        await a.post("/gradio_api/call/translate", body)

    await a.many(2_600, 8, send)


async def unfetched_traces(a: Attacker) -> None:
    """The same of whole traces, joined as `gradio_client` does."""

    async def send(i: int) -> None:
        call = {"data": [LONG, "en-zh", None, None, None], "fn_index": 4, "session_hash": f"s{i}"}
        await a.post("/gradio_api/queue/join", json.dumps(call).encode())

    await a.many(60, 4, send)


async def dear_analyses(a: Attacker) -> None:
    """The dearest analyses of the longest sentences, each left after a moment."""

    async def send(i: int) -> None:
        words = "I " + "think that we " * 12 + f"have {i} cats."
        name = ("why", "sweep", "value_zeroing", "leave_one_out")[i % 4]
        request = {"ask": "inside", "name": name, "model": "en-zh", "source": words}
        options = {"step": 5, "token": 9} if name == "why" else {}
        await a.ask(patience=0.3, **request, options=options)

    await a.many(24, 4, send)


async def repeated_changes(a: Attacker) -> None:
    """One change, written five hundred times."""
    many = ["cross.L2H4=zero"] * 500

    async def send(i: int) -> None:
        source = f"There are {i} birds in the old tree behind our house."
        request = {"ask": "inside", "name": "sweep", "model": "en-zh", "source": source}
        await a.ask(patience=2, **request, interventions=many, options={})

    await a.many(8, 4, send)


async def drive_by(a: Attacker) -> None:
    """What a page of another site can post without asking first."""
    body = json.dumps({"ask": "trace", "model": "en-zh", "source": LONG[:200]}).encode()

    async def send(i: int) -> None:
        headers = "Origin: https://evil.example\r\nContent-Type: text/plain\r\n"
        await a.post("/headlight/answer", body.replace(b"long", b"%d" % i), headers=headers)

    await a.many(200, 4, send)


async def json_bombs(a: Attacker) -> None:
    """Thirty megabytes of empty objects."""
    bomb = b"[" + b"{}," * 10_000_000 + b"{}]"

    async def send(i: int) -> None:
        await a.post(("/headlight/upload", "/headlight/answer")[i % 2], bomb)

    await a.many(16, 8, send)


async def half_open(a: Attacker) -> None:
    """Requests whose head, or whose body, never comes to its end."""
    host = f"Host: {a.host}:{a.port}\r\n"
    head = f"POST /headlight/answer HTTP/1.1\r\n{host}".encode()
    body = head + b"Content-Type: application/json\r\nContent-Length: 90\r\n\r\n{"
    lines = [await a.open(head if i % 2 else body) for i in range(a.count(300))]
    await asyncio.sleep(5 * min(1, a.count(300) / 300))
    for line in lines:
        if line:
            line.close()


async def large_bodies(a: Attacker) -> None:
    """A hundred megabytes for each of Gradio's addresses."""
    paths = ("run/translate", "call/translate", "queue/join", "cancel")
    filler = b"x" * a.count(100_000_000)

    async def send(i: int) -> None:
        await a.post(f"/gradio_api/{paths[i % len(paths)]}", b'{"data": ["' + filler + b'"]}')

    await a.many(8, 2, send)


async def dropped_uploads(a: Attacker) -> None:
    """Uploads whose client goes away in the middle."""
    head = "Content-Type: application/json\r\nContent-Length: 9000\r\n\r\n"

    async def send(i: int) -> None:
        path = ("/headlight/upload", "/gradio_api/run/translate")[i % 2]
        request = f"POST {path} HTTP/1.1\r\nHost: {a.host}\r\n{head}".encode()
        if line := await a.open(request + b"{" * 400):
            line.close()

    await a.many(300, 8, send)


async def long_names(a: Attacker) -> None:
    """Names that no file can have, and routes that Gradio has beside those of the page."""

    async def send(i: int) -> None:
        path = (f"/static/{'x' * 300}", "/pwa_icon/9", "/gradio_api/upload", "/gradio_api/reset")
        if line := await a.open(f"GET {path[i % 4]} HTTP/1.1\r\nHost: {a.host}\r\n\r\n".encode()):
            line.close()

    await a.many(400, 8, send)


ATTACKS: tuple[Attack, ...] = (
    *(empty_shapes, masked_rows, unfetched_calls, unfetched_traces, dear_analyses),
    *(repeated_changes, drive_by, json_bombs, half_open, large_bodies, dropped_uploads),
    *(long_names,),
    *(attacks_queue.long_sentences, attacks_queue.corrections, attacks_queue.taught_models),
    *attacks_clients.ATTACKS,
    *attacks_guests.ATTACKS,
    *attacks_class.ATTACKS,
    *LINK_ATTACKS,
)


def rows() -> Iterator[Row]:
    """Each attack, and what a normal client met meanwhile."""
    if not Path("/proc/self/status").exists():
        return
    with TemporaryDirectory() as root:
        guests = attacks_guests.folders(Path(root))
        with serve(files=FILES, guests=[OURS, *guests]) as server:
            outcomes = [suffer(server.url, server.pid, attack) for attack in ATTACKS]
        if (Path(root) / attacks_guests.RAN).exists():
            raise RuntimeError("the code in a guest's pickle was run")
    for each in outcomes:
        detail = f"{each.sent} sent; {each.requests} normal requests, {each.failed} failed"
        yield Row(each.what, each.worst, "s", WAIT, f"{detail}; {each.growth:+.0f} MB")
    yield Row("requests of the normal client that failed", sum(e.failed for e in outcomes), "", 0)
    worst = max(outcomes, key=lambda each: each.growth)
    yield Row("memory kept of one attack, beside what it may", worst.growth, "MB", KEPT, worst.what)


def suffer(url: str, pid: int, attack: Attack, scale: float = 1) -> Outcome:
    """One attack on a running server.

    Args:
        url: of the server.
        pid: its process.
        attack: one of `ATTACKS`.
        scale: how much of what is sent in full.
    """
    attacker = Attacker(url, scale, pid)
    command = [sys.executable, "-m", "benchmarks.bystander", url]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as normal:
        assert normal.stdout
        normal.stdout.readline()  # it has had its first answer
        before = memory(pid)
        # In another thread: this one may have a loop already, as in tests beside a browser.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _attack(attack, attacker)).result()
        output, _ = normal.communicate("stop\n", timeout=120)
    seconds, failed = json.loads(output)
    end = perf_counter() + SETTLE_SECONDS
    what = attack.__name__.replace("_", " ")
    before += BY_DESIGN.get(what, 0)
    growth = memory(pid) - before
    while growth > KEPT / 2 and perf_counter() < end:
        growth = memory(pid) - before
    return Outcome(what, attacker.sent, max(seconds, default=0), len(seconds), failed, growth)


async def _attack(attack: Attack, attacker: Attacker) -> None:
    await attack(attacker)


def memory(pid: int) -> float:
    """Of a process, in megabytes."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000
