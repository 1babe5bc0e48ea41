"""The beam from the word being written to where the model looks: told, pointed at, led away."""

import dataclasses
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, Open, Visitors
from tests.browser.helpers import (
    change_theme,
    figure,
    labels,
    leave_box,
    light,
    lit_rows,
    sentence,
    violations,
)
from transformer import Translator, inside
from transformer.trace.candidates import Candidate
from transformer.trace.trace import AttentionTrace
from transformer.trace.words import word_texts, words_of

pytestmark = pytest.mark.usefixtures("without_gradio")

STEP = 3
"""From 0."""

LEAST = 0.01
"""Weights below are not drawn."""

SVG = "{http://www.w3.org/2000/svg}"

QUERY = f"?cross=L1H2&step={STEP + 1}"


def source(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Source", exact=True).get_by_role("option")


def reply(page: Page) -> Locator:
    return page.get_by_role("status", name="What changed")


def gap(page: Page) -> Locator:
    """Between the two rows of words, where the light falls."""
    return page.locator(".gap")


def shining(page: Page) -> str:
    """The beam's pixels."""
    return light(page).evaluate("(canvas) => canvas.toDataURL()")


def change(page: Page) -> str | None:
    return dict(parse_qs(urlsplit(page.url).query)).get("off", [None])[0]


def strongest(trace: AttentionTrace, row: Sequence[float]) -> tuple[str, float]:
    """The word, of all its pieces, or the special token, that a row looks at most."""
    words = words_of(trace.src)
    pieces = [*words, *((i,) for i in range(len(trace.src)) if all(i not in w for w in words))]
    weights = [sum(float(row[i]) for i in own) for own in pieces]
    most = weights.index(max(weights))
    return word_texts(trace.src, [pieces[most]])[0] or "</s>", weights[most]


def word_at(trace: AttentionTrace, index: int) -> tuple[str, tuple[int, ...]]:
    pieces = next(word for word in words_of(trace.src) if index in word)
    return word_texts(trace.src, [pieces])[0], tuple(pieces)


def drag_to(page: Page, aim: Locator) -> None:
    """From the lamp up to a word, as a hand would."""
    between, word = gap(page).bounding_box(), aim.bounding_box()
    lamp = page.locator(".lamp, .predicted").filter(visible=True).bounding_box()
    assert between
    assert lamp
    assert word
    page.mouse.move(lamp["x"] + lamp["width"] / 2, between["y"] + between["height"] - 6)
    page.mouse.down()
    page.mouse.move(word["x"] + word["width"] / 2, between["y"] + 8, steps=4)
    page.mouse.up()


def says(page: Page, now: Candidate, before: Candidate, *, start: str) -> None:
    """The reply's numbers; both are named if they differ."""
    text = f"{now.token} {now.probability:.2f}"
    last = f"{'' if now.id == before.id else f'{before.token} '}{before.probability:.2f}"
    pattern = f"^{re.escape(start)}.*{re.escape(text)}; .*, {re.escape(last)}"
    expect(reply(page)).to_contain_text(re.compile(pattern))


def test_the_sentence_says_where_the_beam_goes_and_follows_what_is_pointed_at(
    open_page: Open, translator: Translator
) -> None:
    page, trace = open_page(query=QUERY), translator.trace(EXAMPLES[0])
    assert trace.cross is not None
    for step in (STEP, STEP - 1):
        word, weight = strongest(trace, trace.cross[0, 1, step])
        expect(sentence(page)).to_contain_text(f"To write {trace.tgt_out[step].lstrip('␣')}")
        expect(sentence(page)).to_contain_text(re.compile(rf"{re.escape(word)} \({weight:.2f}\)"))
        shone = shining(page)
        # The word that the step before wrote: its own beams, and its own row of the matrix.
        tokens = page.get_by_role("list", name="Target so far").get_by_role("listitem")
        tokens.nth(step).hover()
        assert shining(page) != shone
    lit = labels(figure(page), "rows.second", "under")
    expect(lit).to_have_text(trace.tgt_out[STEP - 2])
    boxes = [lit.bounding_box(), lit.locator("xpath=../*[1]").bounding_box()]
    heights = {box["height"] for box in boxes if box}
    assert len(heights) == 1, "a label that is pointed at keeps its one line"
    source(page).nth(0).hover()
    rows = [float(trace.cross[0, 1, step, 0]) for step in range(STEP + 1)]
    expect(sentence(page)).to_contain_text(f"{max(rows):.2f}")
    page.mouse.move(1, 1)
    expect(sentence(page)).to_contain_text(f"To write {trace.tgt_out[STEP].lstrip('␣')}")


SHINES = """canvas => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const { left, width } = canvas.getBoundingClientRect();
    const alpha = (word, y) => {
        const box = word.getBoundingClientRect();
        const x = ((box.left + box.width / 2 - left) / width) * canvas.width;
        return context.getImageData(Math.round(x), y, 1, 1).data[3];
    };
    const words = [...document.querySelectorAll(".source-row li")];
    const lit = words.map((word) => alpha(word, 1));
    return [alpha(document.querySelector(".predicted"), canvas.height - 2), Math.max(...lit)];
}"""
"""How strong the light is over the word that is written, and under the word that has most of it."""


def test_a_short_translation_stands_under_the_middle_of_its_sentence_and_so_does_its_light(
    visitors: Visitors, translator: Translator, tmp_path: Path
) -> None:
    trace = translator.trace(EXAMPLES[0])
    assert trace.cross is not None
    assert trace.decoder_self is not None
    short = dataclasses.replace(
        trace,
        **{
            name: getattr(trace, name)[:1]
            for name in ("tgt_in", "tgt_out", "tgt_ids", "candidates")
        },
        cross=trace.cross[:, :, :1],
        decoder_self=trace.decoder_self[:, :, :1, :1],
    )
    short.save(tmp_path / "short.html")
    page = visitors.context(locale="en-US", offline=True).new_page()
    page.goto((tmp_path / "short.html").as_uri())
    middles = [
        box["x"] + box["width"] / 2
        for row in (".source-row", ".target-row")
        if (box := page.locator(row).bounding_box())
    ]
    assert middles[0] == pytest.approx(middles[1], abs=1)
    assert page.locator(".source-row li").count() > page.locator(".target-row li").count()
    assert min(light(page).evaluate(SHINES)) > 0
    page.close()


def test_a_cell_that_is_pointed_at_has_its_beam(open_page: Open, translator: Translator) -> None:
    page, trace = open_page(query=QUERY), translator.trace(EXAMPLES[0])
    shone = shining(page)
    page.get_by_role("figure", name="Cross-attention").get_by_role("application").focus()
    page.keyboard.press("ArrowUp")
    expect(sentence(page)).to_contain_text(f"To write {trace.tgt_out[STEP - 1].lstrip('␣')}")
    assert shining(page) != shone


def test_a_hand_leads_the_beam_and_one_click_puts_it_back(
    open_page: Open, translator: Translator
) -> None:
    page = open_page(query=QUERY)
    before = translator.trace(EXAMPLES[0])
    word, pieces = word_at(before, 4)
    keys = ",".join(str(i + 1) for i in pieces)
    drag_to(page, source(page).nth(4))
    changed = f"cross@{STEP + 1}=aim:{keys}"
    after = translator.trace(EXAMPLES[0], interventions=[changed])
    says(
        page,
        after.candidates[STEP][0],
        before.candidates[STEP][0],
        start=f"With all cross heads on {word}",
    )
    tokens = page.get_by_role("list", name="Target so far").get_by_role("listitem")
    expect(tokens).to_have_text(["<s>", *after.tgt_out])
    page.wait_for_url(re.compile("off="))
    assert change(page) == changed.replace("=", ".")

    # A layer, or one head: the others look where they did.
    page.get_by_role("combobox", name="Heads that look there").select_option(label="L1H2 alone")
    one = translator.trace(EXAMPLES[0], interventions=[f"cross.L1H2@{STEP + 1}=aim:{keys}"])
    says(
        page,
        one.candidates[STEP][0],
        before.candidates[STEP][0],
        start=f"With head L1H2 alone on {word}",
    )
    assert violations(page, ".beam") == []

    leave_box(page)
    page.keyboard.press("Home")
    expect(reply(page)).to_have_text(
        f"At step {STEP + 1}, {word} is all that head L1H2 alone may see.".replace(
            "look at", "look at"
        )
    )
    page.get_by_role("button", name="Go there").click()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(reply(page)).to_be_hidden()
    expect(tokens).to_have_text(["<s>", *before.tgt_out])


def test_a_drag_that_is_called_off_changes_nothing(open_page: Open) -> None:
    page = open_page(query=QUERY)
    shone = shining(page)
    box = gap(page).bounding_box()
    assert box
    page.mouse.move(box["x"] + 200, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 320, box["y"] + 20)
    assert shining(page) != shone
    page.keyboard.press("Escape")
    assert shining(page) == shone
    page.mouse.up()
    expect(reply(page)).to_be_hidden()


def test_the_keyboard_alone_leads_the_beam_and_leaves_a_word_out(
    open_page: Open, translator: Translator
) -> None:
    page, trace = open_page(query=QUERY), translator.trace(EXAMPLES[0])
    page.get_by_role("button", name="Last step").focus()
    first = source(page).nth(0)
    for _ in range(6):
        page.keyboard.press("Tab")
        if first.evaluate("(word) => word === document.activeElement"):
            break
    expect(first).to_be_focused()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(source(page).nth(2)).to_be_focused()
    assert f"Step {STEP + 1} of" in page.get_by_role("status", name="Step status").inner_text()
    word, pieces = word_at(trace, 2)

    page.keyboard.press("Delete")
    omissions = inside.without_words(translator, trace, STEP)
    which = omissions.pieces.index(pieces)
    says(page, omissions.without[which][0], omissions.before[0], start=f"Without {word}")
    struck = page.locator(".left-out")
    assert struck.all_text_contents() == [trace.src[i] for i in pieces]

    page.keyboard.press("Enter")
    page.get_by_role("button", name="Look there at this step").press("Enter")
    keys = ",".join(str(i + 1) for i in pieces)
    after = translator.trace(EXAMPLES[0], interventions=[f"cross@{STEP + 1}=aim:{keys}"])
    says(
        page, after.candidates[STEP][0], trace.candidates[STEP][0], start="With all cross heads on"
    )


def test_the_cross_beside_a_word_leaves_it_out(open_page: Open, translator: Translator) -> None:
    page, trace = open_page(query=QUERY), translator.trace(EXAMPLES[0])
    word, pieces = word_at(trace, 0)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.post_data or ""))
    source(page).nth(0).hover()
    page.get_by_role("button", name=f"Leave out: {word}", exact=True).click()
    omissions = inside.without_words(translator, trace, STEP)
    says(
        page,
        omissions.without[omissions.pieces.index(pieces)][0],
        omissions.before[0],
        start=f"Without {word}",
    )
    # One request has answered for all of them.
    other, pieces = word_at(trace, len(trace.src) - 2)
    source(page).nth(len(trace.src) - 2).hover()
    page.get_by_role("button", name=f"Leave out: {other}", exact=True).click()
    says(
        page,
        omissions.without[omissions.pieces.index(pieces)][0],
        omissions.before[0],
        start=f"Without {other}",
    )
    assert sum("without_words" in request for request in asked) == 1
    # </s> is no word.
    source(page).last.hover()
    expect(page.get_by_role("button", name="Leave out")).to_have_count(0)
    leave_box(page)
    page.keyboard.press("ArrowLeft")
    expect(reply(page)).to_be_hidden()


