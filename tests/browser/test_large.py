"""Models of many heads and texts of many tokens: all heads, a matrix that fits and zooms."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import Locator, Page, expect

import headlight
from tests.browser.conftest import Visitors
from tests.browser.helpers import labels, lit_rows, plot, tip

LAYERS, HEADS, LENGTH = 12, 9, 64
PREVIOUS, FIRST = (2, 4), (5, 0)
"""A head that looks at the token before, and one that rests on the first; the others are even."""

Weights = npt.NDArray[np.float32]


def made_up() -> Weights:
    even = np.tril(np.ones((LENGTH, LENGTH), np.float32))
    weights = np.broadcast_to(even, (LAYERS, HEADS, LENGTH, LENGTH)).copy()
    weights[PREVIOUS] += 2000 * np.eye(LENGTH, k=-1, dtype=np.float32)
    weights[FIRST][:, 0] += 500
    return weights / weights.sum(-1, keepdims=True)


@pytest.fixture(scope="module")
def weights() -> Weights:
    return made_up()


@pytest.fixture(scope="module")
def saved(weights: Weights, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "large.html"
    tokens = [f"▁word{number}" for number in range(LENGTH)]
    headlight.view(list(weights[:, None]), tokens, causal=True).save(path)
    return path


@pytest.fixture
def page(visitors: Visitors, saved: Path) -> Iterator[Page]:
    """The saved page, on which nothing may go wrong."""
    page = visitors.context(locale="en-US", offline=True).new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto(saved.as_uri())
    page.locator("[data-ready=painted]").wait_for()
    yield page
    page.close()
    assert not complaints


def matrix(page: Page) -> Locator:
    return page.get_by_role("figure", name="Decoder self-attention").get_by_role("img")


def overview(page: Page) -> Locator:
    """All heads, once each is measured."""
    page.get_by_role("button", name="All 108 heads").click()
    region = page.get_by_role("region", name="All 108 heads")
    expect(region.get_by_role("button", name="looks at the token before")).to_be_visible()
    return region


def test_that_all_heads_go_on_is_seen_at_the_edge(page: Page) -> None:
    page.set_viewport_size({"width": 375, "height": 800})
    groups = overview(page).locator(".head-groups")
    expect(groups).to_have_class(re.compile("goes-on"))
    groups.evaluate("(it) => it.scrollTo(it.scrollWidth, 0)")
    expect(groups).not_to_have_class(re.compile("goes-on"))


def test_all_heads_are_sorted_filtered_and_walked_by_key(page: Page) -> None:
    beside = page.get_by_role("grid", name="Layer 12", exact=True)
    expect(beside.get_by_role("gridcell")).to_have_count(HEADS)
    region = overview(page)
    grid = region.get_by_role("grid", name="All heads: Decoder self-attention")
    cells = grid.get_by_role("gridcell")
    expect(cells).to_have_count(LAYERS * HEADS)
    row = grid.get_by_role("row").nth(PREVIOUS[1]).get_by_role("gridcell").nth(PREVIOUS[0])
    expect(row).to_have_accessible_name(
        "Layer 3, head 5 · looks at the token before · sharpness: 0.98"
    )

    dimmed = grid.locator(".dimmed")
    region.get_by_role("button", name="looks at the token before").click()
    expect(dimmed).to_have_count(LAYERS * HEADS - 1)
    region.get_by_role("button", name="rests on the first token").click()
    expect(dimmed).to_have_count(LAYERS * HEADS - 2)

    region.get_by_role("button", name="By role").click()
    alone = region.get_by_role("grid", name="rests on the first token").get_by_role("gridcell")
    expect(alone).to_have_count(1)
    region.get_by_role("button", name="Sharpest first").click()
    expect(cells.first).to_have_accessible_name(re.compile("^Layer 3, head 5"))
    cells.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(matrix(page)).to_have_accessible_name("Decoder self-attention, Layer 6, head 1")
    expect(page.get_by_role("grid", name="Layer 6", exact=True)).to_be_visible()


def test_a_layer_is_read_in_one_click_and_its_head_in_another(page: Page) -> None:
    region = overview(page)
    region.get_by_role("button", name="Layer 3 at reading size").click()
    layer = page.get_by_role("region", name="Layer 3", exact=True)
    heads = layer.locator(".layer-head")
    expect(heads).to_have_count(HEADS)
    expect(heads.nth(4)).to_contain_text("L3H5 looks at the token before")
    widths = heads.locator("canvas").evaluate_all("all => all.map((it) => it.clientWidth)")
    assert min(widths) >= 200
    layer.get_by_role("button", name="The layer after").click()
    expect(page.get_by_role("region", name="Layer 4", exact=True)).to_be_visible()
    page.get_by_role("button", name="All heads", exact=True).click()
    region.get_by_role("button", name="Layer 3 at reading size").click()
    heads.nth(4).click()
    expect(matrix(page)).to_have_accessible_name("Decoder self-attention, Layer 3, head 5")


def choose(page: Page, head: tuple[int, int]) -> None:
    """Makes a head the large one."""
    region = overview(page)
    grid = region.get_by_role("grid", name="All heads: Decoder self-attention")
    grid.get_by_role("row").nth(head[1]).get_by_role("gridcell").nth(head[0]).click()


def boxes(labels: Locator, start: str, end: str) -> list[tuple[float, float]]:
    """Where those that are seen begin and end, in their order."""
    spans = labels.evaluate_all(
        """(all, sides) => all
            .filter((it) => getComputedStyle(it).visibility === "visible")
            .map((it) => sides.map((side) => it.getBoundingClientRect()[side]))""",
        [start, end],
    )
    return sorted(tuple(box) for box in spans)


def test_a_matrix_of_many_tokens_fits_and_zooms_around_the_row_at_hand(
    page: Page, weights: Weights
) -> None:
    choose(page, PREVIOUS)
    figure = page.get_by_role("figure", name="Decoder self-attention")
    around = plot(figure)
    fits = "it => it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight"
    assert around.evaluate(fits), "all of it is seen"
    for axis, sides in (("columns", ("left", "right")), ("rows.second", ("top", "bottom"))):
        spans = boxes(labels(figure, axis), *sides)
        assert len(spans) > 5
        assert all(one[1] <= other[0] + 1 for one, other in pairwise(spans))

    row = 40
    page.get_by_role("slider", name="Step").fill(str(row + 1))
    page.get_by_role("heading", name="Headlight").click()
    bar = figure.locator(".zoom-bar")
    expect(bar.get_by_role("button", name="Zoom out")).to_be_disabled()
    for _ in range(5):
        page.keyboard.press("+")
    seen = around.bounding_box()
    label = labels(figure, "rows:not(.second)", "current")
    expect(label).to_have_text("␣word40")
    now = label.bounding_box()
    assert seen is not None
    assert now is not None
    assert seen["y"] <= now["y"]
    assert now["y"] + now["height"] <= seen["y"] + seen["height"]
    # What is pointed at is the cell that is drawn there, however far the matrix is scrolled.
    canvas = matrix(page)
    drawn = canvas.evaluate("it => [it.offsetLeft, it.offsetTop, it.clientWidth]")
    assert min(drawn[:2]) > 0, "a part is drawn"
    cells = figure.get_by_role("application")
    side = cells.evaluate("it => it.clientWidth") / LENGTH
    height = cells.evaluate("it => it.clientHeight") / LENGTH
    key = row - 1
    canvas.hover(
        position={"x": (key + 0.5) * side - drawn[0], "y": (row + 0.5) * height - drawn[1]}
    )
    expect(tip(figure)).to_contain_text(f"reads ␣word{row}")
    expect(tip(figure)).to_contain_text(f"␣word{key}: {weights[PREVIOUS][row, key]:.3f}")
    bar.get_by_role("button", name="All").click()
    assert around.evaluate(fits)


def test_the_strongest_words_of_a_long_row_stay_in_sight(page: Page) -> None:
    choose(page, FIRST)
    page.get_by_role("slider", name="Step").fill("60")
    far = page.locator(".far li")
    expect(far).to_have_text(["␣word00.89"])
    box, row = far.bounding_box(), lit_rows(page).bounding_box()
    assert box is not None
    assert row is not None
    assert box["x"] == pytest.approx(row["x"], abs=1)
    first = page.get_by_role("listbox").get_by_role("option").first
    far.click()
    expect(far).to_have_count(0)
    expect(first).to_be_in_viewport()
