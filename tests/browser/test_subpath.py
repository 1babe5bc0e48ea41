"""The page under a path of a larger site, behind a proxy that cuts the path off."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ConsoleMessage, expect

from headlight.page import demo
from tests.browser.conftest import Visitors
from tests.browser.helpers import translate
from tests.page.proxies import cutting

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "root_path", ["", "/headlight"]
)  # the viewer's own files lie under that name
def test_the_page_works_under_a_path_whether_the_server_was_told_of_it_or_not(
    root_path: str, address: str, visitors: Visitors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo.app, "root_path", root_path)
    with cutting(urlsplit(address).port or 0, root_path or "/user/ann/proxy/7860") as url:
        page = visitors.context(locale="en-US").new_page()
        asked: list[str] = []
        wrong: list[str] = []

        def listen(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                wrong.append(f"{message.text} {message.location['url']}")

        page.on("request", lambda request: asked.append(request.url))
        page.on("console", listen)
        page.goto(url)
        page.locator("[data-ready]").wait_for()
        # Its texts and its answers came, and Gradio's own page starts after them.
        translate(page, "Good morning")
        expect(page.get_by_role("status", name="Step status")).to_contain_text("Step")
        page.wait_for_function("document.querySelector('.gradio-container .wrap, footer, main')")
        manifest = page.locator("link[rel=manifest]").evaluate("link => link.href")
        icon = page.locator("link[rel=icon]").evaluate("link => link.href")
        for linked in (manifest, icon):
            assert linked.startswith(url)
            assert page.request.get(linked).ok
        page.close()
    assert not wrong
    assert [each for each in asked if not each.startswith((url, "data:", "blob:"))] == []
