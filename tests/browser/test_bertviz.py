"""BertViz's views, drawn by BertViz in the page, without its CDN."""

from collections.abc import Callable

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.conftest import EXAMPLES, Open
from transformer import HeadlightError, Translator
from transformer.serving import models
from transformer.serving import service as server
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")

LAYERS, HEADS = 2, 4


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The views that the server has been asked to make."""
    views: list[str] = []
    make: Callable[..., str] = server.bertviz_html

    def record(trace: AttentionTrace, view: str, theme: str) -> str:
        views.append(f"{view} {theme}")
        return make(trace, view, theme)

    monkeypatch.setattr(server, "bertviz_html", record)
    return views


def open_tab(page: Page) -> FrameLocator:
    page.get_by_role("button", name="Lines", exact=True).click()
    page.get_by_role("button", name="The same in BertViz").click()
    return page.frame_locator("iframe[title=BertViz]")


def test_head_view_draws_a_line_for_each_weight_of_a_layer(
    page: Page, trace: AttentionTrace
) -> None:
    page.get_by_role("button", name="Encoder self-attention", exact=True).click()
    figure = page.get_by_role("figure", name="Encoder self-attention", exact=True)
    figure.get_by_role("gridcell", name="Layer 1, head 2", exact=True).click()
    frame = open_tab(page)
    # It opens where the page is.
    expect(frame.locator("#filter")).to_have_value("0")
    expect(frame.locator("#attention line")).to_have_count(HEADS * len(trace.src) ** 2)
    expect(frame.locator("#layer")).to_have_value("1")
    for side in ("left", "right"):
        expect(frame.locator(f"#{side} text")).to_have_text([*trace.src])
    opacities = frame.locator("#attention line").evaluate_all(
        "lines => lines.map((line) => Number(line.getAttribute('stroke-opacity')))"
    )
    assert trace.encoder_self is not None
    # All heads are on, and share the opacity.
    assert opacities == pytest.approx(trace.encoder_self[0].ravel() / HEADS, abs=3e-4)

    frame.locator("#filter").select_option("Cross")
    expect(frame.locator("#left text")).to_have_text([*trace.tgt_in])
    lines = HEADS * len(trace.src) * len(trace.tgt_in)
    expect(frame.locator("#attention line")).to_have_count(lines)
    # It follows the page, and not the other way.
    page.get_by_role("button", name="Decoder self-attention", exact=True).click()
    page.locator("iframe[title=BertViz]").scroll_into_view_if_needed()
    expect(frame.locator("#filter")).to_have_value("1")
    expect(frame.locator("#layer")).to_have_value("2")
    expect(frame.locator("#right text")).to_have_text([*trace.tgt_in])


@pytest.mark.slow
def test_model_view_draws_all_heads(page: Page, trace: AttentionTrace) -> None:
    frame = open_tab(page)
    page.get_by_role("button", name="Model view").click()
    expect(frame.locator(".attn_background")).to_have_count(LAYERS * HEADS)
    lines = LAYERS * HEADS * len(trace.src) * len(trace.tgt_in)
    expect(frame.locator("#vis line")).to_have_count(lines)
    expect(page.get_by_role("button", name="Model view")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Head view")).to_have_attribute("aria-pressed", "false")
    # The frame is as large as what is in it.
    shown = page.locator("iframe[title=BertViz]")
    for side in ("Height", "Width"):
        inside = frame.locator("body").evaluate(f"body => body.offset{side}")
        expect(shown).to_have_css(side.lower(), f"{inside + 16}px")
        assert frame.locator("html").evaluate(f"e => e.scroll{side} - e.client{side}") == 0
    expect(frame.locator("#vis svg")).to_have_css("width", "970px")
    page.get_by_role("button", name="Head view").click()
    expect(frame.locator("#vis svg")).to_have_css("width", "335px")
    expect(shown).to_have_css("width", "351px")


def test_the_server_is_asked_only_when_the_tab_is_seen(page: Page, asked: list[str]) -> None:
    page.get_by_role("button", name="Lines", exact=True).click()
    expect(page.get_by_role("button", name="The same in BertViz")).to_be_visible()
    page.get_by_role("button", name="Dark theme").click()
    assert not asked
    frame = open_tab(page)
    expect(frame.locator("#attention")).to_be_attached()
    assert asked == ["head dark"]
    expect(frame.locator("body")).to_have_css("background-color", "rgb(17, 20, 29)")
    expect(frame.locator("#left text").first).to_have_css("fill", "rgb(236, 238, 244)")

    page.get_by_role("button", name="Back to the lines").click()
    page.get_by_role("button", name="Light theme").click()
    expect(page.locator("[data-theme]")).to_have_attribute("data-theme", "light")
    assert asked == ["head dark"]
    open_tab(page)
    expect(frame.locator("body")).to_have_css("background-color", "rgb(252, 251, 248)")
    assert asked == ["head dark", "head light"]


def test_the_frame_can_reach_nothing_around_it(page: Page) -> None:
    frame = open_tab(page)
    expect(frame.locator("#attention")).to_be_attached()
    assert page.locator("iframe[title=BertViz]").get_attribute("sandbox") == "allow-scripts"
    assert frame.locator("html").evaluate("() => window.origin") == "null"


def test_without_its_files_there_is_no_tab(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "bertviz_installed", lambda: False)
    page = open_page(query="?tab=bertviz")
    page.get_by_role("button", name="Lines", exact=True).click()
    expect(page.get_by_role("slider", name="Smallest weight drawn")).to_be_visible()
    expect(page.get_by_role("button", name="The same in BertViz")).to_have_count(0)
    expect(page.get_by_text("this page has no such thing: tab")).to_be_visible()


def test_a_refusal_is_a_sentence(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise HeadlightError("bertviz_missing", "", command="pip install --no-deps bertviz")

    monkeypatch.setattr(server, "bertviz_html", refuse)
    open_tab(page)
    sentence = "BertViz is not installed on this server. To add it, run there: pip install"
    expect(page.get_by_role("alert").filter(has_text=sentence)).to_be_visible()
    expect(page.locator("iframe[title=BertViz]")).to_be_hidden()
