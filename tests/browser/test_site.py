"""The page without a server: from a folder, from one file, and without a network."""

import html
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.browser.conftest import EXAMPLES, SCHOOL
from tests.browser.helpers import translation
from tests.browser.site_server import COMPILED, hosted
from transformer import Translator
from transformer.site.contents import Contents
from transformer.site.folder import write_file, write_folder

SENTENCE = "He said, “Yes!” and left."
PATH = "school/headlight/"
# Waits for the service worker; `wait_for_function` looks again by what the site's policy forbids.
CONTROLLED = """async () => {
    const { serviceWorker } = navigator;
    const controlled = new Promise((done) => (serviceWorker.oncontrollerchange = done));
    if (!serviceWorker.controller) await controlled;
}"""
OpenSite = Callable[[str], Page]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, contents: Contents) -> Path:
    """What a school's server has: a site somewhere in it, and one as a file."""
    folder = tmp_path_factory.mktemp("school")
    write_folder(folder / PATH, contents)
    write_file(folder / "en-zh.html", contents)
    return folder


@pytest.fixture(scope="module")
def port(root: Path) -> Iterator[int]:
    with hosted(root) as host:
        yield host.port


@contextmanager
def opened(browser: Browser, address: str, expected: str = "") -> Iterator[Page]:
    """A page in which nothing goes wrong but what is expected, and that asks its folder alone."""
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
    page, complaints, asked = context.new_page(), list[str](), list[str]()

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.locator("[data-ready]").wait_for()
    yield page
    context.close()
    assert not [x for x in asked if not x.startswith((address, "data:", "blob:"))]
    assert {*complaints} <= {expected}


def translate(page: Page, sentence: str, asked: str = "Source sentence") -> None:
    box = page.get_by_role("textbox", name=asked)
    box.fill(sentence)
    box.press("Enter")


def expect_translation(page: Page, text: str) -> None:
    expect(translation(page).get_by_text(text, exact=True)).to_be_visible()


def test_a_folder_under_a_path_answers_what_nobody_asked_before(
    browser: Browser, port: int, translator: Translator
) -> None:
    with opened(browser, f"http://127.0.0.1:{port}/{PATH}") as page:
        translate(page, SENTENCE)
        expect_translation(page, translator.translate(SENTENCE))
        assert [engine.evaluate(COMPILED) for engine in page.workers] == [True]
        expect(page.get_by_role("status").filter(has_text="Fetching")).to_be_hidden()
        page.get_by_role("tab", name="Heads").click()
        panel = page.get_by_role("tabpanel")
        expect(panel.get_by_role("table").first).to_be_visible()
        # What is not computed here says what would, before anybody asks.
        elsewhere = panel.get_by_role("note").filter(has_text="make app sets it up")
        for tab, name in (
            *(("Heads", "Patching: one part"), ("Heads", "Induction: what came next")),
            ("Why this word", "Where did it learn this?"),
        ):
            page.get_by_role("tab", name=tab).click()
            heading = page.get_by_role("heading", name=name)
            lacking = panel.locator(".lacking").filter(has=heading).get_by_role("note")
            expect(lacking).to_have_count(1)
            expect(lacking.and_(elsewhere)).to_be_visible()
        others = elsewhere.count()
        panel.get_by_role("combobox", name="Reading").select_option("Gradients")
        expect(elsewhere).to_have_count(others + 1)
        page.get_by_role("tab", name="Attention").click()
        page.get_by_role("button", name="More: Cross-attention").click()
        npz = page.get_by_role("button", name="NPZ for NumPy: Headlight on a computer writes it")
        expect(npz).to_be_disabled()
        page.keyboard.press("Escape")
        page.get_by_role("tab", name="Training").click()
        page.get_by_role("button", name="Teach it").click()
        command = page.get_by_role("note").filter(has_text="python -m transformer teach")
        expect(command).to_contain_text("Teaching needs a machine")


def test_it_works_without_a_network_after_a_visit(
    browser: Browser, port: int, translator: Translator
) -> None:
    away = "Failed to load resource: net::ERR_FAILED"
    with opened(browser, f"http://127.0.0.1:{port}/{PATH}", expected=away) as page:
        page.evaluate("navigator.serviceWorker.ready")
        page.evaluate(CONTROLLED)
        translate(page, "Don't be late.")
        expect_translation(page, translator.translate("Don't be late."))
        page.context.set_offline(True)
        page.reload()
        page.locator("[data-ready]").wait_for()
        for sentence in (SENTENCE, EXAMPLES[-1]):  # whose answer lies in the folder, out of reach
            translate(page, sentence)
            expect_translation(page, translator.translate(sentence))


def test_a_plain_server_is_enough(browser: Browser, port: int, translator: Translator) -> None:
    with opened(browser, f"http://{SCHOOL}:{port}/{PATH}") as page:
        assert page.evaluate("[isSecureContext, crypto.subtle ?? null]") == [False, None]
        translate(page, SENTENCE)
        expect_translation(page, translator.translate(SENTENCE))


