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
from transformer.trace.trace import AttentionTrace

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
WAY = 36
"""Presses in one direction: fewer than a trace of the server's has steps."""

# Chromium reports an event's time to its next paint (Event Timing, in steps of 8 ms) if it took
# 16 ms or more; a press it does not report counts as 16. Script time is from the first listener
# for the key to the last.
OBSERVE_KEYS = """
    window.presses = new Map();
    window.scripts = [];
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        // A report may come after the press before it was forgotten.
        if (window.presses.has(startTime)) window.presses.set(startTime, duration);
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
TIME_TRANSLATION = f"""async (button) => {{
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
# A hand lets go of the beam over each word, or the Delete key leaves each out: until what changed
# is said and painted.
TIME_REPLIES = f"""async ([list, reply, gap], how) => {{
    const times = [];
    const count = list.children.length;
    const at = (i) => {{
      const {{ left, width }} = list.children[i].getBoundingClientRect();
      return left + width / 2;
    }};
    const point = (type, clientX) => gap.dispatchEvent(
      new PointerEvent(type, {{ pointerId: 1, bubbles: true, clientX, button: 0 }}));
    gap.setPointerCapture = () => {{}};
    for (let i = 0; i < count - 1; i++) {{
      const change = new Promise((done) => {{
        const observer = new MutationObserver(() => {{
          observer.disconnect();
          done();
        }});
        observer.observe(reply, {{ childList: true, subtree: true, characterData: true }});
      }});
      if (how === "lead") {{
        point("pointerdown", 0);
        point("pointermove", at(i));
      }}
      const start = performance.now();
      if (how === "lead") point("pointerup", at(i));
      else {{
        const button = list.children[i].firstElementChild;
        button.dispatchEvent(new KeyboardEvent("keydown", {{ key: "Delete", bubbles: true }}));
      }}
      await change;
      await {AFTER_PAINT};
      times.push(performance.now() - start);
    }}
    return times;
}}"""
TIME_CLICKS = f"""async (heads) => {{
    const times = [], tiles = [...heads.querySelectorAll("[role=gridcell]")].slice(0, 40);
    for (const tile of [...tiles, ...tiles.toReversed()]) {{ // there and back, as with the steps
      const start = performance.now();
      tile.click();
      times.push(performance.now() - start);
      await {AFTER_PAINT};
    }}
    return times;
}}"""
TIME_DRAG = f"""async (slider) => {{
    const times = [];
    for (let at = 0; at <= slider.max; at++) {{
      slider.valueAsNumber = at;
      const start = performance.now();
      slider.dispatchEvent(new Event("input", {{ bubbles: true }}));
      times.push(performance.now() - start);
      await {AFTER_PAINT};
    }}
    return times;
}}"""
# The page itself with the first trace in it, and the viewer's modules, styles and texts, in KB: the
# rest is Gradio's.
OWN_TRANSFER = """() => {
    const files = performance.getEntriesByType("resource");
    return performance.getEntriesByType("navigation")
      .concat(files.filter(({ name }) => name.includes("/headlight/")))
      .reduce((sum, { transferSize }) => sum + transferSize, 0) / 1000;
}"""
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
            payload = json.dumps(large_trace(Path(folder, "large")).to_dict("float16"))
            yield Row("payload of 40+40 tokens, 6×8 heads", len(payload) / 1000, "KB", 700)
            with serve(Path(folder)) as server:
                yield from _gestures(_open(browser, server.url), "6×8×40×40", script=4, paint=24)
        # A saved trace is the same viewer, and its targets may be longer than the server's.
        with tempfile.TemporaryDirectory() as folder:
            for layers, heads, length in ((12, 12, 64), (6, 8, 128)):
                file = Path(folder, f"{length}.html")
                large_trace(Path(folder, str(length)), layers, heads, length).save(file)
                page = _open(browser, file.as_uri())
                page.wait_for_function("window.firstPicture")
                shape = f"{layers}×{heads}×{length}×{length}"
                picture = page.evaluate("window.firstPicture")
                yield Row(f"file to first picture, {shape}", picture, "ms", None)
                yield from _gestures(page, shape, script=16, paint=None)
        browser.close()


def _first_visit(browser: Browser, url: str) -> Iterator[Row]:
    page = _open(browser, url)
    page.wait_for_function("window.firstPicture")
    yield Row("page HTML to first picture", page.evaluate("window.firstPicture"), "ms", 1000)
    yield Row("our own transfer before it", page.evaluate(OWN_TRANSFER), "KB", 1000)
    times: list[float] = []
    for sentence in SENTENCES:
        page.get_by_role("textbox", name="Source sentence").fill(sentence)
        times.append(page.get_by_role("button", name="Translate").evaluate(TIME_TRANSLATION))
    yield Row("Translate to paint, ten words", median(times), "ms", 100, f"max {max(times):.0f}")
    yield from _replies(page)
    page.get_by_role("tab", name="Training").click()
    drag = page.get_by_role("slider", name="Training step").evaluate(TIME_DRAG)
    yield Row(
        "training drag, script, p95", quantiles(drag, n=20)[-1], "ms", 8, f"{len(drag)} moments"
    )


def _replies(page: Page) -> Iterator[Row]:
    """What is asked about one step: it, without each word; it, with the beam on each."""
    parts = [
        page.get_by_role("listbox", name="Source", exact=True),
        page.locator(".reply > .sentence"),
        page.locator(".gap"),
    ]
    handles = [part.element_handle() for part in parts]
    call = f"([list, reply, gap, how]) => ({TIME_REPLIES})([list, reply, gap], how)"
    for what, how in (("a word left out", "leave"), ("the beam led elsewhere", "lead")):
        times: list[float] = page.evaluate(call, [*handles, how])
        detail = f"median {median(times):.0f}, {len(times)} words"
        yield Row(f"{what}, to paint", max(times), "ms", 150, detail)


def _gestures(page: Page, shape: str, *, script: float, paint: float | None) -> Iterator[Row]:
    """What only looks: a step, a cell pointed at, another head; all panels with thumbnails."""
    status = page.get_by_role("status", name="Step status")
    status.wait_for()
    page.evaluate(f"() => {{ {OBSERVE_KEYS} }}")
    page.keyboard.press("Home")
    there_and_back = [*["ArrowRight"] * WAY, *["ArrowLeft"] * WAY]
    yield from presses(page, f"step, {shape}", there_and_back, script, paint)
    figure = page.get_by_role("figure", name="Cross-attention")
    figure.get_by_role("application").focus()
    around = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]
    yield from presses(page, f"hover, {shape}", around * (WAY // 2), script, paint)
    # All heads, or of many the layer at hand.
    times = figure.get_by_role("grid").evaluate(TIME_CLICKS)
    detail = f"median {median(times):.1f}"
    yield Row(f"head, {shape}, script, p95", quantiles(times, n=20)[-1], "ms", script, detail)


def presses(
    page: Page, what: str, keys: list[str], script: float, paint: float | None
) -> Iterator[Row]:
    """Script and key to paint of each key; `OBSERVE_KEYS` looks on.

    Args:
        page: the page.
        what: is pressed.
        keys: one after the other, each in a frame of its own.
        script: budget, ms.
        paint: budget, ms.
    """
    page.evaluate(AFTER_PAINT)
    page.evaluate("() => { window.scripts = []; window.presses = new Map(); }")
    for key in keys:
        page.keyboard.press(key)
        page.evaluate(AFTER_PAINT)
    page.evaluate(AFTER_PAINT)
    scripts = page.evaluate("window.scripts")
    paints = page.evaluate("[...window.presses.values()]")
    if not len(scripts) == len(paints) == len(keys):
        raise RuntimeError(f"{len(scripts)} scripts and {len(paints)} paints of {len(keys)} keys")
    for part, times, budget in (("script", scripts, script), ("key to paint", paints, paint)):
        p95 = quantiles(times, n=20)[-1]
        yield Row(f"{what}, {part}, p95", p95, "ms", budget, f"median {median(times):.1f}")


def _open(browser: Browser, url: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en")
    page.add_init_script(TIME_FIRST_PICTURE)
    page.goto(url)
    page.locator("figure canvas[aria-label]").first.wait_for()
    return page


def large_trace(
    folder: Path, layers: int = 6, heads: int = 8, length: int = LENGTH
) -> AttentionTrace:
    """Saves an untrained model, and returns a trace of it of `length` source and target tokens."""
    sentence = ("light" * length)[: length - 1]
    tokenizer = Tokenizer.train(["l i g h t"] * 50, 10)
    config = TransformerConfig(
        src_vocab_size=tokenizer.vocab_size,
        tgt_vocab_size=tokenizer.vocab_size,
        d_model=8 * heads,
        d_ff=64,
        num_heads=heads,
        num_encoder_layers=layers,
        num_decoder_layers=layers,
        max_length=length,
    )
    torch.manual_seed(0)
    card = {"examples": [sentence]}
    model = build_model(config)
    checkpoint.save(folder, checkpoint.Checkpoint(folder.name, model, tokenizer, card))
    trace = Translator.load(folder).trace(sentence, max_steps=length)
    if len(trace.src) != length or len(trace.tgt_out) != length:
        raise RuntimeError(f"{len(trace.src)}+{len(trace.tgt_out)} tokens, not {length}")
    return trace
