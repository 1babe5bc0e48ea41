"""A clicked cell's arithmetic, read off the page and done again, gives the cell's weight."""

import math
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, Open
from tests.browser.helpers import (
    REQUEST,
    TITLES,
    change_theme,
    choose,
    formula_lines,
    show_kind,
    status,
    tip,
    violations,
)
from transformer import Translator
from transformer.trace.kinds import Kind
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def click_cell(
    page: Page, trace: AttentionTrace, kind: Kind, query: int, key: int, *, tap: bool = False
) -> None:
    show_kind(page, kind)
    matrix = page.get_by_role("figure", name=TITLES[kind], exact=True).get_by_role("img")
    box, weights = matrix.bounding_box(), trace.weights(kind)
    assert box
    assert weights is not None
    rows, columns = weights.shape[2:]
    x, y = (key + 0.5) / columns * box["width"], (query + 0.5) / rows * box["height"]
    (matrix.tap if tap else matrix.click)(position={"x": x, "y": y})


FRAMES = ["vectors", "score", "scale", "exp", "softmax", "values", "output"]


def worked_out(page: Page) -> Locator:
    panel = page.get_by_role("region", name="Worked out")
    expect(panel.get_by_role("group", name="The calculation, frame by frame")).to_be_in_viewport()
    return panel


def turn_to(panel: Locator, name: str) -> None:
    panel.get_by_role("button", name=name).click()


def formula(panel: Locator) -> str:
    shown = panel.get_by_role("status", name="What this frame shows")
    return formula_lines(shown).inner_text()


def row_of(panel: Locator, key: int) -> Locator:
    return panel.get_by_role("table").locator("tbody tr").nth(key)


def test_a_tap_opens_how_a_weight_came_about(open_page: Open, trace: AttentionTrace) -> None:
    page = open_page(375, has_touch=True)
    about = tip(page.get_by_role("figure", name=TITLES["cross"], exact=True))
    click_cell(page, trace, "cross", 3, 2, tap=True)
    expect(about).to_be_visible()
    worked_out(page)


def numbers(text: str) -> list[float]:
    return [float(number.replace("−", "-")) for number in re.findall(r"−?\d+\.\d+", text)]


def vector(panel: Locator, name: str) -> list[float]:
    image = panel.get_by_role("img", name=re.compile(f"^{re.escape(name)}"))
    return numbers((image.get_attribute("aria-label") or "").split(": ")[-1])


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
    expect(row_of(panel, key)).to_have_attribute("aria-current", "true")

    turn_to(panel, "Score")
    q, k, products = (vector(panel, name) for name in ("query q", "key k", "products qᵢkᵢ"))
    dot = sum(a * b for a, b in zip(q, k, strict=True))
    rounding = 0.02  # of three shown decimals each
    assert products == pytest.approx([a * b for a, b in zip(q, k, strict=True)], abs=rounding)
    assert numbers(formula(panel))[-1] == pytest.approx(dot, abs=rounding)
    turn_to(panel, "÷ √d_head")
    scaled = numbers(formula(panel))[-1]
    assert scaled == pytest.approx(dot / math.sqrt(len(q)), abs=rounding)

    turn_to(panel, "Softmax")
    cells = [numbers(text) for text in panel.locator("tbody tr").all_inner_texts()]
    allowed = [cell for cell in cells if len(cell) == 4]
    assert len(allowed) == (query + 1 if kind == "decoder_self" else len(expected))
    assert allowed[key][1] == pytest.approx(scaled, abs=1e-3)
    most = max(score for _, score, _, _ in allowed)
    terms = [math.exp(score - most) for _, score, _, _ in allowed]
    for (_, _, term, shown), mine, its in zip(allowed, terms, expected, strict=False):
        assert term == pytest.approx(mine, abs=1.5e-3)
        assert shown == pytest.approx(mine / sum(terms), abs=1.5e-3)
        assert shown == pytest.approx(its, abs=5.1e-4)
    assert numbers(formula(panel))[-1] == pytest.approx(expected[key], abs=5.1e-4)

    turn_to(panel, "Values")
    value, share = vector(panel, "value v of"), vector(panel, "weight × v")
    assert share == pytest.approx([expected[key] * x for x in value], abs=1.1e-3)
    assert len(vector(panel, "output")) == len(value)


