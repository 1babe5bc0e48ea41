"""The real app, served from small untrained models, in a real browser."""

import json
import logging
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

from headlight.hosts import HOSTS
from headlight.page import demo, launch
from headlight.programs import service
from scripts.browser import find_chromium
from tests.tiny import SENTENCES, tiny_checkpoint
from transformer import Tokenizer, Translator, checkpoint
from transformer.site.contents import Contents, contents_of

LIMIT = 32
"""The longest source that the models here read, in tokens."""

SCHOOL = "school.test"
"""No name of this machine: what browsers keep for secure pages is missing there."""

MARKUP = ["<img src=x onerror=alert(1)>", "</s><s>", "${alert(1)}{{value}}"]
MEDIA = ("color_scheme", "reduced_motion")
TRAINING_TEXT = "lines.tsv"
"""What the translator's card names; no such file lies here, unless a test lays one there."""
EXAMPLES = ["I love you.", "Where is the station?"]
START: dict[str, Any] = {"source": EXAMPLES[1], "step": 3, "word": "is", "elsewhere": "station"}
"""The card of the first minute; an untrained model can be led anywhere."""


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """One that knows the characters of markup, so that markup comes back out of it."""
    # SentencePiece learns nothing from the special tokens that a sentence spells.
    return Tokenizer.train([*SENTENCES, *MARKUP, "and/or"], 140, character_coverage=1.0)


@pytest.fixture(scope="session")
def models(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a translator and a decoder-only model, and nothing else."""
    folder = tmp_path_factory.mktemp("checkpoints")
    english = tiny_checkpoint(tokenizer, "en-zh", max_length=LIMIT)
    english.card.update(
        title={"en": "English to Chinese", "zh": "英译汉"}, examples=EXAMPLES, start=START
    )
    english.card["training_text"] = {
        "files": [{"name": TRAINING_TEXT, "columns": [0, 1]}],
        "others": {"en": "68 pairs of elsewhere"},
    }
    poet = tiny_checkpoint(tokenizer, "poet", num_encoder_layers=0, max_length=LIMIT)
    poet.card.update(title={"en": "Poet", "zh": "诗人"}, examples=["我爱你。"])
    # Else the first trace would choose which heads the page opens on.
    last = {"head": "L2H1", "role": "unclear"}
    english.card["heads"] = {"encoder_self": last, "decoder_self": last, "cross": last}
    poet.card["heads"] = {"decoder_self": last}
    for each in (english, poet):
        checkpoint.save(folder / each.name, each)
    return folder


@pytest.fixture(scope="session")
def contents(models: Path) -> Contents:
    """A site of both, which whoever wants another version of changes a text of."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADLIGHT_CHECKPOINTS", str(models))
        return contents_of(["en-zh", "poet"])


@pytest.fixture(autouse=True)
def install(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a browser test serves; the tests elsewhere see the project's own models."""
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(models))


@pytest.fixture(scope="session")
def translator(models: Path) -> Translator:
    """The model that the page asks."""
    return Translator.load(models / "en-zh")


@pytest.fixture(scope="session")
def poet(models: Path) -> Translator:
    """The decoder-only model of the page."""
    return Translator.load(models / "poet")


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the page is served, to a school, too, as if by a proxy."""
    os.environ[HOSTS] = SCHOOL
    # Gradio looks for a port, too, but leaves a socket open at each that is busy.
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    _, url, _ = launch(server_port=port, prevent_thread_lock=True, quiet=True, inbrowser=False)
    # Every request would be a line of the report.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    yield url
    del os.environ[HOSTS]
    demo.close(verbose=False)
    service.close()  # what learns from noise would be in the middle of a step


class Visitors:
    """People with browsers of different kinds, whose caches stay warm from test to test."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser = browser
        self._address = address
        self._contexts: dict[str, BrowserContext] = {}

    def context(self, **options: Any) -> BrowserContext:
        key = repr(sorted(options.items()))
        if key not in self._contexts:
            context = self._contexts[key] = self._browser.new_context(**options)
            if not options.get("offline"):
                # Something small of the same site stays open, and with it the process that the
                # tests' pages share.
                context.new_page().goto(f"{self._address}manifest.json")
        return self._contexts[key]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=20_000)  # a busy machine is no failure
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(),
            args=[
                # To start a process for each page took as long as all else that opens it.
                "--process-per-site",
                f"--host-resolver-rules=MAP {SCHOOL} 127.0.0.1",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def visitors(browser: Browser, address: str) -> Visitors:
    return Visitors(browser, address)


Open = Callable[..., Page]


def languages(*needed: str) -> list[Any]:
    """The page's languages as parameters of a test; slow but for those that it needs.

    French is the longest; Chinese breaks its lines anywhere, and its letters are the widest.
    """
    slow = pytest.mark.slow
    every = ("en-US", "zh-CN", "fr-FR")
    return [pytest.param(each, marks=[] if each in needed else [slow]) for each in every]


@pytest.fixture
def complaints() -> list[str]:
    """What the browser's console said; a test that expects something of it takes it away."""
    return []


@pytest.fixture
def without_gradio() -> None:
    """For tests of what the viewer does: Gradio's own page, which comes after the first picture and
    draws nothing, is a quarter of what it takes to open one. How a page arrives, looks, fits and
    rests is tested with it.
    """


NO_GRADIO = """document.addEventListener(
    "DOMContentLoaded", () => document.querySelector("template#gradio")?.remove());"""


@pytest.fixture
def open_page(
    request: pytest.FixtureRequest, address: str, visitors: Visitors, complaints: list[str]
) -> Iterator[Open]:
    """Opens the page, and waits for its first picture.

    `query` is the address's, "?step=1" say; a `newcomer` is offered the first minute; other
    keyword arguments are those of Playwright's `new_context`. Whatever the test does, no request
    may leave for another host, and nothing may go wrong unheard in the browser's console.
    """
    pages: list[Page] = []
    foreign: list[str] = []

    def check_host(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            foreign.append(request.url)

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def open_page(
        width: int = 1280, query: str = "", newcomer: bool = False, **options: Any
    ) -> Page:
        # What a page can be told needs no browser of its own, whose cache would be cold.
        media = {name: options.pop(name) for name in MEDIA if name in options}
        page = visitors.context(**({"locale": "en-US"} | options)).new_page()
        pages.append(page)
        page.emulate_media(**media)
        page.set_viewport_size({"width": width, "height": 900})
        if not newcomer:
            # Not in a frame of the page's, which is sandboxed and has no storage.
            page.add_init_script("self === top && localStorage.setItem('headlight.greeted', 'yes')")
        if "without_gradio" in request.fixturenames:
            page.add_init_script(NO_GRADIO)
        page.on("request", check_host)
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address + query)
        page.locator("[data-ready]").wait_for()
        return page

    yield open_page
    for page in pages:
        page.evaluate("localStorage.clear()")
        page.close()
    assert not foreign
    assert not complaints


@pytest.fixture
def page(open_page: Open) -> Page:
    return open_page()


@pytest.fixture(scope="session")
def assets() -> Path:
    return Path(__file__).parents[2] / "assets"


class Words:
    """The page's texts in one language, by their keys."""

    def __init__(self, assets: Path, locale: str) -> None:
        file = assets / "locales" / f"{locale[:2]}.json"
        self._texts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))

    def __call__(self, key: str, **values: object) -> str:
        text = self._texts[key]
        return (text if isinstance(text, str) else text["other"]).format(**values)
