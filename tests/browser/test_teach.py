"""A visitor corrects the model: the page says what Python says, and a link is a correction."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from headlight.owner import SECRET
from tests.browser.conftest import EXAMPLES, Open
from tests.browser.helpers import REQUEST, drop, settle, translate, translation, violations
from transformer import Translator, teach
from transformer.teach.taught import Taught

pytestmark = pytest.mark.usefixtures("without_gradio")

TARGET = "I."
TEACH = "?tab=training&training=teach"
HOW = "adam-20-0.02"
"""What an untrained model learns in some ten steps."""

SHIPPED = Path(__file__).parents[2] / "checkpoints"


@pytest.fixture(scope="module")
def taught(translator: Translator) -> Taught:
    return teach.teach(translator, EXAMPLES[0], TARGET, 20, 0.02, "adam")


def tab(page: Page) -> Locator:
    return page.get_by_role("tabpanel", name="Training")


def moment(page: Page) -> Locator:
    """What is said of the step of the run that is looked at."""
    return tab(page).locator(".run output")


def label_rows(page: Page) -> Locator:
    """A row for each token that was to be learnt."""
    return tab(page).locator(".labels tbody tr")


def learn(page: Page, target: str, how: str = HOW) -> None:
    """Fills the form in, and presses Learn."""
    optimizer, steps, rate = how.split("-")
    panel = tab(page)
    panel.get_by_role("textbox", name="What this sentence should become").fill(target)
    panel.get_by_role("button", name="Adam" if optimizer == "adam" else "SGD").click()
    panel.get_by_role("spinbutton", name="Steps").fill(steps)
    panel.get_by_role("textbox", name="Learning rate").fill(rate)
    panel.get_by_role("button", name="Learn", exact=True).click()


def result(page: Page) -> Locator:
    return tab(page).get_by_role("status", name="What came of the correction")


def numbers(row: Locator) -> list[str]:
    return [text.strip() for text in row.locator("td").all_inner_texts()]


def test_a_sentence_is_taught_and_seen_step_by_step_and_forgotten(
    open_page: Open, translator: Translator, taught: Taught
) -> None:
    page = open_page(query=TEACH, reduced_motion="reduce")
    before = translation(page).inner_text()
    box = tab(page).get_by_role("textbox", name="What this sentence should become")
    expect(box).to_have_value(before)  # to be corrected
    learn(page, TARGET)
    assert taught.learnt is not None
    expect(result(page)).to_have_text(
        f"Learnt after {taught.learnt} steps: it says “{TARGET}”"
    )  # its own stop ends ours
    mark = page.get_by_role("note", name="Taught")
    expect(mark).to_contain_text(f"“{EXAMPLES[0]}” → “{TARGET}”")
    expect(translation(page)).to_have_text(TARGET)

    # Before the first step: the pair as training sees it.
    slider = tab(page).get_by_role("slider", name="Steps learnt")
    expect(slider).to_have_value("20")
    slider.focus()
    page.keyboard.press("Home")
    expect(moment(page)).to_contain_text(f"Before the first step. Loss {taught.losses[0]:.3f}.")
    rows = label_rows(page)
    for i, row in enumerate(rows.all()[:-1]):
        names = row.locator("th").all_inner_texts()
        assert names == [taught.tgt_in[i], taught.tgt_out[i]]
        p = float(taught.probabilities[0, i])
        was, now, loss, says = numbers(row)
        assert was == now == (f"{p:.2f}" if p >= 0.005 else "<0.01")
        assert abs(float(loss) + np.log(p)) < 0.006
        assert says == ("✓" if taught.likeliest[0][i] == taught.tgt_out[i] else says)
    expect(rows.last).to_contain_text("the loss ignores it")
    gradients = [float(x.replace("e−", "e-")) for x in texts_of(page, ".gradient-parts .number")]
    np.testing.assert_allclose(gradients, taught.gradients[0], rtol=0.2, atol=5e-4)
    page.keyboard.press("ArrowRight")
    expect(moment(page)).to_contain_text(f"After 1 of 20 steps. Loss {taught.losses[1]:.3f}.")
    expect(tab(page).get_by_role("table", name="After step 1 − Before")).to_be_visible()

    # What it cost others.
    cost = teach.forgetting(translator, taught.translator)
    others = [each for each in cost.sentences if each.source != EXAMPLES[0]]
    changed = sum(each.before != each.after for each in others)
    expect(tab(page).locator(".cost-note")).to_contain_text(
        re.compile(f"^({changed}|One) of {len(others)} other sentence")
    )

    # Every tab asks the model that was taught; Compare has the one from before beside it.
    page.get_by_role("tab", name="Compare").click()
    compare = page.get_by_role("tabpanel", name="Compare")
    expect(compare.get_by_role("row", name=re.compile("^Before"))).to_be_visible()
    expect(compare.get_by_role("table", name="Before", exact=True)).to_be_visible()
    translate(page, EXAMPLES[1])
    expect(translation(page)).to_have_text(taught.translator.translate(EXAMPLES[1]))
    page.wait_for_function("location.search.includes('teach_source=')")
    mark.get_by_role("button", name="Forget").click()
    expect(translation(page)).to_have_text(translator.translate(EXAMPLES[1]))
    expect(mark).to_be_hidden()
    page.wait_for_function("!location.search.includes('teach=')")


def texts_of(page: Page, selector: str) -> list[str]:
    return tab(page).locator(selector).all_inner_texts()


def test_a_link_teaches_the_same_and_the_back_button_forgets(
    open_page: Open, translator: Translator, taught: Taught
) -> None:
    page = open_page(query=TEACH, reduced_motion="reduce")
    learn(page, TARGET)
    page.wait_for_function("location.search.includes('teach=')")
    query = urlsplit(page.url).query
    asked = parse_qs(query)
    assert (asked["teach"], asked["teach_how"]) == ([TARGET], [HOW])
    assert asked["checkpoint"] == [taught.translator.checkpoint]
    page.go_back()
    expect(translation(page)).to_have_text(translator.translate(EXAMPLES[0]))
    expect(result(page)).to_be_hidden()
    page.go_forward()
    expect(translation(page)).to_have_text(TARGET)

    other = open_page(query=f"?{query}&teach_step=2", color_scheme="dark")
    expect(translation(other)).to_have_text(TARGET)
    expect(moment(other)).to_contain_text("After 2 of 20 steps.")
    expect(other.get_by_text("made with other weights")).to_be_hidden()
    settle(other)
    assert not violations(other)
    # The heads that are drawn are the taught model's.
    traced = taught.translator.trace(EXAMPLES[0])
    assert traced.cross is not None
    step = other.get_by_role("status", name="Step status")
    expect(step).to_contain_text(f"of {len(traced.tgt_out)}")


def test_a_saved_trace_names_its_correction_by_the_hash(
    page: Page, taught: Taught, tmp_path: Path
) -> None:
    taught.translator.trace(EXAMPLES[1]).save(tmp_path / "taught.json")
    content = (tmp_path / "taught.json").read_bytes()
    drop(page, "taught.json", content)
    expect(page.get_by_role("note", name="File")).to_contain_text("had been taught something")
    mark = page.get_by_role("note", name="Taught")
    expect(mark).to_contain_text("had been taught something before")
    expect(mark.get_by_role("button")).to_be_hidden()
    # Who shows the same correction can ask all of it.
    page.get_by_role("button", name="Back to the picture before").click()
    page.get_by_role("tab", name="Training").click()
    tab(page).get_by_role("button", name="Teach it").click()
    learn(page, TARGET)
    expect(mark).to_contain_text(TARGET)
    drop(page, "taught.json", content)
    expect(page.get_by_role("note", name="File")).to_contain_text("gives the same")


def test_a_rate_too_high_is_said_and_undone(open_page: Open, translator: Translator) -> None:
    page = open_page(query=TEACH, reduced_motion="reduce")
    learn(page, TARGET, "adam-5-1")
    expect(result(page)).to_contain_text("The learning rate is too high: the loss rose from")
    expect(translation(page)).to_have_text(translator.translate(EXAMPLES[0]))
    expect(page.get_by_role("note", name="Taught")).to_be_hidden()
    settle(page)
    assert "teach=" not in page.url

    def to_nothing(route: Route) -> None:
        """As when weights grow beyond all bounds, which an untrained model's do not."""
        answer = route.fetch()
        if json.loads(route.request.post_data or "{}").get("ask") != "teach":
            route.fulfill(response=answer)
            return
        run: dict[str, Any] = answer.json()["taught"]
        run |= {"undone": "not_a_number", "forgetting": None}
        run["losses"][-1] = None
        route.fulfill(response=answer, json={"taught": run})

    page.route(REQUEST, to_nothing)
    learn(page, TARGET, "adam-4-1")
    expect(result(page)).to_contain_text("after step 4 the loss was no number any longer (NaN)")
    expect(moment(page)).to_contain_text("Loss NaN.")
    page.unroute(REQUEST)
    # Whatever is taught next begins with the model as it was.
    learn(page, TARGET)
    expect(translation(page)).to_have_text(TARGET)


