"""People who don't see the screen well, or at all, or who use no mouse, can use everything."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, languages
from tests.browser.helpers import change_theme, kinds, violations

ENOUGH = 200
"""More presses of the Tab key than there are stops."""


@pytest.mark.parametrize("locale", languages("en-US"))
def test_axe_finds_nothing_serious(open_page: Open, locale: str) -> None:
    page = open_page(locale=locale, reduced_motion="reduce")
    colors = locale == "en-US"  # another language has other names and the same colours
    assert violations(page, colors=colors) == []
    if colors:
        change_theme(page)
        assert violations(page) == []

    cross = page.locator("figure[data-kind=cross]")
    cross.get_by_role("gridcell").first.click(modifiers=["Shift"])
    assert violations(page, colors=colors) == []
    kinds(page).get_by_role("button").nth(2).click()
    page.get_by_role("figure").get_by_role("button").first.click()
    page.locator("[popover]:popover-open button").first.click()
    page.get_by_role("figure").get_by_role("button").first.click()
    page.locator("[popover]:popover-open button").nth(1).click()  # a table does not zoom
    expect(page.locator("#coloring")).to_be_visible()
    expect(page.get_by_role("table")).to_be_visible()
    assert violations(page, colors=colors) == []

    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("p")
    expect(page.get_by_role("figure")).to_have_count(1)
    assert violations(page, colors=colors) == []
    if colors:
        page.keyboard.press("p")
        change_theme(page)
        assert violations(page) == []
        page.keyboard.press("p")
        expect(page.get_by_role("figure")).to_have_count(1)
        assert violations(page) == []


def test_every_control_has_a_name_and_a_visible_focus(page: Page) -> None:
    page.locator("#model").focus()
    seen: list[str] = []
    for _ in range(ENOUGH):
        page.keyboard.press("Tab")
        name, ring = page.evaluate(
            """() => {
                const { activeElement: element } = document;
                if (element === document.body) return ["", false];
                const label = element.labels?.[0]?.textContent;
                const name = element.ariaLabel || label || element.textContent.trim();
                const { outlineStyle, boxShadow } = getComputedStyle(element);
                const ring = outlineStyle === "solid" || boxShadow.includes("0px 0px 0px 5px");
                return [name || `unnamed ${element.outerHTML}`, ring];
            }"""
        )
        if not name:
            break
        assert not name.startswith("unnamed"), name
        assert ring, name
        seen.append(name)
    else:
        pytest.fail(f"the Tab key is caught: {seen[-5:]}")
    for name in ("Presenter", "Dark theme", "Source sentence", "Step", "Lines"):
        assert name in seen
    for name in (
        "Change this head",
        "Cells of Layer 2, head 1: walk with the arrow keys",
        "Layer 2, head 1",
    ):
        assert seen.count(name) == 1, name


def test_nothing_moves_for_those_who_ask_for_it(open_page: Open) -> None:
    page = open_page(reduced_motion="reduce")
    moving = page.locator(".headlight *").evaluate_all(
        """elements => elements.filter((element) => {
            const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
            const still = transitionDuration.split(", ").every((time) => parseFloat(time) < 0.01);
            return animationName !== "none" || !still || scrollBehavior === "smooth";
        }).map((element) => element.className)"""
    )
    assert moving == []
