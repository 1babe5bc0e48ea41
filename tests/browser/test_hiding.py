"""Hiding what comes after the current step, and what is still shown after an error."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, Open, Words
from tests.browser.helpers import REQUEST, cell, kinds, leave_box, translation
from transformer import Translator

pytestmark = pytest.mark.usefixtures("without_gradio")


def visible_labels(page: Page, selector: str) -> list[str]:
    """What of these is not hidden, but perhaps left out where there is no room for it."""
    return page.locator(selector).evaluate_all(
        """(labels) => labels
            .filter((label) => getComputedStyle(label).visibility === "visible"
                || !label.matches(".ahead, .later"))
            .map((label) => label.textContent)"""
    )


def test_what_comes_next_is_hidden_everywhere(
    open_page: Open, assets: Path, translator: Translator
) -> None:
    trace = translator.trace(EXAMPLES[0])
    page, t = open_page(query="?step=3", locale="zh-CN"), Words(assets, "zh")
    output = translation(page)
    expect(output).to_have_text(trace.translation)
    hide = page.get_by_role("checkbox", name=t("hide_next"), exact=True)
    hide.check()

    assert output.inner_text() != trace.translation
    expect(output).to_have_text(
        " …".join(["".join(trace.tgt_out[:3]).replace("␣", " ").strip(), ""])
    )
    kinds(page).get_by_role("button").nth(2).click()
    panel = "[data-kind=decoder_self]"
    assert visible_labels(page, f"{panel} .rows:not(.second) .label") == list(trace.tgt_in[:3])
    assert visible_labels(page, f"{panel} .rows.second .label") == list(trace.tgt_out[:3])
    assert visible_labels(page, f"{panel} .columns .label") == list(trace.tgt_in[:3])
    kinds(page).get_by_role("button").nth(1).click()
    assert visible_labels(page, "[data-kind=encoder_self] .rows .label") == list(trace.src)
    kinds(page).get_by_role("button").nth(2).click()
    assert visible_labels(page, ".target-row li > span") == ["<s>", *trace.tgt_out[:3]]

    page.keyboard.press("ArrowRight")
    assert visible_labels(page, f"{panel} .columns .label") == list(trace.tgt_in[:4])
    page.keyboard.press("h")
    expect(hide).not_to_be_checked()
    expect(output).to_have_text(trace.translation)
    assert len(visible_labels(page, f"{panel} .columns .label")) > 4


def test_a_link_keeps_it_hidden(open_page: Open) -> None:
    page = open_page(query="?step=2&next=hidden")
    expect(page.get_by_role("checkbox", name="Hide what comes next")).to_be_checked()


def test_the_arithmetic_of_a_later_step_is_hidden_or_says_so(
    page: Page, assets: Path, translator: Translator
) -> None:
    t, trace = Words(assets, "en"), translator.trace(EXAMPLES[0])
    leave_box(page)
    page.keyboard.press("Home")
    matrix = page.locator("[data-kind=cross] canvas").first
    x, y = cell(matrix, len(trace.tgt_in), len(trace.src), 3, 0)
    matrix.click(position={"x": x, "y": y})
    note = page.get_by_text(t("worked_out.finished"))
    expect(note).to_be_visible()
    page.keyboard.press("h")
    expect(page.get_by_text(t("worked_out.hidden"))).to_be_visible()
    expect(note).to_be_hidden()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name=t("worked_out.frame.score"))).to_be_visible()
    expect(note).to_be_hidden()


def test_after_an_error_the_last_answer_is_named_and_dimmed(
    open_page: Open, assets: Path, complaints: list[str]
) -> None:
    page, t = open_page(), Words(assets, "en")
    note = page.get_by_text(t("stale", source=EXAMPLES[0]), exact=True)
    expect(note).to_be_hidden()
    page.route(REQUEST, lambda route: route.abort())
    box = page.get_by_role("textbox", name=t("source.label"))
    box.fill("Another one.")
    box.press("Enter")
    expect(note).to_be_visible()
    assert float(page.get_by_role("main").evaluate("(it) => getComputedStyle(it).opacity")) < 1
    page.unroute(REQUEST)
    box.press("Enter")
    expect(note).to_be_hidden()
    assert page.get_by_role("main").evaluate("(it) => getComputedStyle(it).opacity") == "1"
    complaints.clear()  # the browser says that a request failed
