"""What a person does on the page: translate, step, choose a head, switch language and light."""

import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, Open
from tests.browser.helpers import kinds, leave_box, settle, source_text, status, translate
from transformer import Translator

KINDS = ["Encoder self-attention", "Decoder self-attention", "Cross-attention"]


def count(page: Page) -> int:
    """How many steps the shown trace has."""
    return int(status(page).split(" of ")[1].split(":")[0])


def test_the_first_picture_needs_no_typing(page: Page) -> None:
    expect(page.get_by_role("textbox", name="Source sentence")).to_have_value(EXAMPLES[0])
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text(EXAMPLES[0]))
    expect(page.get_by_role("figure")).to_have_count(1)
    for kind in KINDS:
        kinds(page).get_by_role("button", name=kind).click()
        expect(page.get_by_role("figure", name=kind).get_by_role("img")).to_be_visible()
        expect(page.get_by_role("figure")).to_have_count(1)


def test_the_button_enter_and_an_example_each_translate(page: Page) -> None:
    source = page.get_by_role("listbox", name="Source")
    box = page.get_by_role("textbox", name="Source sentence")

    box.fill("Good morning")
    page.get_by_role("button", name="Translate").click()
    expect(source).to_have_text(source_text("Good morning"))

    box.fill("What a day!")
    box.press("Enter")
    expect(source).to_have_text(source_text("What a day!"))

    page.get_by_role("button", name=EXAMPLES[1]).click()
    expect(source).to_have_text(source_text(EXAMPLES[1]))
    expect(box).to_have_value(EXAMPLES[1])


def test_the_status_says_what_each_step_reads_and_predicts(
    page: Page, translator: Translator
) -> None:
    trace = translator.trace(EXAMPLES[0])
    leave_box(page)
    page.keyboard.press("Home")
    for step, (reads, predicts) in enumerate(zip(trace.tgt_in, trace.tgt_out, strict=True)):
        probability = next(c.probability for c in trace.candidates[step] if c.token == predicts)
        assert status(page) == (
            f"Step {step + 1} of {len(trace.tgt_in)}: reads {reads} → predicts {predicts} "
            f"({probability:.2f})"
        )
        page.keyboard.press("ArrowRight")


def test_buttons_keys_and_slider_step(page: Page) -> None:
    leave_box(page)
    last = count(page)
    button = {
        name: page.get_by_role("button", name=f"{name} step")
        for name in ("First", "Previous", "Next", "Last")
    }
    slider = page.get_by_role("slider", name="Step")

    def expect_step(step: int) -> None:
        assert status(page).startswith(f"Step {step} of {last}:")
        expect(slider).to_have_value(str(step))

    expect_step(last)
    expect(button["Next"]).to_be_disabled()
    expect(button["Last"]).to_be_disabled()
    button["First"].click()
    expect_step(1)
    expect(button["Previous"]).to_be_disabled()
    button["Next"].click()
    button["Next"].click()
    expect_step(3)
    button["Previous"].click()
    expect_step(2)
    button["Last"].click()
    expect_step(last)

    leave_box(page)
    for key, step in (
        *(("Home", 1), ("ArrowLeft", 1), ("ArrowRight", 2), ("ArrowRight", 3)),
        *(("ArrowLeft", 2), ("End", last), ("ArrowRight", last)),
    ):
        page.keyboard.press(key)
        expect_step(step)

    slider.fill("4")
    expect_step(4)
    slider.press("ArrowLeft")
    expect_step(3)


def test_keys_in_the_box_write_instead_of_stepping(page: Page) -> None:
    before = status(page)
    box = page.get_by_role("textbox", name="Source sentence")
    box.press("Home")
    page.keyboard.type(" ")
    page.keyboard.press("ArrowLeft")
    assert status(page) == before
    expect(box).to_have_value(f" {EXAMPLES[0]}")


def test_play_walks_to_the_end_and_stops(open_page: Open) -> None:
    # A clock is its context's: in one of its own, it stops no other test's pages.
    page = open_page(timezone_id="UTC")
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(hours=1))
    last = count(page)
    page.get_by_role("button", name="Play").click()
    assert status(page).startswith("Step 1 of")
    page.clock.run_for(1_000)
    assert status(page).startswith("Step 2 of")
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(60_000)
    assert status(page).startswith("Step 2 of")
    leave_box(page)
    page.keyboard.press("Space")
    page.clock.run_for(60_000)
    assert status(page).startswith(f"Step {last} of")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_the_last_step_says_why_decoding_stopped(page: Page, translator: Translator) -> None:
    why = {
        "eos": "predicted the end of the sentence",
        "max_steps": "limit on steps",
        "max_length": "longest output",
    }[str(translator.trace(EXAMPLES[0]).stop_reason)]
    reason = page.get_by_text(why)
    expect(reason).to_be_visible()
    leave_box(page)
    page.keyboard.press("ArrowLeft")
    expect(reason).to_be_hidden()