@pytest.mark.parametrize(
    "kind", ["encoder_self", pytest.param("decoder_self", marks=pytest.mark.slow)]
)
def test_the_beam_of_self_attention_is_led_by_hand_and_by_key(
    open_page: Open, translator: Translator, kind: str
) -> None:
    page, trace = open_page(query=f"{QUERY}&kind={kind}"), translator.trace(EXAMPLES[0])
    assert trace.cross is not None
    heads, which = {
        "encoder_self": ("all encoder heads, for ", "Source"),
        "decoder_self": ("all decoder heads on ", "Read so far"),
    }[kind]
    # The encoder's row is the word that the step reads.
    row = int(trace.cross[0, 1, STEP].argmax()) if kind == "encoder_self" else STEP
    words = page.get_by_role("listbox", name=which, exact=True).get_by_role("option")
    drag_to(page, words.nth(1))
    tokens = trace.src if kind == "encoder_self" else trace.tgt_in
    for by_key, key in ((False, 1), (True, 0)):
        if by_key:
            words.nth(1).focus()
            page.keyboard.press("Home")
            page.keyboard.press("Enter")
            page.keyboard.press("Enter")
        pieces = next((word for word in words_of(tokens) if key in word), (key,))
        seen = [i for i in pieces if kind == "encoder_self" or i <= row]
        changed = f"{kind}@{row + 1}=aim:{','.join(str(i + 1) for i in seen)}"
        after = translator.trace(EXAMPLES[0], interventions=[changed])
        page.wait_for_url(re.compile(re.escape(changed.replace("=", "."))), wait_until="commit")
        assert change(page) == changed.replace("=", ".")
        expect(reply(page)).to_contain_text(f"With {heads}")
        now = after.candidates[STEP][0]
        expect(reply(page)).to_contain_text(f"{now.token.lstrip('␣')} {now.probability:.2f}")
    assert violations(page, ".beam") == []
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(reply(page)).to_be_hidden()


