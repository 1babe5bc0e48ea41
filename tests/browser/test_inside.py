"""Words, Layers and Training: what the page says is what Python says."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, Open, languages
from tests.browser.helpers import (
    TITLES,
    agreement,
    folded,
    labels,
    matters,
    number,
    panel,
    plot,
    settle,
    violations,
    why,
)
from tests.tiny import tiny_checkpoint
from transformer import AttentionTrace, Tokenizer, Translator, inside
from transformer.ask.agreement import by_word
from transformer.inside.alignment import ROWS, GoldLinks
from transformer.trace.kinds import Kind
from transformer.training.data import Text, encode
from transformer.training.history import CURVE, FILE, History
from transformer.training.moments import add_moment, describe
from transformer.training.sharpening import sharpening

pytestmark = pytest.mark.usefixtures("without_gradio")

STEPS = (0, 10, 100)


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


@pytest.fixture(scope="module")
def history(models: Path, tokenizer: Tokenizer) -> Iterator[History]:
    """Of the model that the page shows: other weights at every moment."""
    pairs = [Text("I love you.", "我爱你。"), Text("What a day!", "多好的一天！")]
    examples = encode(pairs, tokenizer, 64)
    kept = History([describe(example, tokenizer) for example in examples])
    for step in STEPS:
        add_moment(kept, step, tiny_checkpoint(tokenizer, seed=step).model, examples)
    files = (models / "en-zh" / FILE, models / "en-zh" / CURVE)
    kept.save(files[0])
    files[1].write_text("step,dev_loss,bleu\n10,4.5,3\n100,2.25,17.5\n")
    yield kept
    for file in files:
        file.unlink()


def lens_of(layers: Locator) -> Locator:
    return layers.get_by_role("table", name="What can be read off each layer (logit lens)")


def learnt(training: Locator, kind: Kind) -> Locator:
    """All heads of a kind, as they are at the moment shown."""
    return training.get_by_role("group", name=TITLES[kind])


def unfold(part: Locator) -> None:
    """What few people come for."""
    folded(part).last.click()


def readings(page: Page) -> Locator:
    """Of the words."""
    expect(why(page).get_by_role("combobox", name="Reading")).to_be_visible()
    why(page).scroll_into_view_if_needed()
    return why(page)


def in_numbers(part: Locator) -> list[list[str]]:
    """The cells of the table that stands below a picture, without its headings."""
    part.locator("summary", has_text="Table").first.click()
    table = part.get_by_role("table").first
    expect(table).to_be_visible()
    return table.locator("tbody tr").evaluate_all(
        """rows => rows.filter((row) => !row.hidden)
            .map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText))"""
    )


def test_a_reading_its_agreement_and_the_share_of_the_source(
    open_page: Open, translator: Translator, trace: AttentionTrace
) -> None:
    page = open_page(query="?tab=why&words=contributions&step=1")
    words = readings(page)
    expect(words.get_by_role("img", name=re.compile("word by word"))).to_be_visible()
    shares = inside.contributions(translator, trace)
    left = inside.leave_one_out(translator, trace)
    assert shares.source is not None
    expected = by_word(shares.source, left.pieces)
    cells = np.array([[number(cell) for cell in row] for row in in_numbers(words)])
    # The last column is </s>, which is no word.
    np.testing.assert_allclose(cells[:, :-1], expected, atol=0.006)
    agreed = [matters(*rows) for rows in zip(expected, -left.deltas, strict=True)]
    expect(agreement(words)).to_have_text(
        ["–" if each is None else f"{each[0]} of {each[1]} {each[2]}" for each in agreed]
    )
    bars = words.locator(".beside-rows .percent").all_inner_texts()
    percents = [int(text.removesuffix("%")) for text in bars]
    np.testing.assert_allclose(percents, 100 * shares.from_source, atol=0.51)
    judged = [each for each in agreed if each is not None]
    apart = sum(each[2] == "≠" for each in judged)
    disagreement = words.get_by_text(f"At {apart} of {len(judged)} tokens")
    expect(disagreement).to_have_count(1 if apart else 0)
    expect(words.get_by_text("What attention is not")).to_have_count(1 if apart else 0)

    words.get_by_role("combobox", name="Reading").select_option("Leave one word out")
    expect(agreement(words)).to_have_count(0)
    rows = words.get_by_role("table").first.locator("tbody tr")
    cells = np.array(
        [[number(cell) for cell in row.locator("td").all_inner_texts()] for row in rows.all()]
    )
    np.testing.assert_allclose(cells[:, :-1], -left.deltas, atol=0.006)
    labels(words, "rows").nth(2).click()
    expect(page.get_by_role("status", name="Step status")).to_contain_text("Step 3 of")
    # What the tab begins with needs no saying.
    page.wait_for_function("!location.search.includes('words=')")


def test_an_alignment_links_words(open_page: Open, trace: AttentionTrace) -> None:
    page = open_page(query="?tab=why&words=alignment&cross=L1H2")
    words = readings(page)
    in_numbers(words)
    for row, name in (("reads", "the row that reads it"), ("predicts", "the row that predicts it")):
        words.get_by_role("button", name=name).click()
        aligned = inside.alignment(trace, 0, 1, row="reads" if row == "reads" else "predicts")
        expect(words.locator(".beside-rows .lexicon")).to_have_count(len(aligned.links))
        rows = words.get_by_role("table").first.locator("tbody tr")
        cells = [row.locator("td").all_inner_texts() for row in rows.all()]
        message = np.array([[number(cell) for cell in row] for row in cells])
        assert {(int(i), j) for j, i in enumerate(message.argmax(axis=1))} == aligned.links
    last = len(aligned.src_words) - 1
    box = words.get_by_role("textbox", name="Your own links")
    for text, refused in (("0-0 1_1", "“1_1” is no link"), ("0-0 99?0", f"words are 0 to {last}")):
        box.fill(text)
        expect(words.get_by_role("alert").filter(has_text=refused)).to_be_visible()
    # Another head's links, the last of them only possible.
    *sure, possible = sorted(inside.alignment(trace, 1, 2, "reads").links)
    gold = GoldLinks(frozenset(sure), frozenset([possible]))
    gold_text = " ".join([*(f"{i}-{j}" for i, j in sure), "{}?{}".format(*possible)])
    box.fill(gold_text)
    message = words.get_by_text("Alignment error rate (AER)")
    expect(message).to_contain_text("Alignment error rate")
    assert number(message.inner_text()) == pytest.approx(aligned.error_rate(gold), abs=0.006)
    every = [
        inside.alignment(trace, layer, head, each).error_rate(gold)
        for layer, head in np.ndindex(2, 4)
        for each in ROWS
    ]
    assert min(every) < aligned.error_rate(gold), "else nothing stands there to press"
    words.locator(".gold").get_by_role("button").click()
    expect(words.locator(".gold").get_by_role("button")).to_have_count(0)
    assert number(message.inner_text()) == pytest.approx(min(every), abs=0.006)
    page.wait_for_function("location.search.includes('gold=')")
    assert parse_qs(urlsplit(page.url).query)["gold"] == [gold_text]
    page.reload()
    readings(page)
    expect(box).to_have_value(gold_text)
    # Of another sentence they say nothing.
    page.get_by_role("textbox", name="Source sentence").fill(EXAMPLES[1])
    page.keyboard.press("Enter")
    readings(page)
    expect(box).to_have_value("")
    expect(message).to_have_count(0)


def test_why_this_one_and_not_that_one(
    open_page: Open, translator: Translator, trace: AttentionTrace
) -> None:
    page = open_page(query="?tab=why&step=2")
    words = panel(page, "Why this word")
    other = trace.candidates[1][1]
    words.get_by_role("combobox", name=re.compile("^Why .* and not")).select_option(str(other.id))
    reading = why(page)
    expect(reading.get_by_role("img", name=re.compile("^Why .* and not"))).to_be_visible()
    reasons = inside.why(translator, trace, 1, other.id)
    expected = np.vstack((reasons.deltas, reasons.value_zeroing, reasons.direct.sum(0)))
    cells = np.array([[number(cell) for cell in row] for row in in_numbers(reading)])
    np.testing.assert_allclose(cells, -expected, atol=0.006)
    page.wait_for_function("location.search.includes('not=')")
    assert parse_qs(urlsplit(page.url).query)["not"] == [str(other.id)]


def test_what_comes_next_stays_hidden(open_page: Open, trace: AttentionTrace) -> None:
    page = open_page(query="?tab=layers&step=2&next=hidden")
    layers = panel(page, "Layers")
    expect(lens_of(layers).locator("tbody tr").first).to_be_visible()
    veiled = lens_of(layers).locator("thead .veiled")
    expect(veiled).to_have_count(len(trace.tgt_out) - 2)
    unfold(layers)
    expect(layers.locator(".grown")).to_be_hidden()
    page.get_by_role("tab", name="Why this word").click()
    words = readings(page)
    expect(labels(words, "rows.second", "ahead")).to_have_count(len(trace.tgt_out) - 2)
    assert len(in_numbers(words)) == 2


def test_layers_say_what_the_lens_says(
    page: Page, translator: Translator, trace: AttentionTrace
) -> None:
    page.get_by_role("tab", name="Layers").click()
    layers = panel(page, "Layers")
    lens = inside.lens(translator, trace)
    rows = lens_of(layers).locator("tbody tr")
    expect(rows).to_have_count(len(lens.tokens))
    for layer, row in enumerate(rows.all()):
        assert row.locator(".says").all_inner_texts() == list(lens.tokens[layer])
        shown = [text.split("·")[1].strip() for text in row.locator(".how").all_inner_texts()]
        ranks = [f"#{rank}" if rank > 1 else "✓" for rank in lens.rank[layer].tolist()]
        assert shown == ranks
    unfold(layers)
    grown = inside.decoder_lens(translator, trace)
    lines = layers.locator(".grown .line")
    expect(lines).to_have_count(len(grown.tokens))
    for line, tokens in zip(lines.all(), grown.tokens, strict=True):
        assert line.locator(".token").all_inner_texts() == list(tokens)
    residual = layers.get_by_role("region", name="Table").or_(
        layers.locator("section[aria-labelledby=layers-residual]")
    )
    lengths = inside.residual(translator, trace)
    cells = np.array([[number(cell) for cell in row] for row in in_numbers(residual)])
    np.testing.assert_allclose(cells, lengths.decoder, atol=0.06)


def test_a_training_is_replayed_and_saved_as_a_film(open_page: Open, history: History) -> None:
    page = open_page(query="?tab=training&film=own&trained=10&training_head=cross.L2H3")
    training = panel(page, "Training")
    sharpness = sharpening(history)
    slider = training.get_by_role("slider", name="Training step")
    expect(slider).to_have_value("104")  # of 200, as log(1 + 10) lies below log(1 + 100)
    # Losses and scores have a scale each, and the steps' axis says what it is.
    assert training.locator(".chart").evaluate_all(
        "charts => charts.map((c) => [...c.querySelectorAll('.tick')].at(-1).textContent)"
    ) == ["5.0", "100"]
    assert training.locator(".curve-steps span").all_inner_texts() == ["0", "1", "10", "100"]
    moment = training.locator("output")
    expect(moment).to_contain_text("Step 10 of 100 (moment 2 of 3).")
    expect(moment).to_contain_text("Measured at step 10: dev loss 4.50, BLEU 3.0.")
    begins = "This does not begin with noise" if sharpness.starts_with_structure else "before any"
    expect(training.get_by_text(begins)).to_be_visible()
    expect(training.locator("[data-term=sharp]").first).to_be_visible()
    title = page.get_by_role("heading", name="Cross-attention, Layer 2, head 3")
    large = training.locator("section").filter(has=title).last
    cells = np.array([[number(cell.replace("<", "")) for cell in row] for row in in_numbers(large)])
    np.testing.assert_allclose(cells, history.weights[10][0]["cross"][1, 2], atol=0.011)
    for kind, since in sharpness.sharp_from.items():
        shown = learnt(training, kind).locator(".since").all_inner_texts()
        steps = [text.split()[-1] for text in shown]
        assert steps == ["–" if step is None else str(step) for row in since for step in row]
    before = learnt(training, "encoder_self").locator("canvas").first.evaluate("c => c.toDataURL()")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(moment).to_contain_text("Step 100 of 100")
    assert before != learnt(training, "encoder_self").locator("canvas").first.evaluate(
        "c => c.toDataURL()"
    )
    with page.expect_download() as download:
        training.get_by_role("button", name="Save as an animated GIF").click()
    assert download.value.suggested_filename == "headlight_en-zh_training_1.gif"
    film = Image.open(BytesIO(Path(download.value.path()).read_bytes()))
    assert getattr(film, "n_frames", 1) == len(STEPS)
    frames: list[bytes] = []
    for index in range(len(STEPS)):
        film.seek(index)
        frames.append(film.convert("RGB").tobytes())
    assert len(set(frames)) == len(STEPS)


def test_two_moments_of_a_training_are_compared(open_page: Open, history: History) -> None:
    page = open_page(query="?tab=training&film=own&trained=10&training_pair=2&cross=L2H3")
    panel(page, "Training").get_by_role("button", name="Compare two moments").click()
    compare = panel(page, "Compare")
    subtracted = compare.get_by_role("table", name="step 10 − step 0")
    for after, name in ((10, "step 10 − step 0"), (100, "step 100 − step 0")):
        subtracted = compare.get_by_role("table", name=name)
        expect(subtracted).to_be_visible()
        cells = subtracted.locator("tbody td").evaluate_all(
            "cells => cells.map((cell) => cell.ariaLabel ?? cell.title)"
        )
        difference = inside.compare(history.moment(0, 1), history.moment(after, 1)).cross
        assert difference is not None
        shown = [number(re.split("[:·]", cell)[-1]) for cell in cells]
        np.testing.assert_allclose(shown, difference[1, 2].ravel(), atol=0.006)
        compare.get_by_role("combobox", name="and step").select_option("100")
    expect(compare.get_by_text("Measured at step 100: dev loss 2.25, BLEU 17.5.")).to_be_visible()
    page.wait_for_function("location.search.includes('moments=2:0-100')")
    page.reload()
    panel(page, "Compare")
    expect(subtracted).to_be_visible()
    compare.get_by_role("combobox", name="Sentences").select_option(index=0)
    page.wait_for_function("location.search.includes('moments=1:0-100')")
    picker = compare.get_by_role("combobox", name="Compare what is shown with")
    picker.select_option("another sentence or model …")
    expect(subtracted).to_have_count(0)
    expect(compare.get_by_role("textbox", name="Source sentence")).to_be_visible()
    picker.select_option("two moments of this model's training …")
    expect(subtracted).to_be_visible()
    picker.select_option("choose …")
    expect(subtracted).to_have_count(0)
    page.wait_for_function("!location.search.includes('moments')")


def test_a_model_without_a_history_says_so(open_page: Open) -> None:
    page = open_page(query="?model=poet&tab=training&moments=1:0-last")
    sentence = "This model's checkpoint holds no history of its training."
    expect(panel(page, "Training").get_by_role("alert").filter(has_text=sentence)).to_be_visible()
    page.get_by_role("tab", name="Compare").click()
    expect(panel(page, "Compare").get_by_role("alert").filter(has_text=sentence)).to_be_visible()
    expect(panel(page, "Compare").get_by_text("Computing…")).to_have_count(0)


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_them(open_page: Open, history: History) -> None:
    assert history.steps
    page = open_page(query="?training_head=cross.L1H1", color_scheme="dark")
    for tab, shown in (("why", ".beside-rows"), ("layers", ".grown"), ("training", ".since")):
        page.locator(f"#tab-{tab}").click()
        page.locator(f"#tabpanel-{tab}").scroll_into_view_if_needed()
        for closed in folded(page.locator(f"#tabpanel-{tab}")).all():
            closed.click()
        for opened in folded(page.locator(f"#tabpanel-{tab}")).locator("..").all():
            opened.scroll_into_view_if_needed()  # out of sight, it waits to be seen
            settle(page)
        expect(page.locator(shown).first).to_be_visible()
        assert violations(page, f"#tabpanel-{tab}") == []


@pytest.mark.parametrize("locale", languages("fr-FR"))
def test_on_a_phone_no_word_of_a_heading_is_cut_in_two(open_page: Open, locale: str) -> None:
    page = open_page(375, query="?tab=why&words=contributions", locale=locale)
    why(page).scroll_into_view_if_needed()
    heading = page.locator(".over-beside .agreement").first
    expect(heading).to_be_visible()
    lines = heading.evaluate(
        """(heading) => heading.textContent.split(" ").map((word) => {
            const text = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT).nextNode();
            const range = document.createRange();
            const from = heading.textContent.indexOf(word);
            range.setStart(text, from);
            range.setEnd(text, Math.min(text.length, from + word.length));
            return new Set([...range.getClientRects()].map(({ top }) => top)).size;
        })"""
    )
    assert set(lines) == {1}
    assert page.evaluate("document.documentElement.scrollWidth") == 375


@pytest.mark.parametrize("locale", languages("fr-FR"))
def test_on_a_phone_no_name_of_a_reading_is_cut(open_page: Open, locale: str) -> None:
    page = open_page(375, query="?tab=why&words=gradients&step=3", locale=locale)
    why(page).scroll_into_view_if_needed()
    names = labels(why(page), "rows")
    expect(names).to_have_count(3)
    cut = "names => names.filter((name) => name.scrollWidth > name.clientWidth).length"
    assert names.evaluate_all(cut) == 0


MANY = "She reads a book every evening. Where is it?"
"""So many words that their cells scroll on a phone."""


@pytest.mark.parametrize("locale", languages("fr-FR"))
def test_on_a_phone_the_agreement_stays_beside_cells_that_scroll(
    open_page: Open, locale: str
) -> None:
    page = open_page(375, query=f"?source={MANY}&tab=why&words=gradients", locale=locale)
    words = why(page)
    words.scroll_into_view_if_needed()
    beside = words.locator(":is(.over-beside, .beside-rows)")
    expect(beside).to_have_count(2)
    within = "all => all.every((each) => each.getBoundingClientRect().right <= 375 - 16)"
    for scrolled in (0, 1000):
        plot(words).evaluate("(plot, left) => (plot.scrollLeft = left)", scrolled)
        page.wait_for_function(f"all => ({within})(all)", arg=beside.element_handles())
    # All cells can be scrolled to.
    last = "plot => plot.querySelector('.cells').getBoundingClientRect().right"
    box = beside.nth(1).bounding_box()
    assert box
    assert plot(words).evaluate(last) <= box["x"] + 1


def test_what_has_no_second_text_is_not_aligned(open_page: Open) -> None:
    page = open_page(query="?model=poet&tab=why&words=alignment")
    words = why(page)
    expect(words.get_by_role("combobox", name="Reading")).to_have_value("attention")
    expect(words).to_contain_text("How much of this head's attention each word gets")
    expect(words).not_to_contain_text("A dot links")


def test_on_a_phone_the_button_for_two_moments_has_a_picture(open_page: Open) -> None:
    page = open_page(375, query="?tab=training")
    buttons = page.locator(".training button.named")
    expect(buttons).to_have_count(2)
    assert [each.locator("svg").count() for each in buttons.all()] == [1, 1]


def test_layers_stand_in_one_order(open_page: Open) -> None:
    page = open_page(query="?tab=layers")
    unfold(page.get_by_role("tabpanel", name="Layers"))
    lens = page.get_by_role("tabpanel", name="Layers").get_by_role("table").first
    expect(lens.get_by_role("rowheader").first).to_have_text("Layer 1")
    lengths = page.locator("#tabpanel-layers .map").first
    # The labels are made anew as the map is laid out: its own element stays.
    lengths.scroll_into_view_if_needed()
    expect(labels(lengths, "rows").first).to_contain_text("L1")
