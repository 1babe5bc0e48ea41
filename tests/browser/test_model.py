"""The whole model in one picture, whose blocks open on the numbers of the trace."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, Open, languages
from tests.browser.helpers import formula_lines, leave_box, settle
from transformer import Translator
from transformer.inside import anatomy, flow
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def picture(page: Page) -> Locator:
    panel = page.get_by_role("tabpanel", name="Model")
    panel.scroll_into_view_if_needed()
    expect(panel.get_by_role("button", name="Decoder: Softmax")).to_be_visible()
    return panel


def lit(panel: Locator) -> Locator:
    """The blocks on the path of the token that is pointed at."""
    return panel.locator(".block.lit")


def lengths(panel: Locator) -> list[str]:
    """How long the vectors of the open block are said to be, from top to bottom."""
    notes = panel.get_by_role("region", name="Open block").locator("small")
    expect(notes.first).to_be_visible()
    return notes.all_text_contents()


def length(vector: np.ndarray) -> str:
    return f"length {np.linalg.norm(vector):.2f}"


def test_a_block_opens_on_what_the_model_computed(
    open_page: Open, translator: Translator, trace: AttentionTrace
) -> None:
    page = open_page(query="?step=2&tab=model")
    panel = picture(page)
    parameters = anatomy(translator).total
    expect(panel).to_contain_text(f"{parameters:,} parameters")
    block = panel.get_by_role("button", name="Decoder, layer 1: Cross-attention")
    block.click()
    expect(block).to_have_attribute("aria-pressed", "true")
    parts = flow(translator, trace, "decoder.L1.cross_attention").parts
    cross = trace.cross
    assert cross is not None
    best = int(cross[0, cross[0, :, 1].max(-1).argmax(), 1].argmax())
    expected = [parts["enters"][1], parts["memory"][best], parts["heads"][1], parts["leaves"][1]]
    assert lengths(panel) == [length(each) for each in expected]

    # By keyboard to the next block, which follows the step.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    add = flow(translator, trace, "decoder.L1.cross_attention.add").parts
    details = panel.get_by_role("region", name="Open block")
    expect(details.get_by_role("heading")).to_have_text(
        "Decoder, layer 1: add residual (Cross-attention)"
    )
    for step in (1, 2):
        norm = np.linalg.norm(add["leaves"][step])
        expect(formula_lines(details).first).to_contain_text(f"‖x + f(x)‖ = {norm:.2f}")
        page.keyboard.press("ArrowRight")

    # All layers, and another token of the encoder, are in the address, too.
    panel.get_by_label("Layers drawn").select_option("all")
    panel.get_by_role("button", name="Encoder, layer 2: Feed-forward", exact=True).click()
    panel.get_by_label("Numbers of").select_option(index=2)
    parts = flow(translator, trace, "encoder.L2.feed_forward").parts
    expect(details.locator("small").first).to_have_text(length(parts["enters"][2]))
    page.wait_for_url("**block=encoder.L2.feed_forward-3**", wait_until="commit")
    assert "layer=all" in page.url


def test_pointing_at_a_token_lights_its_path(open_page: Open, trace: AttentionTrace) -> None:
    page = open_page(query="?step=3&tab=model")
    panel = picture(page)
    assert trace.cross is not None
    panel.locator("[data-side=source][data-token='1']").hover()
    cross = panel.get_by_role("button", name=re.compile("Cross-attention$"))
    expect(lit(panel).and_(cross)).to_have_count(1)
    expect(panel.locator(".edge.memory.lit")).to_have_count(
        2
    )  # layer 1, and the other that is not drawn
    weight = f"{trace.cross[0, :, 2, 1].max():.2f}"
    expect(panel.locator(".badge")).to_have_text([weight])
    most = f"{trace.cross[:, :, 2, 1].max():.2f}"
    expect(panel.get_by_role("status", name="Path of a token")).to_contain_text(most)
    panel.locator("[data-side=target][data-token='3']").hover()
    expect(lit(panel)).to_have_count(0)
    panel.locator("[data-side=target][data-token='0']").hover()
    embedding = panel.get_by_role("button", name="Decoder: Embedding")
    expect(lit(panel).and_(embedding)).to_have_count(1)
    encoder = panel.get_by_role("button", name=re.compile("^Encoder"))
    expect(lit(panel).and_(encoder)).to_have_count(0)


@pytest.mark.slow
def test_a_token_that_plays_through_the_picture_arrives_as_what_is_written(
    open_page: Open, trace: AttentionTrace
) -> None:
    page = open_page(query="?step=1&tab=model")
    panel = picture(page)
    expect(panel.locator(".block.next")).to_be_visible()
    panel.get_by_role("group", name="Model").evaluate(
        """diagram => new MutationObserver(() => {
            const vector = diagram.querySelector(".vector-on-its-way");
            const there = diagram.querySelector(".block.next.passed");
            if (vector && there) window.arrived = vector.textContent;
        }).observe(diagram, { attributes: true, subtree: true })"""
    )
    page.get_by_role("button", name="Play", exact=True).click()
    # Of whichever step plays meanwhile.
    assert page.wait_for_function("window.arrived").json_value() in trace.tgt_out


def test_a_head_that_looks_at_nothing_and_a_mask_that_is_off_are_told(open_page: Open) -> None:
    page = open_page(query="?step=3&tab=model&off=cross.L1H2&block=decoder.L1.cross_attention")
    rows = page.get_by_role("region", name="Open block").get_by_role("row")
    expect(rows.filter(has_text="L1H2").get_by_role("cell")).to_have_text(["–", "0"])
    page = open_page(query="?step=3&tab=model&off=causal&block=decoder.L1.self_attention.mask")
    block = page.get_by_role("region", name="Open block")
    expect(block).to_contain_text("the causal mask is off")
    expect(block).not_to_contain_text("Hatched is hidden")
    panel = picture(page)
    panel.locator("[data-side=target][data-token='3']").hover()
    expect(panel.get_by_role("status", name="Path of a token")).to_contain_text(
        "Step 3 looks at it with a weight of"
    )


def test_a_class_sees_the_picture_and_a_language_model_has_its_own(open_page: Open) -> None:
    page = open_page(query="?model=poet&tab=model&block=decoder.L1.self_attention.mask")
    panel = picture(page)
    expect(panel.locator(".block.encoder, .block.cross_attention, .edge.memory")).to_have_count(0)
    expect(panel.locator(".block.mask")).to_have_count(1)
    rows = panel.locator(".mask-table tr")
    expect(rows.first.locator(".seen-cell")).to_have_count(1)
    expect(rows.nth(2).locator(".seen-cell")).to_have_count(3)
    leave_box(page)
    page.keyboard.press("p")
    expect(panel.get_by_role("button", name="Decoder: Softmax")).to_be_visible()
    page.keyboard.press("3")
    expect(panel).to_be_hidden()
    expect(page.get_by_role("figure", name="Decoder self-attention")).to_be_visible()
    page.keyboard.press("5")
    expect(panel.get_by_role("button", name="Decoder: Softmax")).to_be_visible()
    expect(page.get_by_role("figure")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("tab", name="Model")).to_have_attribute("aria-selected", "true")


def test_a_strip_of_many_numbers_is_wide_and_no_line_covers_its_colours(open_page: Open) -> None:
    page = open_page(1366, query="?step=2&tab=model&block=decoder.L1.cross_attention")
    details = picture(page).get_by_role("region", name="Open block")
    strip = details.locator(".strip").first
    expect(strip).to_be_visible()
    box, room = strip.bounding_box(), details.bounding_box()
    assert box is not None
    assert room is not None
    assert box["width"] > room["width"] / 2
    colors = strip.locator("span").evaluate_all(
        "cells => cells.map((cell) => getComputedStyle(cell).backgroundColor)"
    )
    assert len({*colors}) > 3


TEXTS_THAT_TOUCH = """(drawing) => {
    const texts = [...drawing.querySelectorAll("text")].filter((it) => it.textContent);
    const boxes = texts.map((it) => it.getBBox());
    return texts.flatMap((one, i) => texts.slice(i + 1).flatMap((other, j) => {
        const [a, b] = [boxes[i], boxes[i + 1 + j]];
        const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
        const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
        // Of a line's height a fifth is air.
        return across > 1 && down > 0.3 * Math.min(a.height, b.height)
            ? [`${one.textContent} / ${other.textContent}`] : [];
    }));
}"""


@pytest.mark.parametrize("locale", languages("en-US", "fr-FR"))
def test_no_label_of_the_models_picture_touches_another(open_page: Open, locale: str) -> None:
    page = open_page(query="?tab=model&layer=all", locale=locale)
    drawing = page.get_by_role("tabpanel").locator("svg[role=group]")
    for width in (375, 1366):
        page.set_viewport_size({"width": width, "height": 900})
        expect(drawing.get_by_role("button").first).to_be_visible()
        # A window that is made narrower takes its picture along.
        page.wait_for_function(
            "width => document.documentElement.scrollWidth === width", arg=width, timeout=20_000
        )
        settle(page)
        assert drawing.evaluate(TEXTS_THAT_TOUCH) == [], width


TEXTS_BEYOND_THEIR_BLOCKS = """(drawing) =>
    [...drawing.querySelectorAll(".block:not(.add)")].flatMap((block) => {
        const room = block.querySelector("rect:last-of-type")?.getBBox();
        return [...block.querySelectorAll("text")].flatMap((text) => {
            const { x, width } = text.getBBox();
            return x < room.x || x + width > room.x + room.width ? [text.textContent] : [];
        });
    })"""
FRAMES_ON_AN_ARROW = """(drawing) => {
    const arrows = [...drawing.querySelectorAll(".edge path")].map((it) => it.getBBox());
    return [...drawing.querySelectorAll(".frame text")].flatMap((text) => {
        const { x, y, width, height } = text.getBBox();
        const crossed = arrows.some((it) => it.width < 1 && it.x > x && it.x < x + width
            && it.y < y + height && it.y + it.height > y);
        return crossed ? [text.textContent] : [];
    });
}"""


@pytest.mark.parametrize("locale", languages("fr-FR", "zh-CN"))
def test_on_a_phone_labels_stay_in_their_blocks_and_beside_arrows(
    open_page: Open, locale: str
) -> None:
    page = open_page(375, query="?tab=model", locale=locale)
    drawing = page.get_by_role("tabpanel").locator("svg[role=group]")
    expect(drawing.get_by_role("button").first).to_be_visible()
    settle(page)
    assert drawing.evaluate(TEXTS_BEYOND_THEIR_BLOCKS) == []
    assert drawing.evaluate(FRAMES_ON_AN_ARROW) == []