def test_a_finger_leads_the_beam(open_page: Open) -> None:
    page = open_page(375, query=QUERY, has_touch=True)
    between = gap(page).bounding_box()
    boxes = [word.bounding_box() for word in source(page).all()]
    word = next(box for box in boxes if box and box["x"] > 40)  # the rows scroll
    assert between
    client = page.context.new_cdp_session(page)

    def touch(kind: str, x: float) -> None:
        points = [] if kind == "touchEnd" else [{"x": x, "y": between["y"] + 30}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    end = word["x"] + word["width"] / 2
    touch("touchStart", 350)
    for share in (0.75, 0.5, 0.25, 0):
        touch("touchMove", end + (350 - end) * share)
    touch("touchEnd", end)
    expect(reply(page)).to_contain_text("With all cross heads on")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_while_playing_the_beam_sweeps_to_the_next_word(open_page: Open, motion: str) -> None:
    page = open_page(query=f"{QUERY}&source=I+love", timezone_id="UTC", reduced_motion=motion)
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(hours=1))
    page.get_by_role("button", name="First step").click()
    page.get_by_role("button", name="Play").click()
    first = shining(page)
    page.clock.run_for(1_000)
    between = shining(page)
    page.clock.run_for(600)
    after = shining(page)
    assert first != after
    assert (between == after) == (motion == "reduce")


