"""The page in headless Chromium: from the server's start to the pixels of a step."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

import torch
from playwright.sync_api import Browser, Page, sync_playwright

from scripts.browser import find_chromium
from transformer import Tokenizer, TransformerConfig, Translator, build_model, checkpoint

from .row import Row
from .server import serve

SENTENCES = [
    "I want to go to the park with my good friends.",
    "She reads a book about the sea in her small room.",
    "We had a cup of tea before the train arrived here.",
    "My father works in the garden when the weather is fine.",
    "They asked me why I was late for school again today.",
    "He bought a new car last week and likes it much.",
    "You can see the mountain from the window of this house.",
]
LENGTH = 40
PRESSES = 50

# Chromium reports an event's time to its next paint (Event Timing, in steps of 8 ms) if it took
# 16 ms or more; a press it does not report counts as 16. Script time is from the first listener
# for the key to the last.
OBSERVE_KEYS = """
    window.presses = new Map();
    window.scripts = [];
    new PerformanceObserver((list) => {
      for (const { name, startTime, duration } of list.getEntries()) {
        if (name === "keydown") window.presses.set(startTime, duration);
      }
    }).observe({ type: "event", durationThreshold: 16 });
    let start = 0;
    addEventListener("keydown", () => (start = performance.now()), true);
    addEventListener("keydown", (event) => {
      window.scripts.push(performance.now() - start);
      if (!window.presses.has(event.timeStamp)) window.presses.set(event.timeStamp, 16);
    });
"""
AFTER_PAINT = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
TIME_TRANSLATION = f"""async () => {{
    const button = document.querySelector("button[type=submit]");
    const start = performance.now();
    button.click();
    const answered = new Promise((done) => {{
      const observer = new MutationObserver(() => {{
        if (button.ariaBusy === "true") return;
        observer.disconnect();
        done();
      }});
      observer.observe(button, {{ attributes: true }});
    }});
    await answered;
    await {AFTER_PAINT};
    return performance.now() - start;
}}"""
# Waits in the page itself, so that nothing of the test driver is in the figure.
TIME_FIRST_PICTURE = """
    addEventListener("DOMContentLoaded", () => {
      const [navigation] = performance.getEntriesByType("navigation");
      const look = () => {
        if (!document.querySelector("figure canvas[aria-label]")) requestAnimationFrame(look);
        else setTimeout(() => (window.firstPicture = performance.now() - navigation.responseEnd));
      };
      look();
    });
"""


def rows() -> Iterator[Row]:
    """The app with the project's own models, then with a trace of 6×8 heads and 40×40 tokens."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        with serve() as server:
            yield Row("server ready", server.seconds_to_start, "s", 10)
            yield from _first_visit(browser, server.url)
        with tempfile.TemporaryDirectory() as folder:
            payload = _save_large_model(Path(folder, "large"))
            yield Row("payload of 40+40 tokens, 6×8 heads", len(payload) / 1000, "KB", 700)
            with serve(Path(folder)) as server:
                yield from _steps(_open(browser, server.url))
        browser.close()


def _first_visit(browser: Browser, url: str) -> Iterator[Row]:
    page = _open(browser, url)
    page.wait_for_function("window.firstPicture")
    yield Row("page HTML to first picture", page.evaluate("window.firstPicture"), "ms", 1500)
    times: list[float] = []
    for sentence in SENTENCES:
        page.get_by_role("textbox", name="Source sentence").fill(sentence)
        times.append(page.evaluate(TIME_TRANSLATION))
    yield Row("Translate to paint, ten words", median(times), "ms", 300, f"max {max(times):.0f}")


def _steps(page: Page) -> Iterator[Row]:
    page.get_by_role("status", name="Step status").wait_for()
    page.evaluate(f"() => {{ {OBSERVE_KEYS} }}")
    page.keyboard.press("Home")
    page.evaluate(AFTER_PAINT)
    for press in range(PRESSES):
        page.keyboard.press("ArrowRight" if press % LENGTH < LENGTH - 1 else "Home")
        page.evaluate(AFTER_PAINT)
    page.evaluate(AFTER_PAINT)
    scripts = page.evaluate("window.scripts.slice(1)")
    paints = page.evaluate("[...window.presses.values()].slice(1)")
    if not len(scripts) == len(paints) == PRESSES:
        raise RuntimeError(f"{len(scripts)} scripts and {len(paints)} paints of {PRESSES} presses")
    for what, times, budget in (("script", scripts, 4), ("key to paint", paints, 24)):
        p95 = quantiles(times, n=20)[-1]
        yield Row(f"step, {what}, p95", p95, "ms", budget, f"median {median(times):.1f}")


def _open(browser: Browser, url: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en")
    page.add_init_script(TIME_FIRST_PICTURE)
    page.goto(url)
    page.locator("figure canvas[aria-label]").first.wait_for()
    return page


def _save_large_model(folder: Path) -> str:
    """Saves an untrained model whose trace is 40+40 tokens long, and returns that payload."""
    sentence = "light" * (LENGTH // 5)
    tokenizer = Tokenizer.train(["l i g h t"] * 50, 10)
    config = TransformerConfig(
        src_vocab_size=tokenizer.vocab_size,
        tgt_vocab_size=tokenizer.vocab_size,
        d_model=64,
        d_ff=64,
        max_length=LENGTH,
    )
    torch.manual_seed(0)
    card = {"examples": [sentence[: LENGTH - 1]]}
    model = build_model(config)
    checkpoint.save(folder, checkpoint.Checkpoint(folder.name, model, tokenizer, card))
    trace = Translator.load(folder).trace(card["examples"][0])
    if len(trace.src) != LENGTH or len(trace.tgt_out) != LENGTH:
        raise RuntimeError(f"{len(trace.src)}+{len(trace.tgt_out)} tokens, not {LENGTH}")
    return json.dumps(trace.to_dict("float16"))
