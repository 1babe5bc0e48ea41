"""Reading the matrices closely: by key, by number, side by side, larger, in other colours."""

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, Open, Visitors
from tests.browser.helpers import (
    axes,
    canvas_cells,
    cell,
    choose,
    color_module,
    figure,
    from_menu,
    head_title,
    labels,
    leave_box,
    marked,
    plot,
    settle,
    show_kind,
    status,
    tip,
)
from transformer import Translator
from transformer.trace.head_names import Opening, RepresentativeHead
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def plain(token: str) -> str:
    return token.removeprefix("␣") or token


def test_arrow_keys_walk_the_cells_and_each_is_told(page: Page, trace: AttentionTrace) -> None:
    assert trace.cross is not None
    choose(page, "cross", "Layer 2, head 3")
    before = status(page)
    cells = figure(page).get_by_role("application", name="Cells of Layer 2, head 3")
    spoken = figure(page).locator("[aria-live=polite]")
    cells.focus()
    last = len(trace.tgt_in) - 1

    def expect_status(row: int = last, column: int = 0) -> None:
        assert trace.cross is not None
        weight = f"{trace.cross[1, 2, row, column]:.2f}"
        expect(spoken).to_have_text(
            f"reads {plain(trace.tgt_in[row])}, attends to {plain(trace.src[column])}, {weight}"
        )

    page.keyboard.press("Home")
    expect_status()
    end = len(trace.src) - 1
    for key, row, column in (
        *(("ArrowUp", last - 1, 0), ("ArrowRight", last - 1, 1), ("End", last - 1, end)),
        *(("ArrowLeft", last - 1, end - 1), ("ArrowDown", last, end - 1), ("Home", last, 0)),
    ):
        page.keyboard.press(key)
        expect_status(row, column)
        expect(tip(figure(page))).to_contain_text(trace.tgt_in[row])
    assert status(page) == before, "the arrows walk the cells, not the steps"
    assert "0px 0px 0px 5px" in cells.evaluate("cells => getComputedStyle(cells).boxShadow")

    page.keyboard.press("Escape")
    expect(cells).not_to_be_focused()
    expect(spoken).to_be_empty()
    page.keyboard.press("ArrowLeft")
    assert status(page) != before


def test_a_click_leaves_the_arrow_keys_to_the_steps(page: Page) -> None:
    page.get_by_role("textbox", name="Source sentence").focus()
    figure(page).get_by_role("img").click()
    before = status(page)
    page.keyboard.press("ArrowLeft")
    assert status(page) != before


