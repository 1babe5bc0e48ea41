"""The page arrives: the viewer before Gradio, and whole, or it says so and asks again."""

import asyncio
from collections.abc import Iterator
from queue import Queue
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from benchmarks.link import link
from tests.browser.conftest import Visitors

QUICK = 50_000_000
"""Bytes a second: as good as no link at all."""


@pytest.fixture
def cutting(address: str) -> Iterator[str]:
    """The page behind a link that loses the connection of a large file in its middle, once."""
    port = urlsplit(address).port
    assert port
    open_at: Queue[int] = Queue()
    ended = Event()

    async def run() -> None:
        async with link(port, QUICK, cut=80_000) as relay:
            open_at.put(relay.port)
            await asyncio.to_thread(ended.wait)

    running = Thread(target=asyncio.run, args=(run(),))  # this thread has a loop already
    running.start()
    yield f"http://127.0.0.1:{open_at.get()}/"
    ended.set()
    running.join()


@pytest.fixture
def cold(browser: Browser) -> Iterator[Page]:
    """A page whose browser has kept nothing."""
    context = browser.new_context(locale="zh-CN")
    yield context.new_page()
    context.close()


def test_a_page_that_does_not_come_whole_says_so_and_asks_again(cold: Page, cutting: str) -> None:
    cold.goto(cutting)
    notice = cold.get_by_role("alert").filter(has_text="did not arrive whole")
    expect(notice).to_contain_text("网页没有完整送达")
    expect(notice).to_contain_text("pas arrivée entière")
    cold.locator("[data-ready]").wait_for()
    expect(notice).to_have_count(0)
    expect(cold.get_by_role("button", name="翻译")).to_be_visible()


def test_texts_that_do_not_come_are_asked_for_again(cold: Page, address: str) -> None:
    cold.route("**/locales/zh.json", lambda route: route.abort("connectionreset"), times=1)
    cold.goto(address)
    expect(cold.get_by_role("alert")).to_contain_text("网页没有完整送达")
    cold.locator("[data-ready]").wait_for()
    expect(cold.get_by_role("button", name="翻译")).to_be_visible()


def test_gradio_comes_after_the_first_picture(visitors: Visitors, address: str) -> None:
    page = visitors.context(locale="en-US").new_page()
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(urlsplit(request.url).path)

    page.on("request", note)
    held: list[Route] = []
    page.route("**/first.json", lambda route: held.append(route))
    with page.expect_response("**/joined/start.js"):
        page.goto(address, wait_until="commit")
    # The viewer's script has run: it has asked for the texts, and waits for what it shows first.
    page.wait_for_function("document.title === 'Headlight' && document.readyState !== 'loading'")
    assert not [path for path in asked if path.startswith("/assets/")]
    for route in held:
        route.continue_()
    page.locator("[data-ready]").wait_for()
    expect(page.locator("gradio-app > *").first).to_be_attached()
    assert [path for path in asked if path.startswith("/assets/")]
    page.close()


def test_a_chinese_page_fetches_no_english_texts(cold: Page, address: str) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(urlsplit(request.url).path.rpartition("/")[2])

    cold.on("request", note)
    cold.goto(address)
    cold.locator("[data-ready]").wait_for()
    assert "zh.json" in asked
    assert "en.json" not in asked
    cold.get_by_label("语言").select_option("English")
    expect(cold.get_by_role("button", name="Translate")).to_be_visible()
