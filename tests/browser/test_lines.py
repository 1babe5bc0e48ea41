"""Attention as lines, and the tabs it stands in."""

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, Open
from tests.browser.helpers import TITLES, leave_box, settle, status
from transformer import Translator
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")

HEADS = 4
RECORD_STROKES = """() => {
    const { prototype } = CanvasRenderingContext2D;
    const stroke = prototype.stroke;
    window.strokes = [];
    prototype.stroke = function (...path) {
        window.strokes.push({ width: this.lineWidth, color: this.strokeStyle });
        return stroke.apply(this, path);
    };
}"""

PAINTED_ROWS = """([canvas, side, rows]) => {
    const { width, height } = canvas;
    const edge = document.createElement("canvas");
    [edge.width, edge.height] = [1, height];
    const context = edge.getContext("2d");
    context.drawImage(canvas, side === "left" ? 0 : 1 - width, 0);
    const pixels = context.getImageData(0, 0, 1, height).data;
    const painted = new Set();
    for (let y = 0; y < height; y++) {
        if (pixels[4 * y + 3] > 40) painted.add(Math.floor((y / height) * rows));
    }
    return [...painted];
}"""


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def shown_weights(trace: AttentionTrace, kind: Kind, layer: int) -> Any:
    """[head, query, key], as exact as they travel to the page; NaN where masked."""
    weights = trace.weights(kind)
    assert weights is not None
    rounded = weights[layer].astype(np.float16).astype(np.float64)
    if kind == "decoder_self":
        rounded[:, np.triu(np.ones(rounded.shape[1:], dtype=bool), 1)] = np.nan
    return rounded


def lines(page: Page) -> Locator:
    page.get_by_role("button", name="Lines").click()
    panel = page.get_by_role("group", name="Lines")
    panel.scroll_into_view_if_needed()
    expect(panel.get_by_role("img")).to_be_visible()
    return panel


def set_threshold(panel: Locator, value: float) -> None:
    panel.get_by_role("slider", name="Smallest weight drawn").fill(str(value))


def expect_count(panel: Locator, shown: int, total: int) -> None:
    sentence = f"{shown:,} of {total:,} lines are drawn."
    expect(panel.get_by_role("status", name="Lines drawn")).to_have_text(sentence)


def painted(canvas: Locator, side: str, rows: int) -> list[int]:
    """Which of so many rows of a canvas's edge have a line's end in them."""
    settle(canvas.page)
    handle = canvas.element_handle()
    return canvas.page.evaluate(PAINTED_ROWS, [handle, side, rows])


def test_tabs_are_walked_by_arrow_keys_which_do_not_step_there(page: Page) -> None:
    strip = page.get_by_role("tablist", name="Look closer")
    tabs = strip.get_by_role("tab")
    names = tabs.all_text_contents()
    assert names[:2] == ["Attention", "Why this word"]
    expect(tabs.first).to_have_attribute("aria-selected", "true")
    before = status(page)
    tabs.first.focus()
    for key, index in (("ArrowLeft", -1), ("ArrowRight", 0), ("End", -1), ("Home", 0)):
        page.keyboard.press(key)
        chosen = page.get_by_role("tab", name=names[index], exact=True)
        expect(chosen).to_be_focused()
        expect(chosen).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("tabpanel")).to_have_count(1)
        expect(page.get_by_role("tabpanel", name=names[index], exact=True)).to_be_visible()
        assert strip.locator("[tabindex='0']").all_text_contents() == [names[index]]
    assert status(page) == before


