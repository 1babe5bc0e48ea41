"""Nothing overflows, overlaps or is cut, from a phone to a projector, in both languages."""

from itertools import product

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open

LONG = "She reads a book every evening. Where is it?"

OVERLAPS = """axis => {
    const boxes = [...axis.children]
        .filter((label) => getComputedStyle(label).visibility === "visible")
        .map((label) => label.getBoundingClientRect());
    const [start, end] = axis.classList.contains("rows") ? ["top", "bottom"] : ["left", "right"];
    return boxes.slice(1).filter((box, i) => box[start] < boxes[i][end] - 0.5).length;
}"""


def show(page: Page, sentence: str) -> None:
    page.locator("#source").fill(sentence)
    page.keyboard.press("Enter")
    expect(page.locator(".primary")).to_have_attribute("aria-busy", "false")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_page_fits_its_window(open_page: Open, locale: str) -> None:
    page = open_page(locale=locale)
    for sentence, width in product(("Good morning", LONG), (375, 768, 1280, 1920)):
        show(page, sentence)
        page.set_viewport_size({"width": width, "height": 900})
        # The matrices follow the window's width a frame later.
        page.wait_for_function("width => document.documentElement.scrollWidth === width", arg=width)
        clipped = page.locator(".headlight :is(button, label, h1, h2, p, output)").evaluate_all(
            """elements => elements
                .filter((element) => element.scrollWidth > element.clientWidth + 1)
                .map((element) => element.textContent)"""
        )
        assert clipped == [], width


@pytest.mark.parametrize("width", [375, 1280])
def test_labels_never_overlap(open_page: Open, width: int) -> None:
    page = open_page(width)
    for sentence in (LONG, "车站在哪里？他说：“是的！”然后走了。"):
        show(page, sentence)
        axes = page.locator(".axis")
        assert axes.count() == 8
        slider = page.get_by_role("slider", name="Step")
        for step in ("1", "5", slider.get_attribute("max")):
            assert step
            slider.fill(step)
            assert axes.evaluate_all(f"axes => axes.map({OVERLAPS})") == [0] * 8


def test_the_steps_stay_in_view(open_page: Open) -> None:
    page = open_page(375)
    page.get_by_role("figure", name="Cross-attention").scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Next step")).to_be_in_viewport()


def test_an_elided_label_tells_the_whole_token_on_hover(open_page: Open) -> None:
    page = open_page(375)
    label = page.locator(".rows .label").first
    assert label.get_attribute("title") == label.text_content()


def test_the_matrix_has_the_screens_own_resolution(open_page: Open) -> None:
    page = open_page(device_scale_factor=2)
    width, shown = (
        page.get_by_role("figure", name="Cross-attention")
        .get_by_role("img")
        .evaluate("canvas => [canvas.width, canvas.getBoundingClientRect().width]")
    )
    assert width == pytest.approx(2 * shown, abs=1)


def test_every_control_can_be_reached_and_seen_by_keyboard(page: Page) -> None:
    page.locator("#model").focus()
    names = []
    for _ in range(90):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            """() => {
                const { activeElement: element } = document;
                const name = element.ariaLabel ?? element.textContent;
                return [name || element.id, getComputedStyle(element).outlineStyle];
            }"""
        )
        if not name:
            break
        assert outline == "solid", name
        names.append(name)
        if names.count("Layer 2, head 1") == 3:
            break
    else:
        pytest.fail(f"the Tab key never reached the heads of all three panels: {names}")
    assert {"English", "Dark theme", "source", "Translate", "First step", "Play", "Step"} <= {
        *names
    }
