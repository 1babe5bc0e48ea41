"""The settings of decoding."""

import math
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, Open, Words
from tests.browser.helpers import leave_box, settle
from transformer import Translator, inside

pytestmark = pytest.mark.usefixtures("without_gradio")


def test_choosing_how_to_decode_moves_and_covers_nothing(page: Page) -> None:
    button = page.get_by_role("button", name="Decoding")
    before = button.bounding_box()
    button.click()
    page.get_by_role("button", name="Sampling", exact=True).click()
    expect(page.get_by_role("spinbutton", name="Seed")).to_be_visible()
    expect(button).to_contain_text("Sampling")
    after = button.bounding_box()
    assert before
    assert after
    assert [after[x] for x in ("x", "width")] == pytest.approx(
        [before["x"], before["width"]], abs=1
    )
    leave_box(page)
    expect(page.get_by_role("spinbutton", name="Seed")).to_be_hidden()


@pytest.mark.parametrize(
    ("width", "locale"),
    [(1280, "en-US"), (1366, "fr-FR"), pytest.param(1920, "zh-CN", marks=pytest.mark.slow)],
)
def test_the_settings_of_decoding_leave_the_steps_status_in_sight(
    open_page: Open, assets: Path, width: int, locale: str
) -> None:
    page, t = open_page(width, locale=locale), Words(assets, locale)
    page.set_viewport_size({"width": width, "height": 720})
    page.get_by_role("button", name=t("sampling.heading")).click()
    settings = page.get_by_role("group", name=t("sampling.heading")).first
    for mode in ("sampling.sampling", "sampling.greedy", "sampling.sampling"):
        settings.get_by_role("button", name=t(mode), exact=True).click()
        settle(page)
        box = settings.bounding_box()
        message = page.get_by_role("status", name=t("step.status_name")).bounding_box()
        button = page.get_by_role("button", name=t("sampling.heading")).bounding_box()
        assert box
        assert message
        assert button
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= button["y"] < message["y"]


def test_a_top_k_below_0_is_refused_in_a_sentence(open_page: Open) -> None:
    page = open_page(query="?sampling=1-0-3")
    page.get_by_role("button", name="Decoding").click()
    top_k = page.get_by_label("Top-k")
    top_k.fill("-3")
    top_k.press("Tab")
    problem = page.get_by_text("Sampling needs a temperature above 0")
    expect(problem).to_be_visible()
    expect(top_k).to_have_value("-3")
    top_k.fill("3")
    top_k.press("Tab")
    expect(problem).to_be_hidden()


def test_the_candidates_bars_follow_the_temperature(
    open_page: Open, translator: Translator
) -> None:
    trace = translator.trace(EXAMPLES[0])
    page = open_page(query="?step=3")
    beside = page.get_by_role("group", name="At another temperature")
    numbers = page.get_by_role("list", name="Candidates", exact=True).locator(".number")
    distribution = inside.distribution(translator, trace)
    logits = distribution.logits[2].astype(float)
    for warmth in (0.5, 1.45):
        beside.get_by_role("slider", name="Temperature").fill(str(warmth))
        sums = distribution.log_sum[
            2, [round(each, 2) for each in distribution.temperatures].index(warmth)
        ]
        share = math.exp(logits[0] / warmth - float(sums))
        expect(numbers.first).to_have_text("<0.01" if share < 0.005 else f"{share:.2f}")
    page.wait_for_url("**tempered=1.45**", wait_until="commit")
    beside.get_by_role("button", name="as decoded").click()
    own = trace.candidates[2][0].probability
    expect(numbers.first).to_have_text("<0.01" if own < 0.005 else f"{own:.2f}")
    # Of a small model nothing stands out: its nucleus has more than fifty tokens.
    expect(beside.get_by_role("slider", name="Top-p")).to_be_hidden()
    beside.get_by_role("slider", name="Temperature").fill("1.1")
    beside.get_by_role("slider", name="Top-p").fill("0.9")
    message = beside.get_by_role("status", name="At another temperature")
    expect(message).to_contain_text("past the 50 likeliest tokens")
    beside.get_by_role("button", name="draw tokens so").click()
    page.wait_for_url("**sampling=1.1-0-1-0.9**", wait_until="commit")