@pytest.mark.parametrize("kind", KINDS)
def test_each_line_is_as_wide_as_its_weight(page: Page, trace: AttentionTrace, kind: Kind) -> None:
    page.get_by_role("button", name=TITLES[kind], exact=True).click()
    panel = lines(page)
    panel.get_by_role("combobox", name="Layer").select_option("Layer 1")
    weights = shown_weights(trace, kind, 0)
    total = int(np.isfinite(weights).sum())
    # Of one head, so that what is recorded are its lines in the order of its rows.
    for head in range(1, HEADS):
        panel.get_by_role("button", name=f"Head {head + 1}").click()
    expect_count(panel, int((weights[0] >= 0.1).sum()), total // HEADS)
    page.evaluate(RECORD_STROKES)
    set_threshold(panel, 0.25)
    of_head = weights[0][weights[0] >= 0.25]
    expect_count(panel, len(of_head), total // HEADS)
    strokes = page.evaluate("window.strokes")[: len(of_head)]
    widths = [stroke["width"] for stroke in strokes]
    assert len({stroke["color"] for stroke in strokes}) == 1
    # The same straight line leads from each weight to its width.
    assert widths == pytest.approx(0.6 + 6.4 * of_head, abs=1e-3)


def test_the_threshold_and_the_heads_say_how_many_lines_there_are(
    page: Page, trace: AttentionTrace
) -> None:
    panel = lines(page)
    weights = shown_weights(trace, "cross", 1)
    expect_count(panel, int((weights[0] >= 0.1).sum()), weights[0].size)  # it begins with one head
    legend = panel.get_by_role("group", name="Heads")
    legend.get_by_role("button", name="Show all").click()
    for threshold in (0.0, 0.25, 0.5, 1.0):
        set_threshold(panel, threshold)
        expect_count(panel, int((weights >= threshold).sum()), weights.size)
    set_threshold(panel, 0)
    third = legend.get_by_role("button", name="Head 3")
    expect(third).to_have_attribute("aria-pressed", "true")
    third.click()
    expect(third).to_have_attribute("aria-pressed", "false")
    expect(third).to_be_focused()
    few = weights.size * (HEADS - 1) // HEADS
    expect_count(panel, few, few)
    third.click()
    legend.get_by_role("button", name="Hide all").click()
    expect_count(panel, 0, 0)
    assert painted(panel.get_by_role("img"), "right", len(trace.tgt_in)) == []
    legend.get_by_role("button", name="Show all").click()
    expect_count(panel, weights.size, weights.size)


def test_masked_cells_draw_nothing(page: Page, trace: AttentionTrace) -> None:
    page.get_by_role("button", name=TITLES["decoder_self"], exact=True).click()
    panel = lines(page)
    panel.get_by_role("button", name="Show all").click()
    set_threshold(panel, 0)
    length = len(trace.tgt_in)
    allowed = HEADS * length * (length + 1) // 2
    expect_count(panel, allowed, allowed)


def test_both_sides_name_their_tokens(page: Page, trace: AttentionTrace) -> None:
    panel = lines(page)
    keys = panel.get_by_role("list", name="attended to").get_by_role("listitem")
    queries = panel.get_by_role("list", name="attending").get_by_role("listitem")
    pairs = [f"{a} → {b}" for a, b in zip(trace.tgt_in, trace.tgt_out, strict=True)]
    expect(keys).to_have_text([*trace.src])
    expect(queries).to_have_text(pairs)
    page.get_by_role("button", name=TITLES["decoder_self"], exact=True).click()
    expect(keys).to_have_text([*trace.tgt_in])
    expect(queries).to_have_text(pairs)
    page.get_by_role("button", name=TITLES["encoder_self"], exact=True).click()
    expect(keys).to_have_text([*trace.src])
    expect(queries).to_have_text([*trace.src])


def test_the_step_and_a_pointed_token_stand_out(
    page: Page, trace: AttentionTrace, complaints: list[str]
) -> None:
    panel = lines(page)
    set_threshold(panel, 0)
    steps, keys = len(trace.tgt_in), len(trace.src)
    rows = max(steps, keys)
    top, bottom = (rows - keys) // 2, (rows - steps) // 2
    assert (rows - keys) % 2 == 0, "so that both sides' rows fall on whole ones"
    standing_out = panel.locator("canvas[aria-hidden]")
    queries = panel.get_by_role("list", name="attending").get_by_role("listitem")
    for step in (steps, 2):
        page.get_by_role("slider", name="Step").fill(str(step))
        expect(queries.nth(step - 1)).to_have_attribute("aria-current", "step")
        assert painted(standing_out, "right", rows) == [bottom + step - 1]
        assert len(painted(standing_out, "left", rows)) == keys

    queries.nth(3).hover()
    expect(queries.nth(3)).to_contain_class("lit")
    assert painted(standing_out, "right", rows) == [bottom + 3]
    panel.get_by_role("list", name="attended to").get_by_role("listitem").nth(1).hover()
    assert painted(standing_out, "left", rows) == [top + 1]
    assert len(painted(standing_out, "right", rows)) == steps
    page.mouse.move(1, 1)
    assert painted(standing_out, "right", rows) == [bottom + 1]
    # Reading pixels back is this test's own doing.
    complaints[:] = [text for text in complaints if "willReadFrequently" not in text]


def test_nothing_is_painted_where_nobody_looks(page: Page) -> None:
    panel = lines(page)
    page.evaluate(RECORD_STROKES)
    slider = page.get_by_role("slider", name="Step")
    slider.fill("2")
    page.wait_for_function("window.strokes.length > 0")
    page.get_by_role("tab", name="Compare").click()
    expect(panel).to_be_hidden()
    page.evaluate("window.strokes.length = 0")
    slider.fill("1")
    expect(page.get_by_role("status", name="Step status")).to_contain_text("Step 1")
    settle(page)  # what a change of the step paints is painted by then
    assert page.evaluate("window.strokes.length") == 0
    page.get_by_role("tab", name="Attention").click()
    page.wait_for_function("window.strokes.length > 0")
    queries = panel.get_by_role("list", name="attending").get_by_role("listitem")
    expect(queries.first).to_have_attribute("aria-current", "step")


def test_a_decoder_alone_has_one_kind(page: Page, poet: Translator) -> None:
    page.get_by_role("combobox", name="Model").select_option("Poet")
    expect(page.get_by_role("figure", name="Cross-attention")).to_be_hidden()
    panel = lines(page)
    expect(panel.get_by_role("img")).to_have_accessible_name(re.compile("^Decoder self-attention"))
    tokens = poet.trace("我爱你。").tgt_in
    keys = panel.get_by_role("list", name="attended to").get_by_role("listitem")
    expect(keys).to_have_text([*tokens])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_head_has_a_colour_of_its_own(open_page: Open, scheme: str) -> None:
    page = open_page(color_scheme=scheme)
    legend = lines(page).get_by_role("group", name="Heads")
    legend.get_by_role("button", name="Show all").click()
    chips = legend.locator(".head-chip")
    colors = chips.evaluate_all(
        "chips => chips.map((chip) => getComputedStyle(chip, '::before').borderTopColor)"
    )
    assert len(set(colors)) == HEADS


def test_lines_fit_a_phone_in_chinese(open_page: Open) -> None:
    page = open_page(375, locale="zh-CN", query="?tab=lines")
    panel = page.get_by_role("group", name="连线")
    panel.scroll_into_view_if_needed()
    canvas = panel.get_by_role("img", name="交叉注意力")
    box = canvas.bounding_box()
    assert box
    assert 80 <= box["width"] <= 375
    assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_lines_are_of_the_head_that_is_looked_at_unless_set_by_hand(page: Page) -> None:
    panel = lines(page)
    layer = panel.get_by_role("combobox", name="Layer")
    name = panel.get_by_role("img")
    pressed = panel.get_by_role("group", name="Heads").locator("[aria-pressed=true]")

    def expect_drawn(what: str, *heads: str) -> None:
        panel.scroll_into_view_if_needed()  # else nothing follows
        expect(name).to_have_accessible_name(re.compile(f"^{what}"))
        expect(pressed).to_have_text([*heads])

    expect_drawn("Cross-attention, Layer 2", "1")
    cross = page.get_by_role("figure", name="Cross-attention", exact=True)
    cross.get_by_role("gridcell", name="Layer 1, head 3", exact=True).click()
    expect_drawn("Cross-attention, Layer 1", "3")
    expect(layer.locator("option:checked")).to_have_text("Layer 1 (as above)")
    # A mean is drawn as one.
    cross.get_by_role("button", name="mean · max").click()
    cross.get_by_role("gridcell", name="Layer 1, mean over heads").click()
    expect_drawn("Cross-attention, Layer 1, mean over heads")
    total = panel.get_by_role("status", name="Lines drawn")
    queries = panel.get_by_role("list", name="attending").get_by_role("listitem").count()
    keys = panel.get_by_role("list", name="attended to").get_by_role("listitem").count()
    expect(total).to_contain_text(f"of {queries * keys} lines")
    cross.get_by_role("gridcell", name="Layer 1, head 3", exact=True).click()
    expect_drawn("Cross-attention, Layer 1", "3")
    # What is set by hand stays, and is an address; what follows needs none.
    assert "lines" not in page.url.replace("tab=lines", "")
    layer.select_option("Layer 2")
    expect_drawn("Cross-attention, Layer 2", "1", "2", "3", "4")
    cross.get_by_role("gridcell", name="Layer 1, head 1", exact=True).click()
    expect_drawn("Cross-attention, Layer 2", "1", "2", "3", "4")
    expect(page).to_have_url(re.compile(r"lines=cross\.L2"))
    layer.select_option("Layer 1 (as above)")
    expect_drawn("Cross-attention, Layer 1", "1")
    page.get_by_role("button", name="Encoder self-attention", exact=True).click()
    expect_drawn("Encoder self-attention, Layer 2", "1")
    expect(page).not_to_have_url(re.compile("lines="))


def test_an_address_that_says_which_lines_opens_them(open_page: Open) -> None:
    page = open_page(query="?lines=encoder_self.L1&lines_heads=H1-H3-H4")
    panel = page.get_by_role("group", name="Lines")
    name = re.compile("^Encoder self-attention, Layer 1")
    expect(panel.get_by_role("img")).to_have_accessible_name(name)
    pressed = panel.get_by_role("group", name="Heads").locator("[aria-pressed=true]")
    expect(pressed).to_have_text(["1", "3", "4"])


def test_lines_that_are_hidden_are_not_counted(open_page: Open, translator: Translator) -> None:
    page = open_page(query="?tab=lines&lines=cross.L2&step=2&next=hidden")
    cross = translator.trace(EXAMPLES[0]).cross
    assert cross is not None
    layer = cross[1]
    count = page.get_by_role("status", name="Lines drawn")
    count.scroll_into_view_if_needed()  # out of sight, it waits to be seen
    expect(count).to_contain_text(f"of {layer[:, :2].size} lines")
    page.get_by_role("button", name="Next step").click()
    count.scroll_into_view_if_needed()
    expect(count).to_contain_text(f"of {layer[:, :3].size} lines")
    leave_box(page)
    page.keyboard.press("h")
    count.scroll_into_view_if_needed()
    expect(count).to_contain_text(f"of {layer.size:,} lines")
