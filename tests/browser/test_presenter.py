"""The presenter: one panel, large, and keys that do the rest."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Words
from tests.browser.helpers import figure, kinds, leave_box, status, translation
from transformer.trace.kinds import KINDS


def test_a_clicker_steps_in_the_presenter(page: Page) -> None:
    leave_box(page)
    page.keyboard.press("p")
    page.keyboard.press("Home")
    page.keyboard.press("PageDown")
    assert status(page).startswith("Step 2 of")
    page.keyboard.press("PageUp")
    assert status(page).startswith("Step 1 of")


def test_the_presenter_shows_the_translation_and_play_and_tells_a_finger_of_no_keys(
    open_page: Open, assets: Path
) -> None:
    page = open_page(1280, query="?presenter=on", has_touch=True, is_mobile=True)
    expect(page.get_by_role("heading", name="Translation")).to_be_visible()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    bar = page.get_by_role("navigation", name="Presenter")
    expect(bar.locator("kbd").first).to_be_hidden()
    expect(bar.get_by_text(Words(assets, "en")("presenter.keys"))).to_be_hidden()


def test_the_presenter_shows_one_panel_and_obeys_keys(page: Page) -> None:
    leave_box(page)
    page.keyboard.press("Home")
    page.get_by_role("button", name="Presenter").click()
    figures = page.get_by_role("figure")
    for key, kind in zip("231", KINDS, strict=True):  # cross-attention is the first
        page.keyboard.press(key)
        expect(figures).to_have_count(1)
        expect(figure(page, kind)).to_be_visible()
        tab = (
            page.get_by_role("navigation", name="Presenter").get_by_role("button").nth(int(key) - 1)
        )
        expect(tab).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("textbox", name="Source sentence")).to_be_hidden()
    # A class sees what comes of it, and a hand without keys can go on.
    expect(translation(page)).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.keyboard.press("ArrowRight")
    assert status(page).startswith("Step 2 of")
    expect(page.get_by_role("listbox", name="Source")).to_be_visible()
    matrix = figure(page).get_by_role("img")
    expect(matrix).to_have_accessible_name("Cross-attention, Layer 2, head 1")
    page.keyboard.press("ArrowDown")
    expect(matrix).to_have_accessible_name("Cross-attention, Layer 2, head 2")
    page.keyboard.press("ArrowUp")
    expect(matrix).to_have_accessible_name("Cross-attention, Layer 2, head 1")
    box = matrix.bounding_box()
    assert box
    assert box["y"] + box["height"] <= 900, "the matrix fits the window"

    full_screen = "document.fullscreenElement !== null"
    for expected in (True, False):
        page.keyboard.press("f")
        page.wait_for_function(f"expected => ({full_screen}) === expected", arg=expected)

    page.keyboard.press("f")
    page.wait_for_function(full_screen)
    page.keyboard.press("Escape")
    expect(kinds(page)).to_be_visible()
    page.wait_for_function(f"!({full_screen})")
    expect(page.get_by_role("button", name="Presenter")).to_be_focused()
    leave_box(page)
    page.keyboard.press("p")
    expect(kinds(page)).to_be_hidden()
    page.get_by_role("button", name="Leave the presenter").click()
    expect(kinds(page)).to_be_visible()
