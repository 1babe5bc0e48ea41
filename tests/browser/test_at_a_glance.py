"""What a person in front of the screen sees first: nothing is cut, covered, moved or too small."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import EXAMPLES, Open, languages
from tests.browser.helpers import labels, light, plot, sentence, settle, translate, translation, why
from transformer import Translator, inside

DESK: ViewportSize = {"width": 1366, "height": 768}
PHONE: ViewportSize = {"width": 375, "height": 812}


def box(part: Locator) -> dict[str, float]:
    """Where a part stands in the window: its sides."""
    return part.evaluate("(it) => it.getBoundingClientRect().toJSON()")


def font(part: Locator) -> float:
    return part.evaluate("(it) => Number.parseFloat(getComputedStyle(it).fontSize)")


@pytest.mark.parametrize("locale", languages("fr-FR"))
def test_the_legend_is_read_before_what_it_explains(open_page: Open, locale: str) -> None:
    page = open_page(locale=locale)
    page.set_viewport_size(DESK)
    settle(page)
    legend = page.get_by_role("tabpanel").get_by_role("region").first
    matrix = page.get_by_role("figure").locator(".matrix")
    assert box(legend)["bottom"] <= box(matrix)["top"]
    assert box(legend)["height"] < 30, "it is one line"


def test_the_beam_stays_low_on_other_tabs(page: Page) -> None:
    page.get_by_role("tab", name="Model").click()
    settle(page)
    canvas = light(page)
    expect(canvas).to_be_visible()
    assert 20 <= box(canvas)["height"] <= 60
    painted = canvas.evaluate(
        """(canvas) => {
            const { width, height } = canvas;
            const copy = new OffscreenCanvas(width, height).getContext("2d");
            copy.drawImage(canvas, 0, 0);
            return copy.getImageData(0, 0, width, height).data.some((x) => x);
        }"""
    )
    assert painted


def test_beside_a_lesson_the_rows_of_words_have_the_pages_width(open_page: Open) -> None:
    page = open_page(query="?step=2&exercise=4&kind=cross")
    page.set_viewport_size(DESK)
    settle(page)
    source = page.get_by_role("listbox", name="Source", exact=True)
    assert box(source)["width"] > 880
    assert box(translation(page).locator(".."))["top"] >= box(sentence(page))["bottom"]


def test_examples_lie_over_the_page_and_move_nothing(open_page: Open) -> None:
    page = open_page()
    page.set_viewport_size(PHONE)
    settle(page)
    before = box(page.get_by_role("region", name="Step"))["top"]
    more = page.get_by_role("button", name=re.compile("^(more ›|less)$"))
    more.click()
    settle(page)
    assert abs(box(page.get_by_role("region", name="Step"))["top"] - before) <= 1
    last = page.get_by_role("group", name="Examples").get_by_role("button").last
    last.click(trial=True)  # nothing covers it
    more.click()
    settle(page)
    assert abs(box(page.get_by_role("region", name="Step"))["top"] - before) <= 1


@pytest.mark.parametrize("locale", languages("fr-FR"))
def test_beside_a_lesson_the_head_of_the_page_is_one_line(open_page: Open, locale: str) -> None:
    page = open_page(query="?tour=1", locale=locale)
    page.set_viewport_size(DESK)
    settle(page)
    assert box(page.locator("header"))["height"] < 70


def test_what_explains_sampling_leaves_its_temperature_in_sight(page: Page) -> None:
    page.get_by_role("button", name="Decoding").click()
    sampling = page.get_by_role("button", name="Sampling", exact=True)
    sampling.click()
    bubble = page.get_by_role("tooltip")
    expect(bubble).to_be_visible()
    for label in ("temperature", "top_k", "seed"):
        field = page.locator(f"#{label}")
        expect(field).to_be_visible()
        assert box(field)["bottom"] <= box(bubble)["top"]


def test_the_step_of_a_phone_takes_the_lines_that_it_has(open_page: Open) -> None:
    page = open_page(query="?step=1")
    page.set_viewport_size(PHONE)
    settle(page)
    status = page.get_by_role("status", name="Step status")
    lines = status.evaluate(
        """(it) => {
            const range = document.createRange();
            range.selectNodeContents(it);
            return range.getBoundingClientRect().height;
        }"""
    )
    assert box(status)["height"] - lines < 10


def test_what_is_presented_is_read_from_eight_metres(open_page: Open) -> None:
    page = open_page(query="?step=2&presenter=on")
    page.set_viewport_size({"width": 1920, "height": 1080})
    settle(page)
    read = [".steps [role=status]", ".track .word", ".sentence", ".candidates li", ".head-title"]
    for part in [*read, ".translated output"]:
        assert font(page.locator(part).first) >= 24, part
    assert font(labels(page.get_by_role("figure"), "columns").first) >= 20
    assert box(plot(page.get_by_role("figure")))["bottom"] <= 1080


@pytest.mark.parametrize("step", [2, 6])
def test_the_row_of_a_stop_is_over_a_phones_panel(open_page: Open, step: int) -> None:
    page = open_page(query=f"?step={step}", reduced_motion="reduce")
    page.set_viewport_size({"width": 375, "height": 667})
    page.get_by_role("button", name="Tour").click()
    tour = page.get_by_role("complementary", name="Tour")
    for _ in range(4):
        tour.get_by_role("button", name="Next").click()
    expect(tour.get_by_role("heading")).to_contain_text("5 / 12")
    page.wait_for_function(
        """() => {
            const row = document.querySelector(".toured .axis.rows .label.current");
            const panel = document.querySelector("aside.tour:not([hidden])");
            const steps = document.querySelector(".steps");
            if (!row || !panel || !steps) return false;
            const { top, bottom } = row.getBoundingClientRect();
            return bottom <= panel.getBoundingClientRect().top
                && top >= steps.getBoundingClientRect().bottom;
        }"""
    )


def test_headings_stand_over_their_numbers(open_page: Open) -> None:
    page = open_page(query="?tab=model&block=scale")
    table = page.get_by_role("region", name="Open block").get_by_role("table")
    expect(table).to_be_visible()
    across = "(cells) => cells.map((it) => getComputedStyle(it).textAlign)"
    assert table.locator("thead th").evaluate_all(across)[1:] == ["end"] * 3
    assert set(table.locator("tbody td").evaluate_all(across)) == {"end"}


def test_the_model_is_introduced_once(open_page: Open) -> None:
    page = open_page(query="?tab=model")
    expect(page.get_by_text("Point at a token")).to_have_count(1)
    path = page.get_by_role("status", name="Path of a token")
    expect(path).to_contain_text("Point at a token: its path lights up")
    page.get_by_role("tabpanel").locator("[data-token='0'][data-side='source']").first.hover()
    expect(path).to_contain_text("runs through the encoder")


@pytest.mark.parametrize("step", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_why_this_word_begins_with_each_word_left_out(
    open_page: Open, translator: Translator, step: int
) -> None:
    page = open_page(query=f"?tab=why&step={step}")
    omissions = inside.leave_one_out(translator, translator.trace(EXAMPLES[0]))
    words = why(page)
    shown = words.get_by_role("img", name="Leave one word out, word by word")
    expect(shown).to_be_visible()
    words.locator("summary", has_text="Table").click()
    rows = words.get_by_role("table").locator("tbody tr")
    cells = rows.nth(step - 1).locator("td").all_inner_texts()[:-1]  # </s> is no word
    numbers = [float(text.replace("−", "-")) for text in cells]
    message = words.locator(".answer")
    most = float(np.abs(omissions.deltas[step - 1]).max())
    expect(message).to_contain_text(f"{most:.2f} nats" if most >= 0.1 else "No single word decides")
    np.testing.assert_allclose(numbers, -omissions.deltas[step - 1], atol=0.006)
    # One candidate more, and it is asked against that one.
    words.get_by_role("combobox", name=re.compile("^Why .* and not")).select_option(index=1)
    expect(words.get_by_text("log p(other)")).to_be_visible()
    expect(shown).to_have_count(0)
    # What says how the state came about is the same for both.
    words.get_by_role("combobox", name="Reading").select_option("Attention")
    expect(words.get_by_text("the same for every candidate")).to_be_visible()


def test_a_slider_sets_the_attentions_temperature(open_page: Open, translator: Translator) -> None:
    page = open_page(query="?tab=parts&step=1")
    heat = page.get_by_role("slider", name="Attention temperature")
    heat.fill("1.5")
    page.wait_for_function("location.search.includes('temperature')")
    expect(page.get_by_text("divided by 2.83")).to_be_visible()
    hot = translator.trace(EXAMPLES[0], interventions=["temperature=2.8284"])
    expect(page.get_by_role("status", name="Step status")).to_contain_text(
        f"({hot.candidates[0][0].probability:.2f})"
    )
    heat.fill("0")  # its exponent: as trained
    page.wait_for_function("!location.search.includes('temperature')")


def test_of_another_sentence_nothing_was_before(open_page: Open) -> None:
    page = open_page(query="?tab=compare")
    page.get_by_role("combobox", name="Compare what is shown with").select_option("other")
    form = page.get_by_role("tabpanel", name="Compare").locator("form")
    form.get_by_role("textbox").fill(EXAMPLES[1])
    form.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("less than in the other")).to_be_visible()
    expect(page.get_by_text("less than before")).to_have_count(0)


def test_why_one_loss_may_lie_above_the_other_is_said(
    open_page: Open, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "checkpoints"
    shutil.copytree(models, folder)
    shutil.copytree(Path(__file__).parents[2] / "checkpoints" / "repeat", folder / "repeat")
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(folder))
    page = open_page(query="?model=repeat&source=planetpla&tab=training&film=own")
    expect(page.get_by_text("The dev loss has neither")).to_be_visible()


def test_a_change_leaves_underlines_their_room(page: Page) -> None:
    translate(page, EXAMPLES[1])
    page.get_by_role("tab", name="Attention").focus()
    page.keyboard.press("x")
    before = page.get_by_role("group", name="Changes to the model").locator("p bdi")
    expect(before).to_be_visible()
    assert before.evaluate("(it) => Number.parseFloat(getComputedStyle(it).lineHeight)") >= 20


def test_eight_heads_fit_a_phones_width(open_page: Open) -> None:
    page = open_page(query="?tab=heads")
    page.set_viewport_size(PHONE)
    map_ = page.get_by_role("tabpanel", name="Heads").get_by_role("table").first
    cell = map_.get_by_role("cell").first
    expect(cell).to_be_visible()
    settle(page)
    # These models have four; a table of eight is as narrow as it can be.
    map_.evaluate("(it) => (it.style.width = 'min-content')")
    heading = map_.get_by_role("rowheader").first
    assert box(heading)["width"] + 8 * (box(cell)["width"] + 1) <= 343