def test_a_link_to_a_correction_that_comes_to_nothing_leaves_the_model_as_it_is(
    open_page: Open, translator: Translator
) -> None:
    page = open_page(query=f"{TEACH}&teach=I.&teach_how=adam-5-1")
    expect(page.locator("#problem")).to_contain_text("The learning rate is too high")
    expect(translation(page)).to_have_text(translator.translate(EXAMPLES[0]))
    translate(page, EXAMPLES[1])
    expect(translation(page)).to_have_text(translator.translate(EXAMPLES[1]))
    page = open_page(query="?teach=I.&teach_how=sgd-99-0.1")
    expect(page.locator("#problem")).to_contain_text("teach_how=sgd-99-0.1")
    expect(page.get_by_role("note", name="Taught")).to_be_hidden()


def test_what_cannot_be_taught_is_said_in_a_sentence(page: Page) -> None:
    page.get_by_role("tab", name="Training").click()
    tab(page).get_by_role("button", name="Teach it").click()
    problem = tab(page).get_by_role("alert").first
    for target, how, sentence in (
        ("  ", HOW, "Type what the sentence should become."),
        (TARGET, "sgd-0-0.1", "A correction takes 1 to 50 steps"),
        (TARGET, "sgd-51-0.1", "A correction takes 1 to 50 steps"),
        (TARGET, "sgd-5-2", "A correction takes 1 to 50 steps"),
        ("a" * 90, HOW, "the model reads at most 32"),
        ("a" * 2001, HOW, "at most 2,000 fit"),
        ("\u200b", HOW, "Type what the sentence should become."),
    ):
        learn(page, target, how)
        expect(problem).to_contain_text(sentence)
        expect(page.get_by_role("note", name="Taught")).to_be_hidden()


