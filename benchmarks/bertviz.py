"""Side by side with BertViz's model view on the same trace: bytes, rendering, changing heads.

Ours is the saved page, which shows three kinds at once, each with all its heads and one of them
large. BertViz's shows the heads of one kind, and one of them large where someone clicks. Both are
opened from the disk in the same Chromium.
"""

import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from playwright.sync_api import BrowserContext, sync_playwright

from scripts.browser import find_chromium
from transformer.show.bertviz import bertviz_html, view_parameters
from transformer.show.replay import replay_html
from transformer.trace.kinds import KINDS
from transformer.trace.trace import AttentionTrace

from .page import AFTER_PAINT, large_trace
from .row import Row

SHAPES = ((3, 8, 20), (6, 8, 40))
"""Layers, heads, tokens."""

NO_WAITING = ["--disable-frame-rate-limit", "--disable-gpu-vsync"]
"""Frames come as soon as they are ready: the times are those of the work, not of the screen."""

OUR_HEADS = 'figure:last-of-type .heads [aria-label^="Layer"][aria-label*=", head "]'
"""Without the means and maxima, which BertViz does not have."""

ROUNDS = 5
# The end of the first frame that has it from its beginning.
TIME_PICTURE = """
    const look = () => {{
      if (!({shown})) requestAnimationFrame(look);
      else setTimeout(() => (window.picture = performance.now()));
    }};
    requestAnimationFrame(look);
"""
OUR_PICTURE = """
    document.querySelector("figure canvas[aria-label]") &&
    (document.querySelector("figure .heads:not([hidden]) canvas")?.width ?? 300) !== 300
"""
"""Both the large matrix and its kind's small heads; an unpainted canvas is 300 pixels wide."""

THEIR_PICTURE = "document.querySelector('#vis svg')"
# One after another without a pause: a change then also waits for what the one before it left to
# paint, which a single change would hide. A first round over all heads is not counted: the browser
# still compiles. No head is clicked twice in a row, which would close BertViz's.
CHANGE_HEADS = f"""async (thumbnails) => {{
    const times = [];
    for (const thumbnail of [...thumbnails, ...thumbnails]) {{
      const start = performance.now();
      thumbnail.dispatchEvent(new MouseEvent("click", {{ bubbles: true }}));
      await {AFTER_PAINT};
      times.push(performance.now() - start);
    }}
    return times.slice(thumbnails.length);
}}"""


class Times(NamedTuple):
    """Milliseconds to paint: from opening the page, and from a click on another head."""

    render: float
    change: float


def rows() -> Iterator[Row]:
    """Ours as shares of BertViz's, for each shape."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=NO_WAITING)
        # In one window: a new one of Chromium 156 loads 280 files for its address bar, beside us.
        window = browser.new_context(
            viewport={"width": 1280, "height": 900}, locale="en", bypass_csp=True
        )
        window.new_page()
        for layers, heads, tokens in SHAPES:
            trace = large_trace(Path(folder, str(layers)), layers, heads, tokens)
            yield from _compare(window, trace, Path(folder))
        browser.close()


def _compare(window: BrowserContext, trace: AttentionTrace, folder: Path) -> Iterator[Row]:
    layers, heads, tokens, _ = trace.decoder_self.shape
    name = f"{layers * heads} heads × {tokens} tokens"
    ours_size, theirs_size = len(json.dumps(trace.to_dict("float16"))), _bertviz_size(trace)
    rounded = len(json.dumps(view_parameters(trace, "light")))
    detail = f"{_kb(ours_size)} / {_kb(theirs_size)}; theirs rounded to 4 digits: {_kb(rounded)}"
    yield Row(f"data / BertViz's, {name}", ours_size / theirs_size, "×", 0.2, detail)

    ours_path, theirs_path = folder / "ours.html", folder / "theirs.html"
    ours_path.write_text(replay_html(trace), encoding="utf-8")
    theirs_path.write_text(bertviz_html(trace, "model"), encoding="utf-8")
    pairs = [
        (
            _times(window, ours_path, OUR_PICTURE, OUR_HEADS),
            _times(window, theirs_path, THEIR_PICTURE, "#vis svg > g > rect:last-child"),
        )
        for _ in range(1 + ROUNDS)
    ]
    # In turn, as a machine's speed changes; the first is not counted: the browser still starts.
    ours, theirs = (_middle(times) for times in zip(*pairs[1:], strict=True))
    for what, our, their, budget in (
        ("opening", ours.render, theirs.render, 1),
        ("changing heads", ours.change, theirs.change, 0.1),
    ):
        detail = f"{our:.1f} ms / {their:.1f} ms"
        yield Row(f"{what} / BertViz's, {name}", our / their, "×", budget, detail)


def _bertviz_size(trace: AttentionTrace) -> int:
    """Bytes of the weights and labels as BertViz's Python writes them, all digits."""
    parameters: dict[str, Any] = view_parameters(trace, "light")
    for part, kind in zip(parameters["attention"], KINDS, strict=True):
        weights = trace.weights(kind)
        assert weights is not None
        part["attn"] = weights.tolist()
    return len(json.dumps(parameters))


def _times(window: BrowserContext, path: Path, picture: str, heads: str) -> Times:
    # In a process of its own: what the page before it left behind is not its work.
    page = window.new_page()
    page.add_init_script(TIME_PICTURE.format(shown=picture))
    page.goto(path.as_uri())
    page.wait_for_function("window.picture")
    render = page.evaluate("window.picture")
    changes: list[float] = page.locator(heads).evaluate_all(CHANGE_HEADS)
    page.close()
    return Times(render, median(changes))


def _middle(times: Iterable[Times]) -> Times:
    return Times(*map(median, zip(*times, strict=True)))


def _kb(size: int) -> str:
    return f"{size / 1000:.0f} KB"
