"""`headlight.view` of tensors that somebody has at hand: to a page, and to its first picture."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import headlight
from scripts.browser import find_chromium

from .bertviz import NO_WAITING, OUR_PICTURE, TIME_PICTURE
from .row import Row

# `wait_for_function` evaluates a string, which the page's own policy forbids.
WAIT_FOR_PICTURE = """() => new Promise((done) => {
    const look = () => (window.picture ? done(window.picture) : requestAnimationFrame(look));
    look();
})"""

ROUNDS = 5
LAYERS, HEADS = 12, 12
SHORT, LONG = 64, 256
"""Tokens."""


def rows() -> Iterator[Row]:
    """From tensors to a page's text; that page's size, and how soon it is seen."""
    short, long = tensors(SHORT), tensors(LONG)
    to_page(short)
    took = median(to_page(short)[0] for _ in range(ROUNDS))
    size = f"{LAYERS} × {HEADS} × {SHORT} tokens"
    yield Row(f"view of tensors to HTML, {size}", took, "s", 0.3)
    took, text = to_page(long)
    size = f"{LAYERS} × {HEADS} × {LONG} tokens"
    detail = f"made in {took:.2f} s; independent random weights"
    yield Row(f"HTML of tensors, {size}", len(text) / 1e6, "MB", 12, detail)
    seen = first_pictures(text)
    detail = f"{min(seen):.2f} to {max(seen):.2f} s, Chromium, from the disk"
    yield Row(f"first picture of such a page, {size}", median(seen), "s", 1.0, detail)


def tensors(length: int) -> tuple[Any, ...]:
    """A decoder's random attention, as models return it."""
    scores = np.random.default_rng(0).normal(scale=2, size=(LAYERS, 1, HEADS, length, length))
    scores[..., ~np.tri(length, dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return tuple((weights / weights.sum(-1, keepdims=True)).astype(np.float32))


def to_page(attention: tuple[Any, ...]) -> tuple[float, str]:
    """How long it takes until there is a page, and the page."""
    tokens = [f"▁w{number}" for number in range(attention[0].shape[-1])]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.html")
        start = time.perf_counter()
        headlight.view(attention, tokens, causal=True).save(path)
        return time.perf_counter() - start, path.read_text(encoding="utf-8")


def first_pictures(text: str) -> list[float]:
    """Seconds from opening a page to its first painted picture; the browser's first is left out."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.html")
        path.write_text(text, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=NO_WAITING)
        window = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en")
        times: list[float] = []
        for _ in range(1 + ROUNDS):
            page = window.new_page()
            page.add_init_script(TIME_PICTURE.format(shown=OUR_PICTURE))
            page.goto(path.as_uri())
            times.append(page.evaluate(WAIT_FOR_PICTURE) / 1000)
            page.close()
        browser.close()
    return times[1:]
