"""The page without a server, in headless Chromium; and its engine beside PyTorch, in Node.js."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from scripts.browser import find_chromium
from transformer.show.viewer import script
from transformer.site.contents import contents_of
from transformer.site.folder import write_folder

from . import beside_python
from .inside import SOURCE
from .page import OBSERVE_KEYS
from .row import Row

MODELS = ["en-zh", "reverse"]
VISITS, TRACES, SWEEPS, THERE_AND_BACK = 5, 15, 5, 60
WORD = "Transformer"
PHONE = 6
"""How much slower a phone's CPU is taken to be."""

# A Worker of the page's own, so that nothing but computing is timed. A blank at the end makes the
# same tokens another question: nothing is answered from memory.
START = """async (models) => {
    const site = await (await fetch(new URL("site.json", window.base))).json();
    const worker = new Worker(new URL(site.engine, window.base));
    const waiting = new Map();
    const brought = new Map();
    for (const model of models) {
        const { checkpoint, files } = site.models[model];
        brought.set(model, { model, checkpoint, files: await Promise.all(files.map(async (file) => {
            const response = await fetch(new URL(file.path, window.base));
            return { ...file, bytes: new Uint8Array(await response.arrayBuffer()) };
        })) });
    }
    worker.onmessage = ({ data }) => {
        if (data.needs) worker.postMessage(brought.get(data.needs));
        waiting.get(data.id)?.(data.answer);
    };
    let id = 0;
    window.ask = (request) => new Promise((resolve) => {
        waiting.set(++id, resolve);
        worker.postMessage({ id, request });
    });
    window.timed = async (request) => {
        const start = performance.now();
        const answer = await window.ask(request);
        if (answer.error) throw new Error(answer.error.code);
        return performance.now() - start;
    };
    await window.ask({ ask: "trace" }); // the script is there
    return window.timed({ ask: "ready", model: models[0] });
}"""
MANY = """async ([request, times]) => {
    const durations = [];
    for (let i = 0; i < times; i++) {
        durations.push(await window.timed({ ...request, source: request.source + " ".repeat(i) }));
    }
    return durations;
}"""
# Of the page's own Worker, which knows when a key is pressed.
OVERHEAR = """{
    const Own = Worker;
    window.Worker = class extends Own {
        constructor(address) {
            super(address);
            window.engine = this;
        }
    };
}"""
BUSY = """async ([request, times]) => {
    window.left = times;
    window.engine.addEventListener("message", ({ data }) => {
        if (data.id >= 1e6) window.left--;
    });
    for (let i = 0; i < times; i++) {
        const source = request.source + " ".repeat(i + 2);
        window.engine.postMessage({ id: 1e6 + i, request: { ...request, source } });
    }
}"""
# In the page's own thread, which is the one that can be slowed down.
HERE = """async ([scripts, model, source, times]) => {
    const parts = await Promise.all(scripts.map((text) =>
        import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })))));
    const { load, Translator } = Object.assign({}, ...parts);
    const site = await (await fetch(new URL("site.json", window.base))).json();
    const files = new Map(await Promise.all(site.models[model].files.map(async ({ name, path }) => {
        const response = await fetch(new URL(path, window.base));
        return [name, new Uint8Array(await response.arrayBuffer())];
    })));
    const translator = new Translator(await load(model, files, ""));
    const durations = [];
    for (let i = 0; i < times; i++) {
        const start = performance.now();
        await translator.trace({ source });
        durations.push(performance.now() - start);
    }
    return durations;
}"""


def rows() -> Iterator[Row]:
    """Measures on this machine, page and server on the same cores."""
    with TemporaryDirectory() as folder:
        site = Path(folder, "site")
        write_folder(site, contents_of(MODELS))
        yield from _in_the_browser(site)
    yield from beside_python.rows()


def _in_the_browser(site: Path) -> Iterator[Row]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        with _served(site) as address:
            yield from _visits(browser, address, site)
            yield from _computing(browser, address)
        browser.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def _served(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=site)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def _opened(browser: Browser, address: str, **options: Any) -> Page:
    page = browser.new_context(viewport={"width": 1366, "height": 768}, **options).new_page()
    page.add_init_script(OVERHEAR)
    page.goto(address)
    page.locator("[data-ready=painted]").wait_for()
    page.evaluate("window.base = document.querySelector('script[src]').src.replace(/joined.*/, '')")
    return page


