"""A panel of heads: pinned, pointed at, switched off."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, Open
from tests.browser.helpers import (
    cell,
    choose,
    figure,
    from_menu,
    leave_box,
    marked,
    settle,
    tip,
    titles,
)
from transformer import Translator
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def test_a_link_with_pins_opens_at_the_top(open_page: Open) -> None:
    page = open_page(query="?cross=L1H2-L2H1-L1H1")
    expect(figure(page).get_by_role("img")).to_have_count(3)
    assert page.evaluate("scrollY") == 0


def test_the_next_touch_ends_what_a_tap_pointed_at(open_page: Open) -> None:
    page = open_page(375, has_touch=True)
    page.locator("[data-kind=cross] canvas").first.tap()
    about = tip(figure(page))
    expect(about).to_be_visible()
    page.get_by_role("heading", name="Headlight").tap()
    expect(about).to_be_hidden()


def test_switching_a_head_off_and_on_again_takes_two_clicks_at_one_place(
    page: Page, translator: Translator
) -> None:
    power = page.locator(".panel:not([hidden]) .power")
    box = power.bounding_box()
    assert box
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    target = page.get_by_role("list", name="Target so far")
    for changes in (["cross.L2H1=zero"], []):
        page.mouse.click(*middle)
        expect(power).to_have_attribute("aria-pressed", str(bool(changes)).lower())
        trace = translator.trace(EXAMPLES[0], interventions=changes)
        expect(target).to_contain_text("".join(trace.tgt_out[:2]))
        settle(page)
        assert power.bounding_box() == box


def test_a_fifth_pinned_head_says_which_made_way(page: Page) -> None:
    panel = page.get_by_role("figure", name="Cross-attention", exact=True)
    for head in ("1, head 1", "1, head 2", "1, head 3", "1, head 4"):
        panel.get_by_role("gridcell", name=f"Layer {head}", exact=True).click(modifiers=["Shift"])
    panel.get_by_role("gridcell", name="Layer 2, head 4", exact=True).click(modifiers=["Shift"])
    expect(panel.get_by_role("status").filter(has_text="made way")).to_be_visible()


def test_a_head_that_is_off_does_not_look_switched_on(page: Page) -> None:
    power = page.locator(".panel:not([hidden]) .power")
    drawn = power.inner_html()
    power.click()
    expect(power).to_have_attribute("aria-pressed", "true")
    assert power.inner_html() != drawn
    looks = "(x) => [getComputedStyle(x).backgroundColor, getComputedStyle(x).color]"
    background, color = power.evaluate(looks)
    assert background == "rgba(0, 0, 0, 0)"
    assert color != page.locator(".fold").first.evaluate(looks)[1], "not the page's accent"


def test_up_to_four_heads_are_pinned_side_by_side(page: Page, trace: AttentionTrace) -> None:
    assert trace.cross is not None
    places = ("1, head 1", "1, head 2", "1, head 3", "2, head 1", "2, head 2")
    one, two, three, four, five = (f"Layer {place}" for place in places)
    choose(page, "cross", one)
    assert titles(page) == [one]
    choose(page, "cross", two, modifiers=["Shift"])
    assert titles(page) == [one, two]
    choose(page, "cross", three)
    assert titles(page) == [one, two, three]
    choose(page, "cross", four)
    assert titles(page) == [one, two, four], "what is not pinned gives way"
    page.keyboard.press("Shift+Enter")
    choose(page, "cross", three)
    assert titles(page) == [one, two, four, three]
    page.keyboard.press("Shift+Enter")
    choose(page, "cross", five, modifiers=["Shift"])
    assert titles(page) == [two, four, three, five], "the oldest lets go"

    # Each tells its own number of the cell pointed at; a step moves in each.
    images = figure(page).get_by_role("img")
    x, y = cell(images.first, len(trace.tgt_in), len(trace.src), 1, 1)
    images.first.hover(position={"x": x, "y": y})
    tips = tip(figure(page))
    for i, (layer, head) in enumerate(((0, 1), (1, 0), (0, 2), (1, 1))):
        shown = float(tips.nth(i).inner_text().rsplit(": ", 1)[-1])
        assert shown == pytest.approx(trace.cross[layer, head, 1, 1], abs=8e-4)
    leave_box(page)
    page.keyboard.press("Home")
    for image in images.all():
        row = image.evaluate("canvas => canvas.height") / len(trace.tgt_in)
        for side in ("left", "right"):
            framed = marked(image, "--now", side)
            assert [framed[0], framed[-1]] == pytest.approx([0, row], abs=3)

    figure(page).get_by_role("button", name="Unpin head L1H2").click()
    assert titles(page) == [four, three, five]
    for name in ("L2H1", "L2H2", "L1H3"):
        figure(page).get_by_role("button", name=f"Unpin head {name}").click()
    assert titles(page) == [three]
    from_menu(page, "Pin head L1H3")
    choose(page, "cross", one)
    assert titles(page) == [three, one]


def test_a_long_touch_pins(open_page: Open) -> None:
    page = open_page(375, has_touch=True)
    tile = figure(page).get_by_role("gridcell", name="Layer 1, head 2", exact=True)
    tile.dispatch_event("pointerdown", {"pointerType": "touch"})
    expect(figure(page).get_by_role("img")).to_have_count(2)
    tile.dispatch_event("pointerup", {"pointerType": "touch"})
    tile.click()  # the click that the browser makes of a touch
    expect(figure(page).get_by_role("img")).to_have_count(2)