@pytest.mark.parametrize(
    "kind", ["encoder_self", pytest.param("decoder_self", marks=pytest.mark.slow)]
)
def test_self_attention_shines_from_a_row_to_the_same_row(
    open_page: Open, translator: Translator, kind: str
) -> None:
    page = open_page(query=f"?step={STEP + 1}&kind={kind}", reduced_motion="reduce")
    trace = translator.trace(EXAMPLES[0])
    for _ in ("dark", "light"):
        change_theme(page)
        if kind == "decoder_self":
            expect(sentence(page)).to_contain_text(f"To write {trace.tgt_out[STEP].lstrip('␣')}")
            expect(source(page)).to_have_count(0)
        else:
            source(page).nth(2).hover()
            expect(sentence(page)).to_contain_text(f"For {trace.src[2].lstrip('␣') or '␣'}")
        assert violations(page, ".beam") == []


def test_the_beam_is_saved_as_a_drawing(open_page: Open, translator: Translator) -> None:
    page, trace = open_page(query=QUERY), translator.trace(EXAMPLES[0])
    assert trace.cross is not None
    page.get_by_role("button", name="More: Cross-attention").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Beam as an SVG drawing").click()
    assert download.value.suggested_filename.endswith(f"_beam_cross_L1H2_step{STEP + 1}.svg")
    root = ElementTree.parse(download.value.path()).getroot()
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert texts[2:-1] == [*trace.src, "<s>", *trace.tgt_out]
    assert texts[-1] == sentence(page).inner_text()
    rays = root.findall(f".//{SVG}polygon")
    assert len(rays) == sum(weight >= LEAST for weight in trace.cross[0, 1, STEP])


def test_where_another_view_asks_for_the_room_the_beam_is_low(open_page: Open) -> None:
    page = open_page(query=QUERY)
    height = lit_rows(page).bounding_box()
    page.get_by_role("tab", name="Training").click()
    expect(light(page)).to_be_visible()
    folded = lit_rows(page).bounding_box()
    assert height
    assert folded
    assert folded["height"] < height["height"] - 20
    expect(source(page).first).to_be_visible()
    expect(sentence(page)).to_be_visible()