def test_it_goes_on_frame_by_frame_and_an_address_keeps_the_frame(
    open_page: Open, trace: AttentionTrace
) -> None:
    page = open_page(reduced_motion="reduce")
    click_cell(page, trace, "cross", 3, 2)
    panel = worked_out(page)
    step = status(page)
    current = panel.locator("[aria-current=step]")
    message = panel.get_by_role("status", name="What this frame shows")
    texts = []
    for number in range(1, len(FRAMES) + 1):
        expect(current).to_have_text(re.compile(f"^{number}"))
        texts.append(message.inner_text())
        if number == 1:
            panel.get_by_role("button", name="Next frame").click()
        elif number < len(FRAMES):
            page.keyboard.press("ArrowRight")
    assert len(set(texts)) == len(FRAMES), "each frame says something of its own"
    expect(panel.get_by_role("button", name="Next frame")).to_be_disabled()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**frame=values**", wait_until="commit")
    # In it, keys are walked, too, and not the page's steps.
    page.keyboard.press("ArrowDown")
    expect(row_of(panel, 3)).to_have_attribute("aria-current", "true")
    expect(current).to_have_text(re.compile("^6"))
    assert status(page) == step
    again = open_page(query=page.url[page.url.index("?") :])
    expect(again.locator("#worked-out [aria-current=step]")).to_have_text(re.compile("^6"))
    panel.get_by_role("button", name=re.compile(re.escape(trace.src[0]))).first.click()
    expect(row_of(panel, 0)).to_have_attribute("aria-current", "true")


def test_what_a_frame_has_not_come_to_is_not_there(page: Page, trace: AttentionTrace) -> None:
    click_cell(page, trace, "cross", 3, 2)
    panel = worked_out(page)
    columns = {"dot": "score", "score": "scale", "exp": "exp", "weight": "softmax"}
    for frame in ("vectors", "score", "scale", "exp", "softmax"):
        for column, since in columns.items():
            cell = row_of(panel, 0).locator(f"td.{column} > div")
            there = FRAMES.index(frame) >= FRAMES.index(since)
            expect(cell).to_be_visible(visible=there)
        page.locator("#worked-out").press("ArrowRight")


ENDS = """(bars) => bars.map((bar) => {
    const [inner, outer] = [bar, bar.parentElement].map((it) => it.getBoundingClientRect());
    return [inner.left - outer.left, inner.right - outer.left].map((x) => x / outer.width);
})"""


def test_bars_are_as_long_as_the_numbers(open_page: Open, trace: AttentionTrace) -> None:
    page = open_page(reduced_motion="reduce")
    click_cell(page, trace, "cross", 3, 2)
    panel = worked_out(page)
    assert trace.cross is not None
    turn_to(panel, "Score")
    amounts = panel.locator(".amount")
    before = amounts.evaluate_all(ENDS)
    turn_to(panel, "÷ √d_head")
    after = amounts.evaluate_all(ENDS)
    size = math.sqrt(len(vector(panel, "query q")))
    for (a, b), (c, d) in zip(before, after, strict=True):
        assert d - c == pytest.approx((b - a) / size, abs=0.01)
    turn_to(panel, "Softmax")
    shown = amounts.evaluate_all(ENDS)
    assert [b - a for a, b in shown] == pytest.approx(trace.cross[1, 0, 3].tolist(), abs=0.01)
    parts = panel.locator(".slice").evaluate_all("(it) => it.map((x) => x.offsetWidth)")
    assert [x / sum(parts) for x in parts] == pytest.approx(trace.cross[1, 0, 3].tolist(), abs=0.03)


