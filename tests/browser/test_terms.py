"""Words that explain themselves: on hover, on focus and by a tap, in both languages."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Open, Words

pytestmark = pytest.mark.usefixtures("without_gradio")

TERMS = re.compile(r'"(\w+)"')


def terms(assets: Path) -> list[str]:
    module = (assets / "views" / "terms.js").read_text(encoding="utf-8")
    return TERMS.findall(module[module.index("TERMS") :])


def bubble(page: Page) -> Locator:
    return page.get_by_role("tooltip")


@pytest.mark.parametrize("locale", ["en-US", pytest.param("zh-CN", marks=pytest.mark.slow)])
def test_every_term_stands_on_the_page_and_has_its_sentence(
    open_page: Open, assets: Path, locale: str
) -> None:
    page, t = open_page(locale=locale), Words(assets, locale)
    page.locator("#tab-why").click()
    page.locator("#words-reading").select_option("attention")
    page.locator(".beside-rows").scroll_into_view_if_needed()
    for name in terms(assets):
        expect(page.locator(f"#term-{name}")).to_have_text(t(f"term.{name}"))
        # No token of this source is unknown, and it is read as it was typed (test_replay);
        # heads turn sharp in the Training tab (test_inside).
        if name not in ("unk", "read_as", "sharp"):
            assert page.locator(f"[data-term={name}]").count(), name


def test_a_term_explains_itself_to_the_pointer_and_escape_closes_it(
    page: Page, assets: Path
) -> None:
    t = Words(assets, "en")
    page.get_by_role("button", name="Decoding").click()
    page.get_by_role("button", name="Greedy", exact=True).hover()
    expect(bubble(page)).to_have_text(t("term.greedy"))
    page.keyboard.press("Escape")
    expect(bubble(page)).to_be_hidden()
    page.keyboard.press("Escape")
    page.get_by_role("term").filter(has_text="Cross-attention").hover()
    expect(bubble(page)).to_have_text(t("term.cross"))
    bubble(page).hover()  # it can be read and copied
    expect(bubble(page)).to_have_text(t("term.cross"))
    page.mouse.move(2, 2)
    expect(bubble(page)).to_be_hidden()


def test_the_tab_key_reaches_terms_and_a_screen_reader_is_told(page: Page, assets: Path) -> None:
    t = Words(assets, "en")
    end = page.get_by_role("listbox", name="Source").get_by_role("option", name="</s>")
    page.get_by_role("listbox", name="Source").get_by_role("option").first.focus()
    page.keyboard.press("End")  # the arrow keys walk the words
    expect(end).to_be_focused()
    expect(bubble(page)).to_have_text(t("term.eos"))
    expect(end).to_have_accessible_description(t("term.eos"))
    page.keyboard.press("Tab")
    expect(bubble(page).filter(has_text=t("term.eos"))).to_have_count(0)


def test_escape_closes_the_sentence_before_it_leaves_the_presenter(page: Page) -> None:
    page.keyboard.press("p")
    term = page.get_by_role("term").filter(visible=True).first
    term.hover()
    expect(bubble(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(bubble(page)).to_be_hidden()
    expect(page.get_by_role("navigation", name="Presenter")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("navigation", name="Presenter")).to_be_hidden()


def test_a_finger_opens_a_sentence_by_a_tap(open_page: Open, assets: Path) -> None:
    page, t = open_page(375, has_touch=True), Words(assets, "en")
    page.get_by_role("region", name="Legend").get_by_role("term").last.tap()
    expect(bubble(page)).to_have_text(t("term.masked"))
    box = bubble(page).bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 375
    page.get_by_role("heading", name="Headlight").tap()
    expect(bubble(page)).to_be_hidden()
