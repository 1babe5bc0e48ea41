"""How weights become colours, and what the choice leaves where it is."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, Open, Words
from tests.browser.helpers import (
    canvas_cells,
    cell,
    change_theme,
    choose,
    color_module,
    figure,
    from_menu,
    settle,
    tip,
)
from transformer import Translator
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")

PLACE = "(panel) => [panel.getBoundingClientRect().top + scrollY, panel.offsetHeight]"


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def test_a_box_that_is_checked_looks_checked(page: Page) -> None:
    for _ in ("light", "dark"):
        from_menu(page, "Colour")
        box = page.get_by_role("checkbox", name="Colour by rank in the row")
        looks = box.evaluate(
            """(box) => {
                const { appearance, accentColor } = getComputedStyle(box);
                return [appearance, accentColor];
            }"""
        )
        assert looks[0] == "auto", "the browser draws it, and no one else"
        assert looks[1] != "auto"
        page.keyboard.press("Escape")
        change_theme(page)


@pytest.mark.parametrize("locale", ["en-US", pytest.param("zh-CN", marks=pytest.mark.slow)])
def test_colouring_by_rank_moves_nothing(open_page: Open, assets: Path, locale: str) -> None:
    page, t = open_page(locale=locale), Words(assets, locale)
    panel = page.locator("[data-kind=cross] canvas").first
    for width in (375, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        expect(panel).to_be_visible()
        settle(page)
        before = panel.evaluate(PLACE)
        kind = t("cross.title")
        page.get_by_role("button", name=t("panel.menu", kind=kind), exact=True).click()
        page.get_by_role("button", name=t("coloring"), exact=True).click()
        page.get_by_role("checkbox", name=t("coloring.rank")).check()
        expect(page.get_by_text(t("legend.least"), exact=True)).to_be_visible()
        settle(page)
        assert panel.evaluate(PLACE) == before
        page.get_by_role("checkbox", name=t("coloring.rank")).uncheck()
        page.keyboard.press("Escape")


def test_the_colours_change_and_the_legend_with_them(page: Page, trace: AttentionTrace) -> None:
    assert trace.cross is not None
    choose(page, "cross", "Layer 1, head 2")
    head = trace.cross[0, 1]
    matrix = figure(page).get_by_role("img")
    from_menu(page, "Colour")
    settings = page.get_by_role("group", name="Colour")

    def check(look: str, shown: np.ndarray) -> None:
        scale = color_module(
            page, f"(color) => levels.map((i) => color.weightRgb(i / 255, 'light', {look}))"
        )
        colors = canvas_cells(matrix, *head.shape)
        for query, key in np.ndindex(*head.shape):
            levels = [i / 255 for i, color in enumerate(scale) if color == colors[query][key][0]]
            off = min(abs(level - shown[query, key]) for level in levels)
            assert off < 0.5 / 255 + 2e-3, (query, key)

    for name in ("Viridis", "Grey"):
        settings.get_by_role("combobox", name="Colour scale").select_option(name)
        plain_look = f"{{ scale: '{name.lower()}', gamma: 1, full: 1, rank: false }}"
        check(plain_look, head)
    settings.get_by_role("slider", name="Gamma").fill("0.5")
    check(plain_look, head**0.5)
    settings.get_by_role("slider", name="Full colour at").fill("0.5")
    check(plain_look, np.minimum(1, head / 0.5) ** 0.5)
    legend = page.get_by_role("region", name="Legend")
    expect(legend).to_contain_text("≥ 0.50")

    settings.get_by_role("checkbox", name="Colour by rank").check()
    ranks = np.array([[(row < value).sum() / (len(row) - 1) for value in row] for row in head])
    check(plain_look, ranks)
    expect(legend).to_contain_text("Rank")
    expect(settings.get_by_role("slider", name="Gamma")).to_be_disabled()

    # The number stays the weight, and the choice stays for the next visit.
    page.keyboard.press("Escape")
    x, y = cell(matrix, len(head), len(trace.src), 1, 2)
    matrix.hover(position={"x": x, "y": y})
    weight = float(tip(figure(page)).inner_text().rsplit(": ", 1)[1])
    assert weight == pytest.approx(head[1, 2], abs=8e-4)
    page.reload()
    expect(page.get_by_role("region", name="Legend")).to_contain_text("Rank")
    from_menu(page, "Colour")
    page.get_by_role("button", name="Reset").click()
    expect(page.get_by_role("region", name="Legend")).to_contain_text("Attention weight")