def test_candidates_are_the_models(page: Page, translator: Translator) -> None:
    trace = translator.trace(EXAMPLES[0])
    leave_box(page)
    page.keyboard.press("Home")
    items = page.get_by_role("list", name="Candidates").get_by_role("listitem")
    expect(items).to_have_count(
        5
    )  # the rest is asked for: the heads below stay on the first screen
    page.get_by_role("button", name="more ▾").click()
    for step in range(3):
        items = page.get_by_role("list", name="Candidates").get_by_role("listitem")
        expect(items).to_have_text(
            [f"{c.token}{c.probability:.2f}" for c in trace.candidates[step]]
        )
        page.keyboard.press("ArrowRight")


def test_the_target_track_shows_what_is_written_and_picks_a_step(
    page: Page, translator: Translator
) -> None:
    trace = translator.trace(EXAMPLES[0])
    leave_box(page)
    page.keyboard.press("Home")
    tokens = page.get_by_role("list", name="Target so far").get_by_role("listitem")
    expect(tokens).to_have_count(len(trace.tgt_in) + 1)
    # innerText leaves out what is not visible yet.
    assert [text.strip() for text in tokens.all_inner_texts()[:3]] == ["<s>", trace.tgt_out[0], ""]
    page.keyboard.press("End")
    assert tokens.all_inner_texts() == ["<s>", *trace.tgt_out]
    tokens.nth(2).click()
    assert status(page).startswith("Step 2 of"), "the step that wrote it"


def test_a_thumbnail_enlarges_its_head_by_click_and_by_key(page: Page) -> None:
    before = status(page)
    for kind in KINDS:
        kinds(page).get_by_role("button", name=kind).click()
        figure = page.get_by_role("figure", name=kind, exact=True)
        matrix = figure.get_by_role("img")
        heads = figure.get_by_role("grid", name="All heads")
        own = re.compile(r"^Layer \d, head \d$")  # beside means and maxima
        expect(heads.get_by_role("gridcell", name=own)).to_have_count(2 * 4)
        pictures = [matrix.screenshot()]
        for layer, head in ((1, 3), (2, 4)):
            heads.get_by_role("gridcell", name=f"Layer {layer}, head {head}").click()
            expect(matrix).to_have_accessible_name(f"{kind}, Layer {layer}, head {head}")
            pictures.append(matrix.screenshot())
        assert len(set(pictures)) == 3
        for key in ("ArrowUp", "ArrowLeft", "Enter"):
            page.keyboard.press(key)
        expect(matrix).to_have_accessible_name(f"{kind}, Layer 1, head 3")
        chosen = heads.get_by_role("gridcell", name="Layer 1, head 3")
        expect(chosen).to_have_attribute("aria-selected", "true")
    assert status(page) == before, "the arrows walk the heads, not the steps"


def test_the_source_is_shaded_by_the_current_row_of_cross_attention(
    page: Page, translator: Translator
) -> None:
    trace = translator.trace(EXAMPLES[0])
    assert trace.cross is not None
    figure = page.get_by_role("figure", name="Cross-attention")
    figure.get_by_role("gridcell", name="Layer 1, head 2").click()
    for step in (2, 5):
        page.get_by_role("slider", name="Step").fill(str(step))
        brightness = (
            page.get_by_role("listbox", name="Source")
            .get_by_role("option")
            .evaluate_all(
                """items => items.map((item) => getComputedStyle(item).backgroundColor
                .match(/\\d+/g).slice(0, 3).reduce((sum, value) => sum + Number(value), 0))"""
            )
        )
        row = trace.cross[0, 1, step - 1]
        by_weight = sorted(range(len(row)), key=lambda key: -row[key])
        assert [brightness[key] for key in by_weight] == sorted(brightness)


def test_a_decoder_only_model_shows_its_one_panel(page: Page) -> None:
    page.get_by_role("combobox", name="Model").select_option("Poet")
    expect(page.get_by_role("figure")).to_have_count(1)
    expect(page.get_by_role("figure", name="Decoder self-attention")).to_be_visible()
    expect(page.get_by_role("textbox", name="Prompt")).to_have_value("我爱你。")
    expect(page.get_by_role("listbox", name="Source")).to_be_hidden()
    leave_box(page)
    page.keyboard.press("Home")
    assert status(page).startswith("Step 1 of")

    page.get_by_role("combobox", name="Model").select_option("English to Chinese")
    expect(kinds(page).get_by_role("button")).to_have_count(3)
    drawn = page.get_by_role("group", name="Drawn as")
    expect(drawn.get_by_role("button")).to_have_count(2)
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text(EXAMPLES[0]))


def test_a_sentence_of_ones_own_outlives_a_change_of_model(page: Page) -> None:
    translate(page, "Good morning")
    page.get_by_role("combobox", name="Model").select_option("Poet")
    expect(page.get_by_role("figure")).to_have_count(1)
    expect(page.get_by_role("textbox", name="Prompt")).to_have_value("Good morning")


