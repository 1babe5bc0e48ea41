"""What people stumbled over, one test each."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, Open, Words
from tests.browser.helpers import leave_box, settle, status
from transformer import Translator

PLACE = "(panel) => [panel.getBoundingClientRect().top + scrollY, panel.offsetHeight]"


def save_svg(page: Page, t: Words) -> str:
    kind = t("cross.title")
    page.get_by_role("button", name=t("save.panel", kind=kind), exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=t("save.svg"), exact=True).click()
    return download.value.path().read_text(encoding="utf-8")


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_a_box_that_is_checked_looks_checked(open_page: Open, color_scheme: str) -> None:
    page = open_page(color_scheme=color_scheme)
    page.get_by_role("button", name="Colour", exact=True).click()
    box = page.get_by_role("checkbox", name="Colour by rank in the row")
    looks = box.evaluate(
        """(box) => {
            const { appearance, accentColor } = getComputedStyle(box);
            return [appearance, accentColor];
        }"""
    )
    assert looks[0] == "auto", "the browser draws it, and no one else"
    assert looks[1] != "auto"


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("width", [375, 1280])
def test_colouring_by_rank_moves_nothing(
    open_page: Open, assets: Path, locale: str, width: int
) -> None:
    page, t = open_page(width, locale=locale), Words(assets, locale)
    panel = page.locator("[data-kind=cross] canvas").first
    expect(panel).to_be_visible()
    settle(page)
    before = panel.evaluate(PLACE)
    page.get_by_role("button", name=t("coloring"), exact=True).click()
    page.get_by_role("checkbox", name=t("coloring.rank")).check()
    expect(page.get_by_text(t("legend.least"), exact=True)).to_be_visible()
    settle(page)
    assert panel.evaluate(PLACE) == before


def test_a_clicker_steps_in_the_presenter(page: Page) -> None:
    leave_box(page)
    page.keyboard.press("p")
    page.keyboard.press("Home")
    page.keyboard.press("PageDown")
    assert status(page).startswith("Step 2 of")
    page.keyboard.press("PageUp")
    assert status(page).startswith("Step 1 of")


def test_a_link_with_pins_opens_at_the_top(open_page: Open) -> None:
    page = open_page(query="?cross=L1H2-L2H1-L1H1")
    expect(page.locator("[data-kind=cross] .matrix:visible")).to_have_count(3)
    assert page.evaluate("scrollY") == 0


def test_a_step_beyond_the_end_is_the_last_and_is_said(
    open_page: Open, assets: Path, translator: Translator
) -> None:
    count = len(translator.trace(EXAMPLES[0]).tgt_out)
    page, t = open_page(query="?step=999"), Words(assets, "en")
    assert status(page).startswith(f"Step {count} of {count}")
    said = page.get_by_text(t("step.beyond", asked=999, count=count).strip())
    expect(said).to_be_visible()
    leave_box(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    expect(said).to_be_hidden()


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_comparison_has_a_name_and_a_key(open_page: Open, assets: Path, locale: str) -> None:
    page, t = open_page(query="?step=1", locale=locale), Words(assets, locale)
    candidates = page.get_by_role("list", name=t("candidates"), exact=True)
    candidates.get_by_role("button", disabled=False).first.click()
    compare = page.get_by_role("list", name=t("branches"), exact=True).get_by_text(
        t("branches.compare_short"), exact=True
    )
    expect(compare).to_be_visible()
    key = page.get_by_text(t("branches.key"))
    expect(key).to_be_hidden()
    compare.click()
    expect(key).to_be_visible()


def test_a_saved_figure_is_titled_in_one_language(open_page: Open, assets: Path) -> None:
    page, t = open_page(locale="zh-CN"), Words(assets, "zh")
    drawing = save_svg(page, t)
    [title] = re.findall("<title[^>]*>([^<]+)", drawing)
    assert title.startswith(f"{t('cross.title')}，")
    assert "," not in title


def test_no_mark_of_a_space_leans_in_a_saved_figure(open_page: Open, assets: Path) -> None:
    page = open_page(query="?source=She+reads+a+book+every+evening.")
    drawing = save_svg(page, Words(assets, "en"))
    labels = re.findall(r"<text[^>]*rotate[^>]*>([^<]+)", drawing)
    assert not [label for label in labels if len(label) > 1 and label.startswith("␣")]


def test_the_next_touch_ends_what_a_tap_pointed_at(open_page: Open) -> None:
    page = open_page(375, has_touch=True)
    page.locator("[data-kind=cross] canvas").first.tap()
    tip = page.locator("[data-kind=cross] .tip")
    expect(tip).to_be_visible()
    page.get_by_role("heading", name="Headlight").tap()
    expect(tip).to_be_hidden()
