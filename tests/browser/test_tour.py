"""The tour: twelve stops along the visitor's sentence, whose questions the live trace judges."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, Open, Words
from tests.browser.helpers import figure, plot, status
from transformer import Translator
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")

STOPS = 12
ALONE = 14
"""Of a decoder alone, which has two of its own."""


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def tour(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Tour")


def guesses(page: Page) -> Locator:
    return tour(page).get_by_role("group", name="Your guess").get_by_role("button")


def right_guesses(page: Page) -> Locator:
    return guesses(page).and_(page.locator(".right"))


def toured(part: Page | Locator) -> Locator:
    """What the stop is about."""
    return part.locator(".toured")


@pytest.mark.parametrize(
    ("model", "stops"),
    [("en-zh", STOPS), pytest.param("poet", ALONE, marks=pytest.mark.slow)],
)
def test_every_stop_has_its_numbers_and_a_question_with_a_truth(
    open_page: Open, model: str, stops: int
) -> None:
    page = open_page(query=f"?model={model}", reduced_motion="reduce")
    page.get_by_role("button", name="Tour").click()
    before = status(page)
    for stop in range(1, stops + 1):
        expect(tour(page).get_by_role("heading")).to_contain_text(f"{stop} / {stops}")
        formula = tour(page).get_by_role("status", name="The formula, on your sentence")
        expect(formula.locator("p").first).not_to_be_empty()
        assert "NaN" not in formula.inner_text()
        expect(guesses(page).first).to_be_visible()
        if stop == 10:
            assert status(page) == before  # ← → went through the tour, not through the steps
        guesses(page).last.click()
        expect(right_guesses(page).first).to_contain_text("✓")
        if stop < stops:
            page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**tour={stops}**", wait_until="commit")
    page.keyboard.press("ArrowLeft")
    expect(tour(page).get_by_role("heading")).to_contain_text(f"{stops - 1} / {stops}")
    page.keyboard.press("Escape")
    expect(tour(page)).to_be_hidden()
    expect(page.get_by_role("button", name="Tour")).to_be_focused()


SEEN = """(marked) => {
    const { top, bottom } = marked.getBoundingClientRect();
    const tour = document.querySelector(".tour").getBoundingClientRect();
    const [from, to] = [
        document.querySelector(".steps").getBoundingClientRect().bottom,
        tour.top > 0 ? tour.top : innerHeight,
    ];
    const above = marked.closest(".source") ? 0 : from; // the steps stick below it
    // All of it, or as much as there is room for.
    return Math.min(bottom, to) - Math.max(top, above) >= Math.min(bottom - top, 120) - 1;
}"""


@pytest.mark.parametrize("width", [375, pytest.param(1366, marks=pytest.mark.slow)])
def test_what_a_stop_is_about_is_marked_and_in_sight(open_page: Open, width: int) -> None:
    page = open_page(width, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 812 if width == 375 else 768})
    page.get_by_role("button", name="Tour").click()
    for stop in range(1, STOPS + 1):
        expect(tour(page).get_by_role("heading")).to_contain_text(f"{stop} / {STOPS}")
        marked = toured(page)
        expect(marked).to_have_count(1)
        expect(marked).to_be_visible()
        page.wait_for_function(f"([marked]) => ({SEEN})(marked)", arg=[marked.element_handle()])
        page.keyboard.press("ArrowRight")
    # Its end leads on.
    expect(page.get_by_role("complementary", name="Exercises")).to_be_visible()
    expect(toured(page)).to_have_count(0)


def test_beside_a_stop_the_matrix_has_the_windows_height(open_page: Open) -> None:
    page = open_page(query="?tour=9", reduced_motion="reduce")
    page.set_viewport_size({"width": 1280, "height": 720})
    around = plot(figure(page))
    # A dozen rows, where the page alone has room for nine; a stop scrolls to what it is about.
    page.wait_for_function("([plot]) => plot.clientHeight > 220", arg=[around.element_handle()])


def test_a_hidden_row_is_guessed_and_the_truth_is_the_traces(
    open_page: Open, trace: AttentionTrace
) -> None:
    page = open_page(query="?step=2&tour=10", reduced_motion="reduce")
    tour(page).get_by_role("button", name="Next").click()
    expect(page.get_by_role("checkbox", name="Hide what comes next")).to_be_checked()
    assert trace.cross is not None
    row = trace.cross[
        1, 0, 2
    ]  # the representative head, L2H1; the step after the one that is shown
    expect(guesses(page)).to_have_text(list(trace.src[:10]))
    right, wrong = int(row.argmax()), int(row.argmin())
    guesses(page).nth(wrong).click()
    expect(guesses(page).nth(right)).to_contain_text(f"{row[right]:.2f} ✓")
    expect(guesses(page).nth(wrong)).to_contain_text("✗")
    assert status(page).startswith("Step 3 of")  # what was hidden is shown


def test_a_link_opens_a_stop_and_another_sentence_asks_anew(open_page: Open) -> None:
    page = open_page(375, query="?step=2&tour=7&kind=decoder_self")
    expect(tour(page)).to_be_visible()
    # What else the link says stays; what the stop is about is marked, and over the panel.
    expect(toured(figure(page, "decoder_self"))).to_be_in_viewport()
    box = tour(page).bounding_box()
    assert box
    assert (box["x"], box["width"]) == (0, 375)
    expect(guesses(page).first).to_be_visible()
    guesses(page).first.click()
    expect(guesses(page).first).to_have_attribute("aria-disabled", "true")
    page.locator("#source").fill(EXAMPLES[1])
    page.locator("#source").press("Enter")
    expect(guesses(page).first).not_to_have_attribute("aria-disabled", "true")


def test_what_a_poet_wrote_is_not_asked_as_if_somebody_had_typed_it(
    open_page: Open, poet: Translator
) -> None:
    prompt = "我爱你。"
    typed = poet.trace(prompt).prefix_length
    page = open_page(query=f"?model=poet&source={prompt}&step={typed + 3}&tour=1")
    expect(guesses(page)).to_have_count(typed + 1)  # and <s>
    # What is given is not what the model will write.
    page = open_page(query=f"?model=poet&source={prompt}&step=1&tour=12")
    expect(tour(page).get_by_role("heading")).to_contain_text("12 / 14")
    expect(tour(page).get_by_role("status", name="The formula, on your sentence")).to_contain_text(
        "exp"
    )
    expect(guesses(page).first).to_be_hidden()


def test_a_link_to_a_stop_alone_shows_what_it_is_about(open_page: Open) -> None:
    page = open_page(query="?step=2&tour=6")
    expect(page.get_by_role("tab", name="Model")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", name="Why ÷ √d_head?")).to_be_visible()


def test_the_mask_of_a_changed_model_is_counted_as_it_is(
    open_page: Open, trace: AttentionTrace
) -> None:
    count = len(trace.tgt_in)
    for off, seen in (("causal", count), ("causal.inverted", count - 1)):
        page = open_page(query=f"?step=2&tour=7&kind=decoder_self&off={off}")
        formula = tour(page).get_by_role("status", name="The formula, on your sentence")
        text = f"{seen} seen + {count - seen} hidden = {count} tokens"
        expect(formula.locator("p").first).to_have_text(text)
        expect(formula).to_contain_text("The model is changed: the numbers are its own")
        guesses(page).filter(has_text=re.compile(rf"^{seen}$")).click()
        expect(right_guesses(page)).to_have_text(re.compile(rf"^{seen}{seen} / {count} ✓$"))


def test_a_stop_says_what_it_says_in_sixty_words(assets: Path) -> None:
    names = (
        *("tokens", "embedding", "position", "projections", "scores", "scale"),
        *("mask", "softmax", "heads", "residual", "cross", "next", "sinks", "induction"),
    )
    for locale, most in (("en", 60), ("zh", 110)):
        t = Words(assets, locale)
        for name in names:
            text = t(f"tour.{name}.text")
            assert (len(text.split()) if locale == "en" else len(text)) <= most, name