def _visits(browser: Browser, address: str, site: Path) -> Iterator[Row]:
    seconds: list[float] = []
    size = 0
    for _ in range(VISITS):
        page = _opened(browser, address)
        seconds.append(page.evaluate("performance.now()") / 1000)
        urls: list[str] = page.evaluate(
            "performance.getEntriesByType('resource').map((r) => r.name)"
        )
        paths = {"index.html", *(urlsplit(url).path.lstrip("/") for url in urls)}
        size = sum(len(gzip.compress((site / path).read_bytes())) for path in paths if path)
        page.context.close()
    yield Row("static page to first picture", median(seconds), "s", 1.0)
    yield Row("our bytes before it, gzipped", size / 1000, "KB", 300)


def _computing(browser: Browser, address: str) -> Iterator[Row]:
    page = _opened(browser, address)
    page.evaluate("window.base = document.querySelector('script[src]').src.replace(/joined.*/, '')")
    yield Row(
        "en-zh's weights there → able to answer", page.evaluate(START, MODELS) / 1000, "s", 0.4
    )
    request = {"ask": "trace", "model": "en-zh", "source": SOURCE}
    trace = median(page.evaluate(MANY, [request, TRACES])[3:])
    yield Row("trace of ten words, en-zh, in the browser", trace, "ms", 16)
    toy = {"ask": "trace", "model": "reverse", "source": WORD}
    reversing = median(page.evaluate(MANY, [toy, TRACES])[3:])
    yield Row("trace of a word, reverse, in the browser", reversing, "ms", 2)
    for what, name, options, budget in (
        ("sweep of one kind", "sweep", {"kinds": ["cross"]}, 6),
        ("leave-one-out", "leave_one_out", {}, 3),
    ):
        inside = {**request, "ask": "inside", "name": name, "options": options}
        ms = min(page.evaluate(MANY, [inside, SWEEPS])) - trace
        yield Row(f"{what}, in the browser", ms / trace, "traces", budget, f"{ms:.0f} ms")
    page.context.close()
    yield _keys(browser, address)
    yield _on_a_phone(browser, address)
    yield _memory(browser, address)


def _translated(browser: Browser, address: str) -> Page:
    """A page on which a person has had a sentence translated."""
    page = _opened(browser, address)
    box = page.get_by_role("textbox", name="Source sentence")
    box.fill(SOURCE + " ")
    box.press("Enter")
    page.get_by_role("button", name="Translate", exact=True).wait_for()  # again, once it is done
    page.wait_for_timeout(2_000)
    return page


def _memory(browser: Browser, address: str) -> Row:
    """What the page's process has for itself."""
    page = _translated(browser, address)
    info = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
    sizes: list[float] = []
    for process in info["processInfo"]:
        status = Path(f"/proc/{process['id']}/status")
        if process["type"] == "renderer" and status.exists():
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
            sizes.append(int(fields["RssAnon"].split()[0]) / 1000)
    page.context.close()
    return Row("memory of the page with en-zh", max(sizes), "MB", 180, "its process's own")


def _keys(browser: Browser, address: str) -> Row:
    """Steps there and back, while the Worker is busy."""
    page = _translated(browser, address)
    page.evaluate(OBSERVE_KEYS)
    page.evaluate(BUSY, [{"ask": "trace", "model": "en-zh", "source": SOURCE}, 2 * THERE_AND_BACK])
    page.locator("body").click(position={"x": 2, "y": 2})
    for _ in range(THERE_AND_BACK):
        for key in ("ArrowRight", "ArrowLeft"):
            page.keyboard.press(key)
            page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    page.wait_for_timeout(300)
    presses: list[float] = page.evaluate("[...window.presses.values()]")
    assert page.evaluate("window.left"), "it was no longer computing"
    page.context.close()
    late = quantiles(presses, n=20)[-1]
    return Row("a step's key to paint while a trace is computed", late, "ms", 24, "p95")


def _on_a_phone(browser: Browser, address: str) -> Row:
    page = _opened(browser, address, bypass_csp=True)
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": PHONE})
    scripts = [script("engine/checkpoint/folder.js"), script("engine/translator.js")]
    times: list[float] = page.evaluate(HERE, [scripts, "en-zh", SOURCE, 8])
    page.context.close()
    slowed = f"throttled {PHONE} ×"
    return Row("trace of ten words on a phone's CPU", median(times[2:]), "ms", 120, slowed)
