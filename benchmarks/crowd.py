"""A class at once: sixty visitors in a process of their own, on the same cores as the server."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from time import sleep
from typing import Any

from . import links
from .row import Row
from .server import Server, serve

CLASS = 60
STUDY_SECONDS = 60
IDLE_SECONDS = 10
ROUNDS = 3


def rows() -> Iterator[Row]:
    """The server with the project's own models."""
    with serve() as server:
        _clients(server, kind="alone", count=5)  # the model is read, everything is warm
        yield from _idle(server)
        alone = median(_clients(server, kind="alone", count=30)["seconds"])
        yield Row("one request alone", 1000 * alone, "ms", 10)
        yield from _bursts(server)
        yield from _study(server, alone)
    yield from links.rows()


def _bursts(server: Server) -> Iterator[Row]:
    """In milliseconds: as a share of one alone, its every gain would look like a loss."""
    paths = ["/", *server.assets]
    for kind, name, budget in (("burst", "different", 1.9), ("equal", "equal", 1.5)):
        rounds = [_clients(server, kind=kind, count=CLASS, paths=paths) for _ in range(ROUNDS)]
        last = median(max(each["seconds"]) for each in rounds)
        middle = median(median(each["seconds"]) for each in rounds)
        detail = (
            f"last {last:.2f} s, median {middle:.2f} s; {sum(e['wrong'] for e in rounds)} wrong"
        )
        what = f"{CLASS} {name} sentences at once, each"
        yield Row(what, 1000 * last / CLASS, "ms", budget, detail)
        if kind == "burst":
            looks = [look for each in rounds for look in each["looks"]]
            p95 = 1000 * quantiles(looks, n=20)[-1]
            yield Row("page and assets meanwhile, p95", p95, "ms", 100, f"{len(looks)} looks")


def _study(server: Server, alone: float) -> Iterator[Row]:
    study = _clients(server, kind="study", count=CLASS, seconds=STUDY_SECONDS)
    times = study["seconds"]
    p95 = quantiles(times, n=20)[-1]
    rate = len(times) / STUDY_SECONDS
    detail = f"{rate:.1f}/s, median {median(times):.3f} s, p95 {p95:.3f} s, {study['wrong']} wrong"
    yield Row(f"{CLASS} students, p95 / alone", p95 / alone, "×", 5, detail)


def _idle(server: Server) -> Iterator[Row]:
    """Of one core, and of memory; Linux tells."""
    process = Path("/proc", str(server.pid))
    if not process.exists():
        return
    sleep(2)
    before = _cpu_ticks(process)
    sleep(IDLE_SECONDS)
    share = (_cpu_ticks(process) - before) / IDLE_SECONDS  # a tick is a hundredth of a second
    yield Row("idle server, of a core", share, "%", 1)
    resident = next(
        int(line.split()[1])
        for line in (process / "status").read_text().splitlines()
        if line.startswith("VmRSS")
    )
    yield Row("idle server, memory, one model", resident / 1000, "MB", 450)


def _cpu_ticks(process: Path) -> int:
    user, system = (process / "stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return int(user) + int(system)


def _clients(server: Server, **plan: Any) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.clients", server.url, json.dumps(plan)]
    done = subprocess.run(command, check=True, capture_output=True, timeout=300)
    return json.loads(done.stdout)
