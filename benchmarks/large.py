"""Guests of many heads and texts of many tokens on the page: a step, a head, the page's memory."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import quote

import torch
from playwright.sync_api import Browser, Page, sync_playwright

from scripts.browser import find_chromium
from tests.guests.folders import bytes_of_pairs, save

from .page import AFTER_PAINT, OBSERVE_KEYS, presses
from .row import Row
from .server import serve

SHAPES = ((12, 12, 128, 24), (28, 16, 256, 33), (28, 16, 512, None))
"""Layers, heads, tokens; from a step's key to its paint at most, in milliseconds."""

HEAD_WIDTH = 8
WRITTEN = 32
"""Tokens that a decoder is let write; the others are its prompt's."""

WAY = 30
ROUNDS = 5
"""Over all heads of a layer, after one in which they come."""

TIME_HEADS = f"""async (tiles, rounds) => {{
    const times = [];
    for (let round = 0; round <= rounds; round++) {{
      for (const tile of tiles) {{
        const start = performance.now();
        tile.click();
        await {AFTER_PAINT};
        if (round) times.push(performance.now() - start);
      }}
    }}
    return times;
}}"""


def rows() -> Iterator[Row]:
    """Of guests with random weights, whose heads come as they are shown."""
    with tempfile.TemporaryDirectory() as root, sync_playwright() as playwright:
        folders = [guest(Path(root), *shape[:3]) for shape in SHAPES]
        for folder, (layers, heads, length, paint) in zip(folders, SHAPES, strict=True):
            with serve(guests=[folder]) as server:
                browser = playwright.chromium.launch(executable_path=find_chromium())
                page = opened(browser, server.url, folder.name, length)
                shape = f"{layers} × {heads} × {length}"
                yield from gestures(page, shape, paint)
                held = own_memory(renderer(browser))
                detail = "its process's own, without what browsers share"
                yield Row(f"memory of the page, {shape}", held, "MB", 250, detail)
                browser.close()


def guest(root: Path, layers: int, heads: int, length: int) -> Path:
    """A GPT-2 of such a shape with narrow heads: the picture is as large as any other's."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    tokenizer: Any = bytes_of_pairs()
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_layer=layers,
        n_head=heads,
        n_embd=HEAD_WIDTH * heads,
        n_positions=length + 8,
        bos_token_id=0,
        eos_token_id=None,
    )
    return save(root / f"gpt-{layers}-{heads}-{length}", GPT2LMHeadModel(config), tokenizer)


def opened(browser: Browser, url: str, name: str, length: int) -> Page:
    """The page of a guest that has read and written so many tokens, once it is painted."""
    page = browser.new_page(viewport={"width": 1366, "height": 768}, locale="en")
    prompt = "a " * (length - WRITTEN)
    page.goto(f"{url}?model={name}&source={quote(prompt.strip())}&step={length // 2}")
    page.locator(".heads.of-layer:not([hidden]) [role=gridcell]").first.wait_for(timeout=120_000)
    page.locator(".matrix:not(.awaited) canvas").first.wait_for(timeout=120_000)
    return page


def gestures(page: Page, shape: str, paint: float | None) -> Iterator[Row]:
    """Steps there and back; every head of the layer, several times."""
    page.evaluate(f"() => {{ {OBSERVE_KEYS} }}")
    page.get_by_role("heading", name="Headlight").click()
    there_and_back = [*["ArrowRight"] * WAY, *["ArrowLeft"] * WAY]
    yield from presses(page, f"step, {shape}", there_and_back, 16, paint)
    tiles = page.locator(".heads.of-layer:not([hidden]) [role=gridcell]")
    times = tiles.evaluate_all(TIME_HEADS, ROUNDS)
    detail = f"median {median(times):.0f}, {tiles.count()} heads that are here"
    yield Row(f"another head to paint, {shape}, p95", quantiles(times, n=20)[-1], "ms", 33, detail)


def renderer(browser: Browser) -> int:
    """The process of the page that is open alone."""
    session = browser.new_browser_cdp_session()
    answer = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return max((it["id"] for it in answer if it["type"] == "renderer"), key=own_memory)


def own_memory(pid: int) -> float:
    """What a process alone holds, in MB; on Linux, which tells."""
    lines = Path("/proc", str(pid), "status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1000