def test_one_file_lives(browser: Browser, root: Path, translator: Translator) -> None:
    with opened(browser, (root / "en-zh.html").as_uri()) as page:
        translate(page, SENTENCE)
        expect_translation(page, translator.translate(SENTENCE))
        assert [engine.evaluate(COMPILED) for engine in page.workers] == [True]
        page.get_by_role("button", name="More: Cross-attention").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="HTML page that replays it").click()
        replay = download.value.path().read_text(encoding="utf-8")
    assert "HEADLIGHT-" not in replay
    assert replay.count(f"<title>{html.escape(SENTENCE)} · Headlight</title>") == 1
    saved = root / "saved.html"
    saved.write_text(replay, encoding="utf-8")
    with opened(browser, saved.as_uri()) as page:
        expect_translation(page, translator.translate(SENTENCE))


def test_a_model_for_which_there_is_no_memory_may_be_tried_again(
    browser: Browser, port: int, translator: Translator
) -> None:
    context = browser.new_context(locale="en-US", service_workers="block")
    page = context.new_page()

    def starve(route: Route) -> None:
        """A Worker whose first large arrays there is no room for, in one piece or in many."""
        response = route.fetch()
        starved = """{ let room = 0; const Whole = Float32Array; const { Memory } = WebAssembly;
            WebAssembly.Memory = function (size) {
                if (!room) throw new RangeError("no memory");
                return new Memory(size);
            };
            globalThis.Float32Array = new Proxy(Whole, { construct(_, [size, ...place]) {
                if (size > 3000 && room++ < 1) throw new RangeError("no memory");
                return Reflect.construct(Whole, [size, ...place]);
            }}); }"""
        route.fulfill(response=response, body=starved + response.text())

    page.route("**/joined/engine.js", starve)
    page.goto(f"http://127.0.0.1:{port}/{PATH}")
    page.locator("[data-ready]").wait_for()
    translate(page, SENTENCE)
    message = page.get_by_role("status").filter(has_text="not enough memory for en-zh")
    message.get_by_role("button", name="Try again").click()
    expect(message).to_be_hidden()
    expect_translation(page, translator.translate(SENTENCE))
    context.close()


def test_a_model_that_cannot_be_had_is_told_and_tried_again(
    browser: Browser, port: int, root: Path, translator: Translator, poet: Translator
) -> None:
    [file] = (root / PATH / "models").glob("en-zh-*/model.safetensors.bin")
    content = file.read_bytes()
    context = browser.new_context(locale="en-US", service_workers="block")
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{port}/{PATH}")
    message = page.get_by_role("status").filter(has_text="of en-zh")
    again = message.get_by_role("button", name="Try again")
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    file.unlink()
    try:
        translate(page, SENTENCE)
        expect(message).to_contain_text("cannot be reached")
        assert len([url for url in fetched if url.endswith(file.name)]) == 1
        with page.expect_response(lambda response: response.url.endswith(file.name)):
            again.click()
        expect(message).to_contain_text("cannot be reached")
        # The others work.
        page.get_by_role("combobox", name="Model").select_option("Poet")
        translate(page, "早上好", "Prompt")
        expect_translation(page, poet.translate("早上好"))
        page.get_by_role("combobox", name="Model").select_option("English to Chinese")
        # What it says of the last time is no answer yet.
        with page.expect_response(lambda response: response.url.endswith(file.name)):
            translate(page, SENTENCE)
        expect(message).to_contain_text("cannot be reached")
        file.write_bytes(content[:-2] + b"\0\0")
        again.click()
        expect(message).to_contain_text("model.safetensors is cut short or changed")
        file.write_bytes(content)
        # The sentence asked before may have found it whole by now: the button is gone then.
        with suppress(PlaywrightTimeout):
            again.click(timeout=2_000)
        expect(message).to_be_hidden()
        # And what was refused is asked again.
        expect_translation(page, translator.translate(SENTENCE))
        expect(page.get_by_role("alert").filter(has_text="of en-zh")).to_have_count(0)
    finally:
        file.write_bytes(content)
        context.close()


def test_a_page_whose_files_do_not_come_says_so(browser: Browser, port: int, root: Path) -> None:
    [file] = (root / PATH).glob("*/site.json")
    away = file.rename(file.with_name("away.json"))
    try:
        context = browser.new_context(locale="fr-FR", service_workers="block")
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/{PATH}")
        expect(page.get_by_text("Un fichier de cette page est inaccessible")).to_be_visible()
        context.close()
    finally:
        away.rename(file)


def test_a_class_needs_a_server_and_the_site_shows_a_code_of_what_is_seen(
    browser: Browser, port: int
) -> None:
    with opened(browser, f"http://127.0.0.1:{port}/{PATH}") as page:
        page.get_by_role("button", name="Presenter", exact=True).click()
        page.get_by_role("button", name="Class", exact=True).click()
        dialog = page.get_by_role("dialog", name="Class")
        expect(dialog).to_contain_text("A class together needs a server; this page has none.")
        expect(dialog.get_by_role("img", name=re.compile(f"^QR code of .*{port}"))).to_be_visible()
