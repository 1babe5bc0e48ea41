"""A class that opens the page over a real link: `python -m benchmarks.links MBIT`.

Loopback hides what a school's line shows. Where this machine lets us, server and class run in a
network of their own, whose speed `tc` bounds; else they meet through a relay of ours (link.py).
"""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from scripts.browser import find_chromium

from .clients import Visitor
from .link import link
from .row import Row
from .server import serve

CLASS = 60
CONNECTIONS = 6
"""Of each browser."""

DRAWN, COMPLETE = 10, 15
"""Budgets in seconds, over the faster link, by what browsers ask for."""

FAST, SLOW = 20, 8
"""Mbit/s."""

ENCODINGS = ("br", "gzip", "identity")


def rows() -> Iterator[Row]:
    """Sixty visitors from as many addresses, and from one, by each encoding and over each link."""
    for rate in (FAST, SLOW):
        for run in _measured(rate):
            by, where = run["encoding"], "60 addresses" if run["addresses"] > 1 else "one address"
            what = f"{CLASS} pages, {rate} Mbit/s, {by}, {where}"
            budgets = (DRAWN, COMPLETE) if rate == FAST and by != "identity" else (None, None)
            detail = f"{run['way']}, {run['cut']} cut"
            yield Row(f"{what}: drawn", run["drawn"], "s", budgets[0], detail)
            yield Row(f"{what}: complete", run["complete"], "s", budgets[1], detail)
            yield Row(f"{what}: cut", run["cut"], "", 0)


def _measured(rate: int) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "benchmarks.links", str(rate)]
    alone = ["unshare", "--net", "--map-root-user", "sh", "-c"]
    shaped = f"ip link set lo mtu 1500 up && tc qdisc add dev lo root tbf rate {rate}mbit "
    shaped += "burst 32k latency 400ms"
    has_tools = all(map(shutil.which, ("unshare", "ip", "tc")))
    if has_tools and not subprocess.run([*alone, shaped], capture_output=True).returncode:
        command = [*alone, f'{shaped} && exec "$@"', "sh", *command, "tc"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=900)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _paths(url: str) -> tuple[list[str], list[str]]:
    """What a browser asks for on its first visit: what draws the first picture, and the rest."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        page = browser.new_page(locale="en-US")
        page.goto(url)
        page.locator("gradio-app > *").first.wait_for(state="attached")
        names = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
        browser.close()
    paths = [urlsplit(name).path for name in names]
    own = [path for path in paths if path.startswith("/headlight/") and "." in path]
    later = [
        path
        for path in own
        if "/joined/" in path and not path.endswith(("/start.js", "/viewer.css"))
    ]
    gradio = [path for path in paths if path.startswith(("/assets/", "/static/", "/svelte/"))]
    return [path for path in own if path not in later], [*later, *gradio]


class _Class:
    """What sixty visitors met."""

    def __init__(self) -> None:
        self.drawn: list[float] = []
        self.complete: list[float] = []
        self.cut = 0

    async def visit(self, url: str, encoding: str, host: str, files: list[list[str]]) -> None:
        start = perf_counter()
        try:
            async with AsyncExitStack() as stack:
                browser = [
                    await stack.enter_async_context(Visitor(url, host or "", encoding=encoding))
                    for _ in range(CONNECTIONS)
                ]
                await browser[0].get("/")
                for paths, done in zip(files, (self.drawn, self.complete), strict=True):
                    left = iter(paths)
                    await asyncio.gather(*(_get_all(each, left) for each in browser))
                    done.append(perf_counter() - start)
        except (OSError, EOFError, RuntimeError):
            self.cut += 1


async def _get_all(visitor: Visitor, paths: Iterator[str]) -> None:
    for path in paths:
        await visitor.get(path)


async def _open_all(
    url: str, encoding: str, addresses: int, files: list[list[str]], rate: int | None
) -> dict[str, Any]:
    crowd = _Class()
    async with AsyncExitStack() as stack:
        if rate:
            port = urlsplit(url).port
            assert port
            between = await stack.enter_async_context(link(port, rate * 1e6 / 8))
            url = f"http://127.0.0.1:{between.port}/"
        hosts = [f"127.0.0.{2 + i % addresses}" for i in range(CLASS)]
        await asyncio.gather(*(crowd.visit(url, encoding, host, files) for host in hosts))
    seconds = {"drawn": max(crowd.drawn, default=0), "complete": max(crowd.complete, default=0)}
    way = "relay" if rate else "tc"
    return {"encoding": encoding, "addresses": addresses, "cut": crowd.cut, "way": way, **seconds}


def main(rate: int, *, is_shaped: bool) -> None:
    """Measures one link, and prints a line of JSON for each class."""
    with serve() as server:
        files = _paths(server.url)
        for encoding in ENCODINGS:
            for addresses in (CLASS, 1):
                opened = _open_all(
                    server.url, encoding, addresses, [*files], None if is_shaped else rate
                )
                print(json.dumps(asyncio.run(opened)), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), is_shaped="tc" in sys.argv)
