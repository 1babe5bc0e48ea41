"""The first minute: a card that invites once, and leads through four moments."""

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, START, Open
from tests.browser.helpers import (
    light,
    lit_rows,
    sentence,
    settle,
    source_text,
    status,
    translate,
    violations,
)
from transformer import Translator
from transformer.trace.trace import AttentionTrace
from transformer.trace.words import word_texts, words_of

CLIPPED = """card => [...card.querySelectorAll("*:not(svg *)")]
    .filter((part) => part.checkVisibility() && part.clientWidth)
    .filter((part) => part.scrollWidth > part.clientWidth + 1)
    .map((part) => part.textContent)"""

STEP: int = START["step"]


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[1])


@pytest.fixture(scope="module")
def led(translator: Translator, trace: AttentionTrace) -> AttentionTrace:
    """The same, with its step looking at the card's other word alone."""
    words = words_of(trace.src)
    [word] = [w for w in words if word_texts(trace.src, [w]) == (START["elsewhere"],)]
    keys = ",".join(str(key + 1) for key in word)
    return translator.trace(EXAMPLES[1], interventions=[f"cross@{STEP}=aim:{keys}"])


def card(page: Page) -> Locator:
    return page.get_by_role("region", name="Start here")


def verdict(page: Page) -> Locator:
    return card(page).get_by_role("status")


def press(page: Page, name: str) -> None:
    card(page).get_by_role("button", name=name).click()


def words(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Source").get_by_role("option")


def moment(page: Page, number: int) -> None:
    expect(card(page)).to_contain_text(f"{number} / 4")


def looked_at(trace: AttentionTrace) -> tuple[int, float]:
    """A piece of the word that L2H1, the representative head, looks at most; the word's weight."""
    assert trace.cross is not None
    row = trace.cross[1, 0, STEP - 1]
    word = max(words_of(trace.src), key=lambda word: row[list(word)].sum())
    return word[0], float(row[list(word)].sum())


def test_four_moments_by_keyboard_alone(
    open_page: Open, trace: AttentionTrace, led: AttentionTrace
) -> None:
    page = open_page(newcomer=True, reduced_motion="reduce")
    card(page).get_by_role("button", name="Start here").focus()
    page.keyboard.press("Enter")

    # The card's sentence, before the step; no light yet.
    moment(page, 1)
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text(EXAMPLES[1]))
    assert status(page).startswith(f"Step {STEP - 1} of")
    expect(sentence(page)).to_be_hidden()
    expect(light(page)).to_be_hidden()
    assert not words(page).first.locator("..").get_attribute("style")
    expect(words(page).first).to_be_focused()
    right, weight = looked_at(trace)
    for _ in range(right):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")

    moment(page, 2)
    assert status(page).startswith(f"Step {STEP} of")
    expect(verdict(page)).to_contain_text("Yes: ")
    expect(verdict(page)).to_contain_text(f"({weight:.2f})")
    expect(verdict(page)).to_contain_text("None of the 8 heads is the whole reason.")
    expect(sentence(page)).to_be_visible()
    box = lit_rows(page).bounding_box()
    page.keyboard.press("Enter")

    moment(page, 3)
    assert lit_rows(page).bounding_box() == box  # the picture stays where it is
    page.keyboard.press("Enter")  # the button leads the beam, as dragging does
    page.wait_for_url("**aim**", wait_until="commit")
    if led.translation != trace.translation:
        expect(verdict(page)).to_contain_text(led.translation)
    expect(verdict(page)).to_contain_text(trace.translation)
    page.keyboard.press("Enter")

    moment(page, 4)
    expect(page.get_by_role("textbox", name="Source sentence")).to_be_focused()
    page.wait_for_url(lambda url: "aim" not in url, wait_until="commit")
    page.keyboard.type(EXAMPLES[0])
    page.keyboard.press("Enter")
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text(EXAMPLES[0]))
    moment(page, 4)
    press(page, "Take the tour")
    expect(page.get_by_role("complementary", name="Tour")).to_be_visible()
    expect(card(page)).to_be_hidden()


def test_a_wrong_guess_hears_where_the_head_looks(open_page: Open, trace: AttentionTrace) -> None:
    page = open_page(query="?start=1", has_touch=True)
    right, weight = looked_at(trace)
    own = next(word for word in words_of(trace.src) if right in word)
    wrong = next(i for i in range(len(trace.src) - 1) if i not in own)
    words(page).nth(wrong).tap()
    expect(verdict(page)).to_contain_text("You chose")
    expect(verdict(page)).to_contain_text(f"({weight:.2f})")
    expect(page.get_by_role("dialog", name="What to do with this word")).to_be_hidden()