def test_frames_move_on_demand_alone_and_not_for_who_wants_calm(
    open_page: Open, trace: AttentionTrace
) -> None:
    moving = (
        "document.getAnimations().filter((it) => it.effect.target.closest('#worked-out')).length"
    )
    page = open_page()
    click_cell(page, trace, "cross", 3, 2)
    panel = worked_out(page)
    assert page.evaluate(moving) == 0
    panel.get_by_role("button", name="Next frame").click()
    assert page.evaluate(moving) > 0
    panel.get_by_role("button", name="Play the frames").click()
    expect(panel.get_by_role("button", name="Pause the frames")).to_be_visible()
    expect(panel.locator("[aria-current=step]")).to_have_text(re.compile("^3"))
    panel.get_by_role("button", name="Pause the frames").click()

    page = open_page(reduced_motion="reduce")
    click_cell(page, trace, "cross", 3, 2)
    panel = worked_out(page)
    expect(panel.get_by_role("button", name="Play the frames")).to_be_hidden()
    for _ in FRAMES:
        page.locator("#worked-out").press("ArrowRight")
        assert page.evaluate(moving) == 0
    expect(panel.locator("[aria-current=step]")).to_have_text(re.compile("^7"))


@pytest.mark.parametrize(
    ("width", "height"), [(1366, 768), pytest.param(1920, 1080, marks=pytest.mark.slow)]
)
def test_every_frame_fits_the_window_without_scrolling_inside(
    open_page: Open, trace: AttentionTrace, width: int, height: int
) -> None:
    page = open_page(width, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": height})
    click_cell(page, trace, "cross", 3, 2)
    panel = worked_out(page)
    for _ in FRAMES:
        page.wait_for_function(
            """() => {
                const panel = document.querySelector("#worked-out");
                const { left, right } = panel.getBoundingClientRect();
                const { bottom } = panel.querySelector("tfoot").getBoundingClientRect();
                const { bottom: top } = document.querySelector(".steps").getBoundingClientRect();
                const heading = panel.querySelector("h2").getBoundingClientRect();
                return right - left > innerWidth * 0.85 && bottom <= innerHeight
                    && heading.top >= top;
            }"""
        )
        inner = panel.evaluate(
            "(it) => [it, ...it.querySelectorAll('*')].filter((x) =>"
            " /auto|scroll/.test(getComputedStyle(x).overflowY)"
            " && x.scrollHeight > x.clientHeight + 1).length"
        )
        assert inner == 0
        page.locator("#worked-out").press("ArrowRight")


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
    choose(page, "cross", "Layer 1, head 4")
    expect(panel.get_by_role("alert")).to_contain_text("The server does not answer")
    expect(panel.get_by_role("table")).to_be_visible()
    complaints.clear()


def test_a_masked_cell_and_a_joined_tile_say_what_they_are(
    page: Page, trace: AttentionTrace
) -> None:
    click_cell(page, trace, "decoder_self", 1, 3)
    panel = worked_out(page)
    turn_to(panel, "Softmax")
    expect(panel).to_contain_text("its weight exactly 0")
    show_kind(page, "cross")
    figure = page.get_by_role("figure", name="Cross-attention", exact=True)
    figure.get_by_role("button", name="mean · max").click()
    figure.get_by_role("gridcell", name="Layer 1, mean over heads").click()
    click_cell(page, trace, "cross", 1, 1)
    assert trace.cross is not None
    given = trace.cross[0, :, 1, 1]
    strongest, other = (int(head) for head in given.argsort()[::-1][:2])
    note = panel.get_by_role("note").filter(has_text="joins several heads")
    expect(note).to_contain_text(f"L1H{strongest + 1} {given[strongest]:.2f}")
    expect(panel).to_contain_text(f"Cross-attention, Layer 1, head {strongest + 1}")
    note.get_by_role("button", name=f"L1H{other + 1}").click()
    expect(panel).to_contain_text(f"Cross-attention, Layer 1, head {other + 1}")
    expect(note).to_be_hidden()


def test_before_a_cell_is_picked_the_page_says_how(page: Page) -> None:
    expect(page.get_by_role("region", name="Worked out")).to_be_hidden()
    expect(page.get_by_text("Click a cell to see how its weight came about.")).to_be_visible()


def test_it_walks_with_the_matrixs_cell_and_gives_way(page: Page, trace: AttentionTrace) -> None:
    click_cell(page, trace, "decoder_self", 4, 2)
    panel = worked_out(page)
    figure = page.get_by_role("figure", name=TITLES["decoder_self"], exact=True)
    expect(panel).to_contain_text(
        f"reads {trace.tgt_in[4]} → predicts {trace.tgt_out[4]}, attends to {trace.tgt_in[2]}"
    )
    figure.get_by_role("application").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(panel).to_contain_text(f"reads {trace.tgt_in[3]} → predicts {trace.tgt_out[3]}")
    expect(panel).to_contain_text(f"attends to {trace.tgt_in[1]}")
    panel.get_by_role("button", name="Back to the matrix").click()
    expect(panel).to_be_hidden()
    expect(figure.get_by_role("img")).to_be_in_viewport()


def test_it_fits_a_phone_in_chinese(open_page: Open) -> None:
    page = open_page(375, locale="zh-CN")
    matrix = page.get_by_role("figure", name="交叉注意力").get_by_role("img")
    matrix.click(position={"x": 12, "y": 12})
    panel = page.get_by_role("region", name="逐步计算")
    for name in ("得分", "指数", "softmax", "值", "输出"):
        panel.get_by_role("button", name=re.compile(rf"^\d\s*{name}$")).click()
        assert page.evaluate("document.documentElement.scrollWidth") == 375, name
        table = panel.get_by_role("table")
        assert table.evaluate("(it) => it.scrollWidth <= it.parentElement.clientWidth + 1"), name


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_any_frame(open_page: Open, trace: AttentionTrace) -> None:
    page = open_page(reduced_motion="reduce")
    click_cell(page, trace, "decoder_self", 3, 2)  # with masked keys
    panel = worked_out(page)
    for name in ("Query, key, value", "Score", "Softmax", "Values", "Output"):
        turn_to(panel, name)
        change_theme(page)  # dark and light by turns
        assert violations(page, "#worked-out") == [], name


LANDED = """() => [...document.querySelectorAll(".flying")].map((copy, i) => {
  const [flight] = copy.getAnimations();
  const { delay, duration } = flight.effect.getTiming();
  flight.pause();
  flight.currentTime = delay + 0.85 * duration;
  const [here, there] = [copy, document.querySelectorAll(".row td.key .band")[i]]
    .map((it) => it.getBoundingClientRect());
  return Math.hypot(here.left - there.left, here.top - there.top);
})"""
"""How far from its key, in pixels, each copy of the query lands."""


def test_a_class_sees_the_whole_arithmetic_and_what_it_points_at(
    open_page: Open, trace: AttentionTrace
) -> None:
    keys = len(trace.src_ids)
    assert 9 <= keys <= 10
    page = open_page(1920, query=f"?presenter=on&source={EXAMPLES[0]}&cell=cross.L1H1-1-1")
    page.set_viewport_size({"width": 1920, "height": 1080})
    panel = worked_out(page)
    beyond = "document.documentElement.scrollHeight - innerHeight"
    panel.get_by_role("button", name="Query, key, value").click()
    turn_to(panel, "Score")
    distances = page.evaluate(LANDED)
    assert len(distances) == keys
    assert max(distances) < 2
    for frame in ("Query, key, value", "Exponential", "Output"):
        turn_to(panel, frame)
        assert page.evaluate(beyond) <= 0, frame
    # In a lower window, what is pointed at comes into sight.
    page.set_viewport_size({"width": 1920, "height": 700})
    for _ in range(keys):
        panel.press("ArrowDown")
    expect(panel.locator(".row tr[aria-current]")).to_be_in_viewport(ratio=0.9)
