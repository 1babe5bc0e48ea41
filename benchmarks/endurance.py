"""Ten thousand different traces in one process, twenty at a time: what they leave behind."""

import asyncio
import json
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import torch

from tests.tiny import num_hooks
from transformer import Translator
from transformer.checkpoint import DEFAULT_MODEL
from transformer.serving import Service
from transformer.serving.wire.requests import TraceAsked
from transformer.translator import TraceRequest

from .clients import sentence
from .row import Row

FIRST, ALL, AT_ONCE = 1_000, 10_000, 20

STATUS = Path("/proc/self/status")
"""Where Linux tells how much memory a process has."""


def rows() -> Iterator[Row]:
    """Growth after the first thousand; threads, hooks and files that nobody gave back."""
    if not STATUS.exists():
        return
    command = [sys.executable, "-m", "benchmarks.endurance"]
    done = subprocess.run(command, check=True, capture_output=True, timeout=1_800)
    first, last = json.loads(done.stdout)
    growth = 100 * (last["memory"] / first["memory"] - 1)
    detail = f"{first['memory'] / 1000:.0f} → {last['memory'] / 1000:.0f} MB"
    yield Row(f"growth from {FIRST:,} traces to {ALL:,}", growth, "%", 3, detail)
    kinds = ("threads", "hooks", "files")
    left = sum(max(0, last[kind] - first[kind]) for kind in kinds)
    detail = ", ".join(f"{last[kind]} {kind}" for kind in kinds)
    yield Row("threads, hooks and files left over", left, "", 0, detail)


async def _live() -> list[dict[str, int]]:
    service, draw = Service(), random.Random(0)
    translator = await asyncio.wrap_future(service.traces.models.load(DEFAULT_MODEL))
    seen: list[dict[str, int]] = []
    for count in range(AT_ONCE, ALL + 1, AT_ONCE):
        requests = [TraceAsked(DEFAULT_MODEL, TraceRequest(sentence(draw))) for _ in range(AT_ONCE)]
        await asyncio.gather(*map(service.traces.answer, requests))
        if count in (FIRST, ALL):
            seen.append(_look(translator))
    service.close()
    return seen


def _look(translator: Translator) -> dict[str, int]:
    lines = STATUS.read_text(encoding="utf-8").splitlines()
    return {
        "memory": next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")),  # kB
        "threads": threading.active_count(),
        "hooks": num_hooks(translator.model),
        "files": len(list(Path("/proc/self/fd").iterdir())),
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    json.dump(asyncio.run(_live()), sys.stdout)