def test_the_language_switches_without_losing_anything_and_is_remembered(page: Page) -> None:
    translate(page, "Good morning")
    page.get_by_role("figure", name="Cross").get_by_role("gridcell", name="Layer 1, head 2").click()
    page.get_by_role("slider", name="Step").fill("2")
    page.get_by_label("Language").select_option("中文")

    expect(page.get_by_role("heading", name="注意力探照灯")).to_be_visible()
    expect(page.get_by_label("语言")).to_be_focused()
    expect(page.get_by_role("textbox", name="源句")).to_have_value("Good morning")
    expect(page.get_by_role("status", name="当前步骤")).to_contain_text("第 2 步")
    expect(
        page.get_by_role("figure", name="交叉注意力").get_by_role("img")
    ).to_have_accessible_name("交叉注意力，第 1 层，第 2 头")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")

    page.reload()
    expect(page.get_by_role("heading", name="注意力探照灯")).to_be_visible()
    page.get_by_label("语言").select_option("English")
    expect(page.get_by_role("heading", name="Headlight")).to_be_visible()


def test_the_browsers_language_comes_first(page: Page) -> None:
    tongues = page.context.new_cdp_session(page)
    user_agent = page.evaluate("navigator.userAgent")
    for asked, name in (("zh", "源句"), ("fr-CA", "Phrase source"), ("de-DE", "Source sentence")):
        override = {"userAgent": user_agent, "acceptLanguage": asked}
        tongues.send("Emulation.setUserAgentOverride", override)
        page.reload()
        expect(page.get_by_role("textbox", name=name)).to_be_visible()
        assert page.evaluate("navigator.languages") == [asked]


def test_the_theme_follows_the_system_until_it_is_chosen(open_page: Open) -> None:
    system, other = "dark", "light"
    page = open_page(color_scheme=system)
    root = page.locator("[data-theme]")
    expect(root).to_have_attribute("data-theme", system)
    before = page.get_by_role("figure", name="Cross-attention").get_by_role("img").screenshot()
    page.get_by_role("button", name=f"{other} theme").click()
    expect(root).to_have_attribute("data-theme", other)
    after = page.get_by_role("figure", name="Cross-attention").get_by_role("img").screenshot()
    assert before != after
    page.reload()
    expect(root).to_have_attribute("data-theme", other)


def test_at_rest_it_asks_for_no_frames(page: Page) -> None:
    """Whatever runs on it, Gradio's page included: a class's laptops live on their batteries."""
    page.add_init_script("""
        const ask = window.requestAnimationFrame;
        window.asked = 0;
        window.requestAnimationFrame = (frame) => {
          window.asked += 1;
          return ask(frame);
        };
    """)
    page.reload()
    page.locator("gradio-app main").wait_for(state="attached")
    page.wait_for_function(
        "() => { const { asked } = window; window.asked = 0; return asked === 0; }", polling=300
    )


def test_the_mark_of_a_words_start_has_its_tokens_colour(page: Page) -> None:
    page.get_by_role("button", name="First step").click()
    colors = page.locator(".track .word-start").evaluate_all(
        "(marks) => marks.map((x) => [x, x.parentElement].map((y) => getComputedStyle(y).color))"
    )
    assert colors
    assert all(mark == token for mark, token in colors)


def test_examples_that_nobody_sees_are_out_of_the_tab_keys_way(open_page: Open) -> None:
    page = open_page(260)
    examples = page.get_by_role("group", name="Examples")
    first, last = (examples.locator("button").nth(i) for i in (0, -1))
    expect(first).to_be_in_viewport()
    last.focus()
    expect(last).not_to_be_focused()
    assert examples.evaluate("(list) => list.scrollTop") == 0
    page.get_by_role("button", name="more ›").click()
    last.focus()
    expect(last).to_be_focused()


def test_another_tab_leaves_the_tabs_where_they_are(page: Page) -> None:
    page.get_by_role("tab", name="Layers").click()
    place = "(list) => list.getBoundingClientRect().top"
    tabs = page.get_by_role("tablist", name="Look closer")
    tabs.evaluate("(list) => scrollBy(0, list.getBoundingClientRect().top - 60)")
    before = tabs.evaluate(place)
    for name in ("Compare", "Training", "Heads"):
        page.get_by_role("tab", name=name).click()
        settle(page)
        assert tabs.evaluate(place) == pytest.approx(before, abs=1), name


def test_nothing_follows_the_end_of_the_page(page: Page) -> None:
    leave_box(page)
    page.wait_for_function("document.querySelector('gradio-app')?.childElementCount > 0")
    left = page.evaluate(
        """() => {
            const { bottom } = document.querySelector(".headlight").getBoundingClientRect();
            return document.documentElement.scrollHeight - (bottom + scrollY);
        }"""
    )
    assert left < 1
    assert page.locator("gradio-app").is_hidden()


def test_what_is_typed_is_not_yet_what_is_shown(page: Page) -> None:
    stage, box = page.get_by_role("main"), page.get_by_role("textbox", name="Source sentence")
    typed = page.locator(".typing")
    expect(typed).to_have_count(0)
    box.press_sequentially(" And")
    expect(typed).to_have_count(1)
    assert float(stage.evaluate("(it) => getComputedStyle(it).opacity")) < 1
    for _ in " And":
        box.press("Backspace")
    expect(typed).to_have_count(0)
    box.press_sequentially(" And")
    box.press("Enter")
    expect(typed).to_have_count(0)