def test_it_is_offered_once_and_then_stands_in_the_tour(open_page: Open) -> None:
    page = open_page(newcomer=True)
    expect(card(page)).to_contain_text("New here?")
    before = lit_rows(page).bounding_box()
    press(page, "Close")
    expect(card(page)).to_be_hidden()
    assert lit_rows(page).bounding_box() == before
    page.reload()
    page.locator("[data-ready]").wait_for()
    expect(card(page)).to_be_hidden()
    page.get_by_role("button", name="Tour", exact=True).click()
    group = page.get_by_role("group", name="What to learn with")
    expect(group.get_by_role("button").first).to_have_text("Start here")
    group.get_by_role("button", name="Start here").click()
    moment(page, 1)
    expect(page.get_by_role("complementary")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    card(page).get_by_role("button", name="Show me").press("Escape")
    expect(card(page)).to_be_hidden()
    expect(sentence(page)).to_be_visible()


def test_custom_sentence_gets_no_suggested_target(open_page: Open) -> None:
    page = open_page(query="?start=3")
    press(page, "Look at station")
    page.wait_for_url("**aim**", wait_until="commit")
    translate(page, EXAMPLES[0])
    moment(page, 4)
    page.wait_for_url(lambda url: "aim" not in url, wait_until="commit")


def test_of_a_decoder_alone_it_takes_place_in_its_own_text(open_page: Open) -> None:
    page = open_page(query="?model=poet", newcomer=True, reduced_motion="reduce")
    press(page, "Start here")
    moment(page, 1)
    expect(verdict(page)).to_contain_text("at which earlier word")
    press(page, "Show me")
    moment(page, 2)
    expect(verdict(page)).to_contain_text("this head looks at")
    press(page, "Next")
    moment(page, 3)
    card(page).get_by_role("button", name="Look at").click()
    page.wait_for_url("**decoder_self@**aim**", wait_until="commit")
    expect(verdict(page)).to_contain_text("The text ")
    press(page, "Next")
    moment(page, 4)
    page.wait_for_url(lambda url: "aim" not in url, wait_until="commit")
    page.locator("#source").fill("你好。")
    page.locator("#source").press("Enter")
    page.wait_for_url("**source=%E4%BD%A0%E5%A5%BD**", wait_until="commit")
    moment(page, 4)
    press(page, "Close")
    page.get_by_role("button", name="Tour", exact=True).click()
    group = page.get_by_role("group", name="What to learn with")
    expect(group.get_by_role("button", name="Start here")).to_be_visible()


@pytest.fixture
def without_start(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The small models; the translator's card names no first minute."""
    folder = tmp_path / "checkpoints"
    shutil.copytree(models, folder)
    config = folder / "en-zh" / "config.json"
    content = json.loads(config.read_text(encoding="utf-8"))
    del content["card"]["start"]
    config.write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(folder))


@pytest.mark.usefixtures("without_start")
def test_so_it_does_of_a_translator_whose_card_names_none(open_page: Open) -> None:
    page = open_page(query="?start=1&source=Good+morning.", newcomer=True)
    moment(page, 1)
    press(page, "Show me")
    moment(page, 2)
    assert "source=Good+morning." in page.url, "nothing else is opened"


@pytest.mark.parametrize(
    ("width", "locale", "color_scheme"),
    [
        pytest.param(375, "zh-CN", "dark", marks=pytest.mark.slow),
        (375, "fr-FR", "dark"),
        pytest.param(1280, "fr-FR", "light", marks=pytest.mark.slow),
    ],
)
def test_nothing_is_clipped_and_axe_is_content(
    open_page: Open, width: int, locale: str, color_scheme: str
) -> None:
    page = open_page(width, newcomer=True, locale=locale, color_scheme=color_scheme)
    box = page.locator("section.start")
    for _ in range(5):
        settle(page)
        assert box.evaluate(CLIPPED) == []
        button = box.bounding_box()
        assert button
        assert button["x"] >= 0
        assert button["x"] + button["width"] <= width
        assert violations(page, "section.start") == []
        box.locator(".chip").click()