def test_only_the_owner_may_keep_what_was_taught(
    open_page: Open, models: Path, taught: Taught
) -> None:
    query = f"{TEACH}&teach={TARGET}&teach_how={HOW}"
    page = open_page(query=query)
    expect(result(page)).to_contain_text("Learnt")
    expect(tab(page).get_by_role("button", name="Save as a checkpoint")).to_be_hidden()
    page = open_page(query=f"{query}#owner={SECRET}")
    save = tab(page).get_by_role("button", name="Save as a checkpoint")
    name = tab(page).get_by_role("textbox", name="Name")
    expect(name).to_have_value("en-zh-taught")
    name.fill("en-zh")
    save.click()
    message = tab(page).get_by_role("status", name="Save as a checkpoint")
    expect(message).to_have_text("There already is a model named “en-zh”.")
    name.fill("mine")
    try:
        save.click()
        expect(message).to_have_text("Saved as mine. It stands in the list of models.")
        kept = Translator.load(models / "mine")
        assert kept.translate(EXAMPLES[0]) == taught.translator.translate(EXAMPLES[0])
        expect(page.get_by_role("combobox", name="Model").locator("option")).to_have_count(4)
    finally:
        for file in (models / "mine").glob("*"):
            file.unlink()
        (models / "mine").rmdir()