def test_masked_and_future_cells_are_told_as_such(page: Page) -> None:
    show_kind(page, "decoder_self")
    cells = figure(page, "decoder_self").get_by_role("application")
    spoken = figure(page, "decoder_self").locator("[aria-live=polite]")
    page.get_by_role("slider", name="Step").fill("2")
    cells.focus()
    for key in ("ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(spoken).to_contain_text("masked")
    for key in ("Home", "ArrowDown"):
        page.keyboard.press(key)
    expect(spoken).to_contain_text("not decoded yet")


def test_a_source_token_is_spoken_in_chinese(open_page: Open) -> None:
    page = open_page(locale="zh-CN")
    panel = page.get_by_role("figure", name="交叉注意力")
    panel.get_by_role("application").focus()
    page.keyboard.press("Home")
    expect(panel.locator("[aria-live=polite]")).to_have_text(
        re.compile(r"读入 ?.+，关注 ?.+，\d\.\d\d$")
    )


def weight_text(weight: float) -> str:
    """Two digits; what is not masked is never 0."""
    return "<0.01" if weight < 0.005 else f"{weight:.2f}"


def test_the_table_holds_the_weights_of_the_shown_head(page: Page, trace: AttentionTrace) -> None:
    for kind in KINDS:
        check_table(page, trace, kind)


def check_table(page: Page, trace: AttentionTrace, kind: Kind) -> None:
    weights = trace.weights(kind)
    assert weights is not None
    choose(page, kind, "Layer 1, head 2")
    panel = figure(page, kind)
    from_menu(page, "Table", kind)
    expect(panel.get_by_role("img")).to_have_count(0)
    table = panel.get_by_role("table", name="Layer 1, head 2")
    keys = trace.tgt_in if kind == "decoder_self" else trace.src
    queries = trace.src if kind == "encoder_self" else trace.tgt_in
    names = ["token"] if kind == "encoder_self" else ["reads", "predicts"]
    expect(table.get_by_role("columnheader")).to_have_text([*names, *keys])
    rows = table.locator("tbody").get_by_role("row")
    expect(rows).to_have_count(len(queries))
    shown = rows.evaluate_all(
        """rows => rows.map((row) => ["th", "td"].map((name) =>
            [...row.querySelectorAll(name)].map((cell) => cell.innerText)))"""
    )
    masked = kind == "decoder_self"
    for query, token in enumerate(queries):
        headers, texts = shown[query]
        assert headers[0] == token
        assert texts == [
            "masked" if masked and key > query else weight_text(weights[0, 1, query, key])
            for key in range(len(keys))
        ]
    # What is not decoded yet is not told.
    page.get_by_role("slider", name="Step").fill("2")
    expect(rows).to_have_count(len(queries) if kind == "encoder_self" else 2)
    page.get_by_role("slider", name="Step").fill(str(len(trace.tgt_in)))
    from_menu(page, "Back to the picture", kind)
    expect(table).to_have_count(0)
    expect(panel.get_by_role("img")).to_be_visible()


def lit(page: Page, kind: Kind) -> tuple[list[str], list[str]]:
    """The labels lit along the rows' first axis and along the columns."""
    rows, columns = (
        labels(figure(page, kind), axis, "under").all_text_contents()
        for axis in ("rows:not(.second)", "columns")
    )
    return rows, columns


def test_the_crosshair_runs_along_row_and_column(page: Page, trace: AttentionTrace) -> None:
    matrix = figure(page).get_by_role("img")
    x, y = cell(matrix, len(trace.tgt_in), len(trace.src), 2, 1)
    matrix.hover(position={"x": x, "y": y})
    assert lit(page, "cross") == ([trace.tgt_in[2]], [trace.src[1]])
    column = matrix.evaluate("canvas => canvas.width") / len(trace.src)
    assert (
        marked(matrix, "--ink", "top")
        == marked(matrix, "--ink", "bottom")
        == pytest.approx([column, 2 * column - 1], abs=1)
    )


def aggregates(weights: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    yield "Layer 2, mean over heads", weights[1].mean(0)
    yield "Layer 1, maximum over heads", weights[0].max(0)
    yield "Mean over layers, head 3", weights[:, 2].mean(0)
    yield "Maximum over layers, head 1", weights[:, 0].max(0)
    yield "Mean over layers, mean over heads", weights.mean((0, 1))
    yield "Maximum over layers, mean over heads", weights.mean(1).max(0)


def test_means_and_maxima_are_tiles_like_heads(page: Page, trace: AttentionTrace) -> None:
    assert trace.cross is not None
    matrix = figure(page).get_by_role("img")
    scale = color_module(page, "(color) => levels.map((i) => color.weightRgb(i / 255, 'light'))")
    figure(page).get_by_role("button", name="mean · max").click()
    for name, values in aggregates(trace.cross):
        choose(page, "cross", name)
        expect(matrix).to_have_accessible_name(f"Cross-attention, {name}")
        message = figure(page).get_by_text("its rows need not sum to 1")
        expect(message).to_be_visible(visible="aximum" in name)
        colors = canvas_cells(matrix, *values.shape)
        for query, key in np.ndindex(*values.shape):
            shown = scale.index(colors[query][key][0]) / 255
            assert shown == pytest.approx(values[query, key], abs=0.5 / 255 + 5e-4), name
        queries, keys = values.shape
        x, y = cell(matrix, queries, keys, 1, 2)
        matrix.hover(position={"x": x, "y": y})
        message = float(tip(figure(page)).inner_text().rsplit(": ", 1)[1])
        assert message == pytest.approx(values[1, 2], abs=8e-4)


@pytest.mark.parametrize(("row", "says"), [("predicts", "to be written"), ("reads", "just read")])
def test_the_page_tells_why_it_opens_where_it_does(
    visitors: Visitors, trace: AttentionTrace, tmp_path: Path, row: str, says: str
) -> None:
    opening = Opening("L2.mean", row, 0.625, 0.3)
    heads = {"cross": RepresentativeHead("L2H1", "aligns", "predicts", opening)}
    dataclasses.replace(trace, heads=heads).save(tmp_path / "t.html")
    page = visitors.context(locale="en-US", offline=True).new_page()
    page.goto((tmp_path / "t.html").as_uri())
    message = (
        figure(page).get_by_role("term").filter(has_text=f"looks at the source of the word {says}")
    )
    message.hover()
    bubble = page.get_by_role("tooltip")
    expect(bubble).to_contain_text("63%")
    expect(bubble).to_contain_text("30%")
    expect(bubble).to_contain_text("nothing that the model computes")  # a mean over heads
    # The name that the eye is to take for the row's.
    marked = (
        figure(page)
        .locator(".rows .label.current")
        .evaluate_all(
            "labels => labels.map((label) => getComputedStyle(label).backgroundImage !== 'none'"
            " || getComputedStyle(label).backgroundColor !== 'rgba(0, 0, 0, 0)')"
        )
    )
    assert marked == [True, row == "predicts"]
    choose(page, "cross", "Layer 1, head 1")
    expect(message).to_be_hidden()
    page.close()


def test_what_was_measured_is_not_said_of_heads_that_are_off(
    visitors: Visitors, translator: Translator, tmp_path: Path
) -> None:
    trace = translator.trace(EXAMPLES[0], interventions=["cross.L2=zero"])
    opening = Opening("L2.mean", "predicts", 0.625, 0.3)
    heads = {"cross": RepresentativeHead("L2H1", "aligns", "predicts", opening)}
    dataclasses.replace(trace, heads=heads).save(tmp_path / "t.html")
    page = visitors.context(locale="en-US", offline=True).new_page()
    page.goto((tmp_path / "t.html").as_uri())
    title = head_title(figure(page)).first
    expect(title).to_contain_text("L2.mean")
    expect(title).not_to_contain_text("looks at")
    choose(page, "cross", "Layer 2, head 1")
    expect(title).to_contain_text("L2H1")
    expect(title).not_to_contain_text("aligns")
    page.close()


def test_zoom_makes_cells_larger_and_follows_the_step(open_page: Open) -> None:
    page = open_page(375)
    page.locator("#source").fill("She reads a book every evening. Go")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Translate")).to_have_attribute("aria-busy", "false")
    panel = figure(page)
    matrix = panel.get_by_role("img")
    menu = page.get_by_role("button", name="More: Cross-attention")
    menu.click()
    names = ("Zoom in", "Zoom out", "Fit to the panel")
    buttons = {name: page.get_by_role("button", name=name) for name in names}
    expect(buttons["Zoom out"]).to_be_disabled()
    expect(buttons["Fit to the panel"]).to_be_disabled()
    fit = width(matrix)
    buttons["Zoom in"].click()
    assert width(matrix) == pytest.approx(1.25 * fit, rel=0.02)
    while buttons["Zoom in"].is_enabled():
        buttons["Zoom in"].click()
    page.keyboard.press("Escape")
    page_width = page.evaluate("document.documentElement.scrollWidth")
    assert page_width == 375, "the matrix scrolls in its panel"

    leave_box(page)
    around = plot(panel)
    for key in ("Home", "End"):
        page.keyboard.press(key)
        framed = marked(matrix, "--now", "left")
        seen, cells, labels = (
            locator.evaluate(
                "e => [e.getBoundingClientRect().top, e.getBoundingClientRect().bottom]"
            )
            for locator in (around, matrix, axes(panel, "columns"))
        )
        assert labels[1] <= cells[0] + framed[0] + 1, "labels stay above the cells"
        assert cells[0] + framed[-1] <= seen[1] + 1, "the current row is in view"
    menu.click()
    buttons["Zoom out"].click()
    smaller = width(matrix)
    buttons["Fit to the panel"].click()
    assert fit == width(matrix) < smaller

    matrix.hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    assert width(matrix) > fit


def test_two_fingers_zoom_around_the_cell_between_them(open_page: Open) -> None:
    page = open_page(375, has_touch=True)
    page.locator("#source").fill("She reads a book every evening. Go")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Translate")).to_have_attribute("aria-busy", "false")
    matrix = figure(page).get_by_role("img")
    matrix.scroll_into_view_if_needed()
    box, before = matrix.bounding_box(), width(matrix)
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers = page.context.new_cdp_session(page)

    def touch(event: str, *offsets: int) -> None:
        points = [{"x": x + offset, "y": y, "id": i} for i, offset in enumerate(offsets)]
        fingers.send("Input.dispatchTouchEvent", {"type": event, "touchPoints": points})

    touch("touchStart", -20)
    touch("touchStart", -20, 20)
    touch("touchMove", -30, 30)
    touch("touchEnd")
    assert width(matrix) == pytest.approx(1.5 * before, rel=0.05)
    moved = matrix.bounding_box()
    assert moved
    middle = (x - moved["x"]) / moved["width"]
    assert middle == pytest.approx(0.5, abs=0.05)


def width(matrix: Locator) -> float:
    box = matrix.bounding_box()
    assert box
    return box["width"]


SPILT = """(canvas) => {
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    const at = (x, y) => data.slice(4 * (y * width + x), 4 * (y * width + x) + 4).join();
    // Along a line of pixels stand cells and, one pixel wide, the lines between them; nothing else
    // is as narrow but what spills over.
    const narrow = (count, color) => {
        const runs = [];
        for (let i = 0; i < count; i++) {
            if (runs.at(-1)?.color === color(i)) runs.at(-1).length++;
            else runs.push({ color: color(i), length: 1 });
        }
        return runs.filter(({ length }) => length === 1).map(({ color }) => color);
    };
    const found = [];
    for (let part = 1; part < 20; part++) {
        const [x, y] = [Math.floor((part * width) / 20), Math.floor((part * height) / 20)];
        found.push(...narrow(width, (i) => at(i, y)), ...narrow(height, (i) => at(x, i)));
    }
    return new Set(found).size;
}"""


@pytest.mark.parametrize("width", [1366, 1303, 1241])
def test_a_cell_ends_where_the_line_after_it_is(open_page: Open, width: int) -> None:
    page = open_page(width, query="?step=2&kind=encoder_self&encoder_self=L1H1")
    canvas = page.get_by_role("figure").get_by_role("img").first
    expect(canvas).to_be_visible()
    settle(page)
    assert canvas.evaluate(SPILT) == 1  # the lines' colour
