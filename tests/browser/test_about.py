"""What the model is, its card, and what it cannot know of a sentence."""

from collections.abc import Iterator
from pathlib import Path
from statistics import geometric_mean

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open, Words, languages
from transformer import Translator, checkpoint
from transformer.checkpoint.card import write_card

ABOUT = {
    "en": "A phrasebook of short sentences.",
    "zh": "一本短句手册。",
    "fr": "Un guide de phrases courtes.",
}
CARD = "---\nlicense: x\n---\n# A card\n\nIt says <img src=x onerror=alert(1)>.\n"


@pytest.fixture
def described(models: Path) -> Iterator[None]:
    """The translator has a card for a while."""
    folder = models / "en-zh"
    card = checkpoint.read_card(folder)
    write_card(folder, {**card, "about": ABOUT, "source_language": "en", "action": {"en": "Say"}})
    (folder / "README.md").write_text(CARD, encoding="utf-8")
    (folder / "README.zh.md").write_text("# 一张卡片\n\n一半的页面。\n", encoding="utf-8")
    yield
    (folder / "README.md").unlink()
    (folder / "README.zh.md").unlink()
    write_card(folder, card)


def about(page: Page, t: Words) -> Locator:
    return page.get_by_role("region", name=t("about"), exact=True)


@pytest.mark.parametrize("locale", languages("en-US"))
@pytest.mark.usefixtures("described")
def test_the_page_says_what_the_model_is_and_shows_its_card_as_text(
    open_page: Open, assets: Path, locale: str
) -> None:
    page, t = open_page(locale=locale), Words(assets, locale)
    expect(about(page, t)).to_contain_text(ABOUT[locale[:2]])
    page.get_by_role("button", name=t("about.card"), exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("It says <img src=x onerror=alert(1)>.")
    expect(dialog.get_by_role("heading", name="A card")).to_be_visible()
    expect(dialog.locator("img")).to_have_count(0)
    # Half of it in the page's language, in the page's type, and then the whole.
    own = dialog.get_by_role("heading", name="一张卡片")
    expect(own).to_be_visible(visible=locale == "zh-CN")
    paragraph = dialog.get_by_text("It says <img")
    assert paragraph.evaluate("(it) => getComputedStyle(it).textAlign") == "start"
    assert paragraph.evaluate("(it) => getComputedStyle(it).fontSize") == "16px"
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


@pytest.mark.usefixtures("described")
def test_a_model_that_does_not_translate_says_what_it_does(page: Page) -> None:
    expect(page.get_by_role("button", name="Say", exact=True)).to_be_visible()


def test_without_a_card_there_is_none_to_open(page: Page, assets: Path) -> None:
    card = Words(assets, "en")("about.card")
    expect(page.get_by_role("button", name=card, exact=True)).to_be_hidden()


@pytest.mark.usefixtures("described")
def test_a_line_says_what_the_model_cannot_read(
    open_page: Open, assets: Path, translator: Translator
) -> None:
    page, t = open_page(), Words(assets, "en")
    note = page.get_by_role("status", name=t("about.warning"))
    expect(note).to_be_empty()  # it stands in the card as an example
    own = "I love you!"
    box = page.get_by_role("textbox", name="Source sentence")
    box.fill(own)
    box.press("Enter")
    trace = translator.trace(own)
    chosen = [
        next(each.probability for each in step if each.id == id_)
        for step, id_ in zip(trace.candidates, trace.tgt_ids, strict=True)
    ]
    mean = geometric_mean(chosen)  # an untrained model is unsure of everything
    unsure = t("about.broken", words="love, you", probability=f"{mean:.2f}")
    expect(note).to_have_text(unsure)
    box.fill("مرحبا")
    box.press("Enter")
    expect(note).to_have_text(t("about.foreign", language=t("language.en")))
    box.fill("Où est mon chat ?")
    box.press("Enter")
    french = {"language": t("language.en"), "other": t("language.fr")}
    expect(note).to_have_text(t("about.language", **french))
    box.fill("I love ☃ you.")
    box.press("Enter")
    expect(note).to_have_text(t("about.unknown"))
    box.fill(own)
    box.press("Enter")
    expect(note).to_have_text(unsure)
    page.get_by_role("button", name="Decoding").click()
    page.get_by_role("button", name="Sampling", exact=True).click()
    expect(note).to_be_empty()
