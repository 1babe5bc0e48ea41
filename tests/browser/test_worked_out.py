"""A clicked cell's arithmetic, read off the page and done again, gives the cell's weight."""

import math
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, Open
from tests.browser.helpers import REQUEST, TITLES
from transformer import AttentionTrace, Translator
from transformer.recording.kinds import Kind


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def click_cell(
    page: Page, trace: AttentionTrace, kind: Kind, query: int, key: int, *, tap: bool = False
) -> None:
    matrix = page.get_by_role("figure", name=TITLES[kind], exact=True).get_by_role("img")
    box, weights = matrix.bounding_box(), trace.weights(kind)
    assert box
    assert weights is not None
    rows, columns = weights.shape[2:]
    x, y = (key + 0.5) / columns * box["width"], (query + 0.5) / rows * box["height"]
    (matrix.tap if tap else matrix.click)(position={"x": x, "y": y})


def worked_out(page: Page) -> Locator:
    panel = page.get_by_role("region", name="Worked out")
    expect(panel.get_by_role("heading", name="1. Score")).to_be_in_viewport()
    return panel


def test_a_tap_opens_how_a_weight_came_about(open_page: Open, trace: AttentionTrace) -> None:
    page = open_page(375, has_touch=True)
    tip = page.get_by_role("figure", name=TITLES["cross"], exact=True).locator(".tip")
    click_cell(page, trace, "cross", 3, 2, tap=True)
    expect(tip).to_be_visible()
    worked_out(page)


def numbers(text: str) -> list[float]:
    return [float(found.replace("−", "-")) for found in re.findall(r"−?\d+\.\d+", text)]


def vector(panel: Locator, name: str) -> list[float]:
    found = panel.get_by_role("img", name=re.compile(f"^{re.escape(name)}"))
    return numbers((found.get_attribute("aria-label") or "").split(": ")[-1])


@pytest.mark.parametrize(
    ("kind", "query", "key"), [("encoder_self", 2, 1), ("decoder_self", 4, 2), ("cross", 3, 2)]
)
def test_the_shown_arithmetic_gives_the_shown_weight(
    page: Page, trace: AttentionTrace, kind: Kind, query: int, key: int
) -> None:
    click_cell(page, trace, kind, query, key)
    panel = worked_out(page)
    weights = trace.weights(kind)
    assert weights is not None
    layer = weights.shape[0] - 1
    expected = weights[layer, 0, query]

    q, k, v = (vector(panel, name) for name in ("query q", "key k", "value v"))
    dot = sum(a * b for a, b in zip(q, k, strict=True))
    row = panel.get_by_role("row").nth(key + 1)
    expect(row).to_have_attribute("aria-current", "true")
    score, _, weight = numbers(row.inner_text())
    assert score == pytest.approx(dot / math.sqrt(len(q)), abs=0.02)  # of three shown decimals each

    cells = [numbers(text) for text in panel.locator("tbody tr").all_inner_texts()]
    allowed = [cell for cell in cells if len(cell) == 3]
    assert len(allowed) == (query + 1 if kind == "decoder_self" else len(expected))
    most = max(score for score, _, _ in allowed)
    terms = [math.exp(score - most) for score, _, _ in allowed]
    for (_, term, shown), mine, its in zip(allowed, terms, expected, strict=False):
        assert term == pytest.approx(mine, abs=1.5e-3)
        assert shown == pytest.approx(mine / sum(terms), abs=1.5e-3)
        assert shown == pytest.approx(its, abs=5.1e-4)
    assert weight == pytest.approx(expected[key], abs=5.1e-4)
    carried = vector(panel, "weight × v")
    assert carried == pytest.approx([expected[key] * x for x in v], abs=1.1e-3)


def test_enter_on_a_walked_cell_and_another_cell_of_the_head_without_the_server(
    page: Page, trace: AttentionTrace
) -> None:
    figure = page.get_by_role("figure", name="Cross-attention", exact=True)
    figure.get_by_role("application").focus()
    for key in ("Home", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    panel = worked_out(page)
    expect(panel).to_contain_text(f"attends to {trace.src[1]}")
    page.route(REQUEST, lambda route: route.abort())
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(panel).to_contain_text(f"attends to {trace.src[2]}")


def test_a_server_that_is_gone_is_said_and_the_last_arithmetic_stays(
    page: Page, trace: AttentionTrace, complaints: list[str]
) -> None:
    click_cell(page, trace, "cross", 2, 1)
    panel = worked_out(page)
    page.route(REQUEST, lambda route: route.abort())
    click_cell(page, trace, "encoder_self", 1, 1)
    expect(panel.get_by_role("alert")).to_contain_text("The server does not answer")
    expect(panel.get_by_role("heading", name="1. Score")).to_be_visible()
    complaints.clear()


def test_a_masked_cell_and_a_joined_tile_say_what_they_are(
    page: Page, trace: AttentionTrace
) -> None:
    click_cell(page, trace, "decoder_self", 1, 3)
    panel = worked_out(page)
    expect(panel).to_contain_text("its weight exactly 0")
    figure = page.get_by_role("figure", name="Cross-attention", exact=True)
    figure.get_by_role("button", name="mean · max").click()
    figure.get_by_role("button", name="Layer 1, mean over heads").click()
    click_cell(page, trace, "cross", 1, 1)
    expect(panel.get_by_role("status")).to_contain_text("joins several heads")


def test_before_a_cell_is_picked_the_page_says_how(page: Page) -> None:
    expect(page.get_by_role("region", name="Worked out")).to_be_hidden()
    expect(page.get_by_text("Click a cell to see how its weight came about.")).to_be_visible()


def test_it_stands_beside_its_matrix_walks_with_the_cell_and_gives_way(
    page: Page, trace: AttentionTrace
) -> None:
    click_cell(page, trace, "decoder_self", 4, 2)
    panel = worked_out(page)
    figure = page.get_by_role("figure", name=TITLES["decoder_self"], exact=True)
    heads = figure.get_by_role("group", name="All heads")
    expect(heads).to_be_hidden()
    matrix, beside = figure.get_by_role("img").bounding_box(), panel.bounding_box()
    assert matrix
    assert beside
    assert beside["x"] >= matrix["x"] + matrix["width"]
    assert beside["y"] < matrix["y"] + matrix["height"]
    expect(panel).to_contain_text(
        f"reads {trace.tgt_in[4]} → predicts {trace.tgt_out[4]}, attends to {trace.tgt_in[2]}"
    )
    for part in ("Where q, k and v come from", "Where the output goes", "exp(s − max): taking"):
        expect(panel).to_contain_text(part)

    figure.get_by_role("application").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(panel).to_contain_text(f"reads {trace.tgt_in[3]} → predicts {trace.tgt_out[3]}")
    expect(panel).to_contain_text(f"attends to {trace.tgt_in[1]}")
    panel.get_by_role("button", name="All heads").click()
    expect(panel).to_be_hidden()
    expect(heads).to_be_visible()


def test_it_fits_a_phone_in_chinese(open_page: Open) -> None:
    page = open_page(375, locale="zh-CN")
    matrix = page.get_by_role("figure", name="交叉注意力").get_by_role("img")
    matrix.click(position={"x": 12, "y": 12})
    panel = page.get_by_role("region", name="逐步计算")
    expect(panel.get_by_role("heading", name="1. 求分数")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 375
