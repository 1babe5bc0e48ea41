"""Sixty pupils with a correction each, from sixty addresses and from one, beside the server."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from time import sleep
from typing import Any

from transformer.serving.corrections import CHANGES_BYTES

from .attack import KEPT, memory
from .row import Row
from .server import Server, serve

CLASS = 60
STUDY_SECONDS = 60
MEDIAN, P95 = 0.5, 3.0
SETTLE_SECONDS = 12
"""Until models that were put together, and that nobody needs any more, are let go."""


def rows() -> Iterator[Row]:
    """The server with the project's own models, begun anew for each class."""
    for doors, name in (("many", "sixty addresses"), ("one", "one address")):
        with serve() as server:
            has_memory = Path("/proc", str(server.pid)).exists()
            before = memory(server.pid) if has_memory else 0
            study = _pupils(server, doors=doors, count=CLASS, seconds=STUDY_SECONDS)
            clicks, corrections = study["clicks"], study["corrections"]
            what = f"{CLASS} pupils with a correction each, {name}: a click"
            yield Row(f"{what}, median", median(clicks), "s", MEDIAN, f"{len(clicks)} clicks")
            yield Row(f"{what}, p95", quantiles(clicks, n=20)[-1], "s", P95, f"{max(clicks):.1f} s")
            yield Row("the last of their corrections", max(corrections), "s")
            if has_memory:
                sleep(SETTLE_SECONDS)
                growth, wanted = memory(server.pid) - before, CHANGES_BYTES / 1e6
                detail = f"{wanted:.0f} MB of what corrections changed may be kept"
                yield Row("memory kept of the class", growth, "MB", wanted + KEPT, detail)


def _pupils(server: Server, **plan: Any) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.pupils", server.url, json.dumps(plan)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=600)
    return json.loads(done.stdout)