def test_a_decoder_only_model_learns_to_go_on(open_page: Open) -> None:
    page = open_page(query=f"{TEACH}&model=poet", reduced_motion="reduce")
    learn(page, "你")
    expect(page.get_by_role("note", name="Taught")).to_be_visible()
    rows = label_rows(page)
    expect(rows.first).to_contain_text("Given, so the loss ignores it.")
    assert "你" in rows.locator("th:nth-child(2)").all_inner_texts()


def test_training_opens_on_a_film_that_begins_at_noise(
    open_page: Open, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The toy's, until the model's own does."""
    (tmp_path / "en-zh").symlink_to(models / "en-zh")
    (tmp_path / "reverse").symlink_to(SHIPPED / "reverse")
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    page = open_page(query="?tab=training")
    text = "came without a history of its training. So this is the film of the toy"
    expect(tab(page).get_by_text(text)).to_be_visible()
    expect(tab(page).locator("output")).to_contain_text("Step 5,000 of 5,000")
    tab(page).get_by_role("slider", name="Training step").press("ArrowLeft")
    page.wait_for_function("location.search.includes('film=toy')")
    query = urlsplit(page.url).query
    page = open_page(query=f"?{query}")
    expect(tab(page).locator("output")).not_to_contain_text("Step 5,000 of 5,000")
    expect(tab(page).locator(".film")).to_be_visible()


def test_a_toy_learns_from_noise_while_one_watches(open_page: Open) -> None:
    page = open_page(query="?tab=training&training=noise")
    tab(page).get_by_role("button", name="Start from noise").last.click()
    message = tab(page).locator("output")
    expect(message).to_contain_text(re.compile(r"Step [2-9]\d* of 600 .* “planet” becomes"))
    # What is watched may be stopped, and looked at again.
    slider = tab(page).get_by_role("slider", name="Training step")
    slider.press("Home")
    expect(message).to_contain_text("Step 0 of 600 (moment 1 of")
    heads = tab(page).get_by_role("group", name="Encoder self-attention").locator("canvas").first
    settle(page)
    first = heads.evaluate("canvas => canvas.toDataURL()")
    slider.press("ArrowRight")
    expect(message).to_contain_text("Step 1 of 600")
    settle(page)
    assert first != heads.evaluate("canvas => canvas.toDataURL()")
    tab(page).get_by_role("button", name="The film", exact=True).click()


def test_the_toys_names_fit_a_phone_in_french(open_page: Open) -> None:
    page = open_page(375, query="?tab=training&training=noise&toy=one_layer", locale="fr-FR")
    toys = page.get_by_role("tabpanel").get_by_role("button", name=re.compile("^Redire"))
    expect(toys).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_another_toy_learns_to_repeat_while_one_watches(open_page: Open) -> None:
    page = open_page(query="?tab=training&training=noise")
    start = tab(page).get_by_role("button", name="Start from noise").last
    start.click()
    message = tab(page).locator("output")
    expect(message).to_contain_text("“planet” becomes")
    which = tab(page).get_by_role("group", name="Which toy")
    which.get_by_role("button", name="Say it again", exact=True).click()
    page.wait_for_function("location.search.includes('toy=repeat')")
    expect(tab(page).get_by_text("a decoder alone that says a word again")).to_be_visible()
    # Nothing of the other one is left, until this one starts.
    expect(message).to_be_hidden()
    start.click()
    expect(message).to_contain_text(re.compile(r"Step \d+ of 600 .* “planet” goes on as"))
    which.get_by_role("button", name="Say it again, one layer").click()
    page.wait_for_function("location.search.includes('toy=one_layer')")
    expect(message).to_be_hidden()
    start.click()
    expect(message).to_contain_text(re.compile(r"Step \d+ of 600 .* “planet” goes on as"))
