"""Exercises and clinic: solved on the real page, which judges by what it shows."""

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, Open
from tests.browser.helpers import TITLES, cell, show_kind, source_text, violations
from transformer import Translator
from transformer.trace.kinds import Kind

pytestmark = pytest.mark.usefixtures("without_gradio")

BUGS = ["mask is missing", "inverted", "divided", "Positions", "mixed", "not shifted"]
RIGHT = ["mask is missing", "not shifted", "Positions", "inverted", "mixed", "divided"]


@pytest.fixture
def clinic(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The small models, and those of the clinic."""
    folder = tmp_path / "checkpoints"
    shutil.copytree(models, folder)
    for name in ("reverse", "_patient"):
        shutil.copytree(Path(__file__).parents[2] / "checkpoints" / name, folder / name)
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(folder))


def panel(page: Page, name: str) -> Locator:
    return page.get_by_role("complementary", name=name)


def judged(page: Page) -> Locator:
    return panel(page, "Exercises").get_by_role("status", name="What the page sees")


def test_exercises_are_solved_on_the_page(open_page: Open, translator: Translator) -> None:
    # The head that covers the source best, and the one that does so least.
    trace = translator.trace(EXAMPLES[0])
    assert trace.cross is not None
    score = trace.cross[..., :-1].max(2).mean(-1)
    layer, head = divmod(int(score.argmax()), score.shape[1])
    # What happens to be large when an exercise opens is no answer.
    page = open_page(query=f"?step=2&cross=L{layer + 1}H{head + 1}", reduced_motion="reduce")
    page.get_by_role("button", name="Tour").click()
    expect(page.get_by_role("button", name="Clinic")).to_have_count(0)  # its toy is not here
    panel(page, "Tour").get_by_role("button", name="Exercises").click()
    heading = panel(page, "Exercises").get_by_role("heading")
    expect(heading).to_have_text("1 / 8 · The head that aligns")
    expect(judged(page)).to_be_hidden()  # nothing was tried yet
    panel(page, "Exercises").get_by_text("Hint").click()
    expect(panel(page, "Exercises").get_by_text("strong diagonal")).to_be_visible()

    heads = page.get_by_role("grid", name="All heads: Cross-attention")
    for at, met in ((score.argmin(), False), (score.argmax(), True)):
        layer, head = divmod(int(at), score.shape[1])
        heads.get_by_role("gridcell", name=f"Layer {layer + 1}, head {head + 1}").click()
        expect(judged(page)).to_contain_text(f"{score[layer, head]:.2f}")
        if not met:
            expect(judged(page)).to_contain_text(f"reaches {score.max():.2f}")
            expect(heading).not_to_contain_text("✓")
    expect(judged(page)).to_contain_text("Yes:")
    expect(heading).to_contain_text("✓")

    heading.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    # The kind whose head is chosen is judged.
    tokens: dict[Kind, str] = {"decoder_self": "<s>", "encoder_self": "</s>"}
    for kind, token in tokens.items():
        show_kind(page, kind)
        tiles = page.get_by_role("grid", name=f"All heads: {TITLES[kind]}")
        tiles.get_by_role("gridcell", name="Layer 1, head 1", exact=True).click()
        expect(judged(page)).to_contain_text(f" {token}")
    heading.focus()
    page.keyboard.press("ArrowRight")
    expect(heading).to_have_text("4 / 8 · What padding would do")
    page.wait_for_url("**exercise=4&solved=e1**", wait_until="commit")
    page.goto(page.url)  # a link says how far one is
    expect(heading).to_have_text("4 / 8 · What padding would do")
    matrix = page.get_by_role("figure", name="Decoder self-attention", exact=True).get_by_role(
        "img"
    )
    rows = len(trace.tgt_in)
    for (query, key), expected in (
        ((1, 0), "may look at <s>"),
        ((0, rows - 1), "Yes: <s> must not"),
    ):
        x, y = cell(matrix, rows, rows, query, key)
        matrix.click(position={"x": x, "y": y})
        expect(judged(page)).to_contain_text(expected)

    # The key that the fifth names switches off one head, from where it opens.
    panel(page, "Exercises").get_by_role("button", name="Next").click()
    expect(heading).to_have_text("5 / 8 · A head that does nothing")
    heading.focus()
    page.keyboard.press("x")
    expect(page.get_by_role("group", name="Changes to the model")).to_contain_text(
        "1 head switched off"
    )
    expect(judged(page)).to_contain_text("Without Cross")
    page.keyboard.press("x")
    expect(judged(page)).to_be_hidden()

    # One row of difference: two sentences, one after the other.
    for _ in range(2):
        panel(page, "Exercises").get_by_role("button", name="Next").click()
    expect(heading).to_have_text("7 / 8 · One row of difference")
    page.locator("#source").fill(EXAMPLES[1])
    page.locator("#source").press("Enter")
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text(EXAMPLES[1]))
    expect(judged(page)).to_contain_text("tokens")
    assert violations(page, "aside") == []
    page.keyboard.press("Escape")


def test_of_a_decoder_that_repeats_the_head_is_found_that_looks_up_what_came_next(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repeat").symlink_to(Path(__file__).parents[2] / "checkpoints" / "repeat")
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    page = open_page(query="?model=repeat&source=planet&exercise=10", reduced_motion="reduce")
    heading = panel(page, "Exercises").get_by_role("heading")
    expect(heading).to_have_text("9 / 9 · Looking up what came next")
    expect(judged(page)).to_be_hidden()
    heads = page.get_by_role("grid", name=f"All heads: {TITLES['decoder_self']}")
    heads.get_by_role("gridcell", name="Layer 1, head 1").click()
    expect(judged(page)).to_contain_text("You chose L1H1")
    heads.get_by_role("gridcell", name="Layer 2, head 1").click()
    expect(judged(page)).to_contain_text("Yes: L2H1")
    expect(heading).to_contain_text("✓")
    page.wait_for_url("**solved=e10**", wait_until="commit")


@pytest.mark.slow
@pytest.mark.usefixtures("clinic")
def test_a_patient_is_known_by_its_numbers_and_only_by_its_own(open_page: Open) -> None:
    page = open_page(375, query="?model=reverse&source=headlight&clinic=1", reduced_motion="reduce")
    beside = panel(page, "Clinic")
    bugs = beside.get_by_role("group", name="What is wrong?")
    message = beside.get_by_role("status", name="What the numbers say")
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text("headlight"))
    for number, right in enumerate(RIGHT, start=1):
        expect(beside.get_by_role("heading")).to_have_text(f"{number} / 6 · Patient {number}")
        # The patient is there once it can be diagnosed; and nothing names what is wrong with it.
        expect(bugs.get_by_role("button").first).to_be_enabled()
        expect(page.get_by_role("group", name="Changes to the model")).to_be_hidden()
        expect(page.get_by_role("heading", name="Output")).to_be_visible()
        expect(beside.get_by_role("button", name="Start here")).to_be_visible()
        assert not {"off", "prefix"} & {part.split("=")[0] for part in page.url.split("&")}
        for bug in [*(bug for bug in BUGS if bug != right), right]:
            bugs.get_by_role("button").filter(has_text=bug).click()
            expect(message).to_contain_text("Yes." if bug == right else "No:")
            expect(message).not_to_contain_text("{")
        expect(beside.get_by_role("heading")).to_contain_text("✓")
        if number < len(RIGHT):
            beside.get_by_role("button", name="Next").click()
    assert violations(page, "aside") == []
    beside.get_by_role("button", name="Show me where").click()
    page.wait_for_url("**cell=encoder_self.L1H1**solved=c1-c2-c3-c4-c5-c6**", wait_until="commit")

    # Another word is examined, too; one that the toy cannot read is not.
    page.locator("#source").fill("abcd")
    page.locator("#source").press("Enter")
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text("abcd"))
    expect(message).to_contain_text("Yes.")  # it was diagnosed before
    page.locator("#source").fill("aaaa")
    page.locator("#source").press("Enter")
    expect(beside).to_contain_text("letters and digits only")
    beside.get_by_role("button", name="Close").click()
    expect(page.get_by_role("group", name="Changes to the model")).to_be_hidden()
    expect(page.locator(".touring")).to_have_count(0)


@pytest.mark.usefixtures("clinic")
def test_the_clinic_gives_back_the_sentence_and_the_model_that_it_took(open_page: Open) -> None:
    page = open_page(query="?model=en-zh&source=I+love+you.&tab=model", reduced_motion="reduce")
    before = page.get_by_role("listbox", name="Source").text_content() or ""
    page.get_by_role("button", name="Tour").click()
    page.get_by_role("group", name="What to learn with").get_by_role(
        "button", name="Clinic"
    ).click()
    beside = panel(page, "Clinic")
    bugs = beside.get_by_role("group", name="What is wrong?")
    expect(bugs.get_by_role("button").first).to_be_enabled()
    # It opens where its patients are looked at.
    expect(page.get_by_role("tab", name="Attention")).to_have_attribute("aria-selected", "true")
    beside.get_by_role("button", name="Close").click()
    expect(page.get_by_role("combobox", name="Model").first).to_have_value("en-zh")
    expect(page.get_by_role("listbox", name="Source")).to_have_text(before)


@pytest.mark.usefixtures("clinic")
@pytest.mark.parametrize("examples", [["headlight"], [], ["two words"]])
def test_the_clinic_opens_by_its_number_alone(
    open_page: Open, tmp_path: Path, examples: list[str]
) -> None:
    config = tmp_path / "checkpoints" / "reverse" / "config.json"
    content = json.loads(config.read_text(encoding="utf-8"))
    content["card"]["examples"] = examples
    config.write_text(json.dumps(content), encoding="utf-8")
    page = open_page(query="?clinic=1", reduced_motion="reduce")
    bugs = panel(page, "Clinic").get_by_role("group", name="What is wrong?")
    expect(bugs.get_by_role("button").first).to_be_enabled()
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text("headlight"))
