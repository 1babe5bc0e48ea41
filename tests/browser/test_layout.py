"""Nothing overflows, overlaps or is cut, from a phone to a projector, in both languages."""

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


FAULTS = """root => {
    const visible = (element) => element.checkVisibility({ visibilityProperty: true });
    const describe = (element) =>
        `${element.tagName}.${element.className} “${element.textContent.slice(0, 30)}”`;
    const ELIDED = ".label, .name, .spoken"; // the whole text is in their title, or is only heard
    const faults = [];
    for (const parent of [root, ...root.querySelectorAll("*:not(svg *)")]) {
        if (!visible(parent) || parent.closest(ELIDED)) continue;
        const style = getComputedStyle(parent);
        const text = [...parent.childNodes].some((node) =>
            node.nodeType === Node.TEXT_NODE && node.data.trim());
        const scrolls = /auto|scroll/.test(style.overflowX) || style.display === "inline";
        if (text && !scrolls && parent.scrollWidth > parent.clientWidth + 1) {
            faults.push(`clipped: ${describe(parent)}`);
        }
        const flow = [...parent.children].filter((child) => {
            const { position, display } = getComputedStyle(child);
            return visible(child) && /static|relative/.test(position)
                && !/^inline$|contents/.test(display);
        });
        const boxes = flow.map((child) => child.getBoundingClientRect());
        for (const [i, one] of boxes.entries()) {
            for (const [j, other] of boxes.entries()) {
                const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
                const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
                if (i < j && across > 1 && down > 1) {
                    faults.push(`overlap: ${describe(flow[i])} and ${describe(flow[j])}`);
                }
            }
        }
    }
    return faults;
}"""


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_page_fits_its_window(open_page: Open, locale: str) -> None:
    page = open_page(locale=locale)
    root = page.locator(".headlight .page")
    for sentence in ("Good morning", LONG):
        show(page, sentence)
        for width in (375, 768, 1280, 1920):
            check_width(page, width)
            assert root.evaluate(FAULTS) == [], width
    page.locator("h1").click()
    page.keyboard.press("p")
    for width in (375, 768, 1280, 1920):
        check_width(page, width)
        assert root.evaluate(FAULTS) == [], f"presenter, {width}"
    page.keyboard.press("p")
    page.locator("figure[data-kind=cross] .tools button").first.click()
    page.locator("figure[data-kind=decoder_self] .heads button").first.click(modifiers=["Shift"])
    for width in (375, 768, 1280, 1920):
        check_width(page, width)
        assert root.evaluate(FAULTS) == [], f"table and pins, {width}"


def check_width(page: Page, width: int) -> None:
    """Nothing makes the window scroll sideways; the matrices follow its width a frame later."""
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_function("width => document.documentElement.scrollWidth === width", arg=width)


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
