"""A class that follows its teacher: 120 streams, in a process beside the server."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from time import sleep
from typing import Any

from .attack import memory
from .row import Row
from .server import Server, serve

PEOPLE, PAGES, TRANSLATING = 120, 3, 60
STEPS, DROPS, IDLE_SECONDS = 20, 100, 20
RATE = 20e6 / 8
"""Bytes a second of a school's link."""


def rows() -> Iterator[Row]:
    """The server with the project's own models."""
    with serve() as server:
        _followers(server, count=1, doors="one", translating=5)  # everything is warm
        alone = median(_followers(server, count=1, doors="one", translating=10)["waits"])
        for doors, name in (("many", f"{PEOPLE} addresses"), ("one", "one address")):
            plan = {"count": PEOPLE, "doors": doors, "steps": STEPS}
            results = _followers(server, **plan, browsers=PAGES if doors == "many" else 0)
            yield _delay_row(f"an address reaches {PEOPLE}, {name}, p95", results, 200)
            if results["drawn"]:
                drawn = 1000 * quantiles(results["drawn"], n=20)[-1]
                detail = "with what it takes to ask the browser"
                yield Row(f"the same is drawn by {PAGES} pages, p95", drawn, "ms", None, detail)
            yield Row(f"{PEOPLE} answers counted, {name}", results["answers"], "s", 1)
        results = _followers(server, count=PEOPLE, doors="one", steps=STEPS, rate=RATE)
        yield _delay_row(f"an address reaches {PEOPLE} over 20 Mbit/s, p95", results, 1_000)
        results = _followers(server, count=PEOPLE, doors="one", translating=TRANSLATING)
        waits = results["waits"]
        detail = f"alone {1000 * alone:.0f} ms, median {1000 * median(waits):.0f} ms"
        share = quantiles(waits, n=20)[-1] / alone
        yield Row(f"{TRANSLATING} of them translate meanwhile, p95 / alone", share, "×", 3, detail)
        yield from _leaves_nothing(server)


def _delay_row(what: str, results: dict[str, Any], budget: float) -> Row:
    delays = results["shown"]
    detail = f"median {1000 * median(delays):.0f} ms, last {1000 * max(delays):.0f} ms"
    return Row(what, 1000 * quantiles(delays, n=20)[-1], "ms", budget, detail)


def _leaves_nothing(server: Server) -> Iterator[Row]:
    """An idle room's share of a core, and what is left of connections that drop; Linux tells."""
    process = Path("/proc", str(server.pid))
    if not process.exists():
        return
    files, before = len([*(process / "fd").iterdir()]), memory(server.pid)
    plan = {"count": PEOPLE, "doors": "one", "drops": DROPS, "idle": IDLE_SECONDS}
    command = [sys.executable, "-m", "benchmarks.followers", server.url, json.dumps(plan)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        running.stdout.readline()
        ticks = _ticks(process)
        sleep(IDLE_SECONDS - 2)
        share = (_ticks(process) - ticks) / (IDLE_SECONDS - 2)  # a tick is a hundredth of a second
        left = json.loads(running.stdout.read())["left"] - PEOPLE
    yield Row(f"an idle room of {PEOPLE}, of a core", share, "%", 1)
    yield Row(f"people left of {DROPS} dropped connections", left, "", 0)
    sleep(2)
    files_left = len([*(process / "fd").iterdir()]) - files
    yield Row(
        "files left open of them", files_left, "", 2, f"{memory(server.pid) - before:+.1f} MB"
    )


def _ticks(process: Path) -> int:
    user, system = (process / "stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return int(user) + int(system)


def _followers(server: Server, **plan: Any) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.followers", server.url, json.dumps(plan)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=600)
    return json.loads(done.stdout)
