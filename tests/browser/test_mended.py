"""What people stumbled over, one test each."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, Open, Words
from tests.browser.helpers import change_theme, from_menu, leave_box, settle, status
from transformer import Translator

PLACE = "(panel) => [panel.getBoundingClientRect().top + scrollY, panel.offsetHeight]"


def save_svg(page: Page, t: Words) -> str:
    kind = t("cross.title")
    page.get_by_role("button", name=t("panel.menu", kind=kind), exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=t("save.svg"), exact=True).click()
    return download.value.path().read_text(encoding="utf-8")


def test_a_box_that_is_checked_looks_checked(page: Page) -> None:
    for _ in ("light", "dark"):
        from_menu(page, "Colour")
        box = page.get_by_role("checkbox", name="Colour by rank in the row")
        looks = box.evaluate(
            """(box) => {
                const { appearance, accentColor } = getComputedStyle(box);
                return [appearance, accentColor];
            }"""
        )
        assert looks[0] == "auto", "the browser draws it, and no one else"
        assert looks[1] != "auto"
        page.keyboard.press("Escape")
        change_theme(page)


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_colouring_by_rank_moves_nothing(open_page: Open, assets: Path, locale: str) -> None:
    page, t = open_page(locale=locale), Words(assets, locale)
    panel = page.locator("[data-kind=cross] canvas").first
    for width in (375, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        expect(panel).to_be_visible()
        settle(page)
        before = panel.evaluate(PLACE)
        kind = t("cross.title")
        page.get_by_role("button", name=t("panel.menu", kind=kind), exact=True).click()
        page.get_by_role("button", name=t("coloring"), exact=True).click()
        page.get_by_role("checkbox", name=t("coloring.rank")).check()
        expect(page.get_by_text(t("legend.least"), exact=True)).to_be_visible()
        settle(page)
        assert panel.evaluate(PLACE) == before
        page.get_by_role("checkbox", name=t("coloring.rank")).uncheck()
        page.keyboard.press("Escape")


def test_a_clicker_steps_in_the_presenter(page: Page) -> None:
    leave_box(page)
    page.keyboard.press("p")
    page.keyboard.press("Home")
    page.keyboard.press("PageDown")
    assert status(page).startswith("Step 2 of")
    page.keyboard.press("PageUp")
    assert status(page).startswith("Step 1 of")


def test_a_link_with_pins_opens_at_the_top(open_page: Open) -> None:
    page = open_page(query="?cross=L1H2-L2H1-L1H1")
    expect(page.locator("[data-kind=cross] .matrix:visible")).to_have_count(3)
    assert page.evaluate("scrollY") == 0


def test_a_step_beyond_the_end_is_the_last_and_is_said(
    open_page: Open, assets: Path, translator: Translator
) -> None:
    count = len(translator.trace(EXAMPLES[0]).tgt_out)
    page, t = open_page(query="?step=999"), Words(assets, "en")
    assert status(page).startswith(f"Step {count} of {count}")
    said = page.get_by_text(t("step.beyond", asked=999, count=count).strip())
    expect(said).to_be_visible()
    leave_box(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    expect(said).to_be_hidden()


def test_a_comparison_has_a_name_and_a_key(open_page: Open, assets: Path) -> None:
    page, t = open_page(query="?step=1", locale="zh-CN"), Words(assets, "zh")
    candidates = page.get_by_role("list", name=t("candidates"), exact=True)
    candidates.get_by_role("button", disabled=False).first.click()
    compare = page.get_by_role("list", name=t("branches"), exact=True).get_by_text(
        t("branches.compare_short"), exact=True
    )
    expect(compare).to_be_visible()
    key = page.get_by_text(t("branches.key"))
    expect(key).to_be_hidden()
    compare.click()
    expect(key).to_be_visible()


def test_a_saved_figure_is_titled_in_one_language(open_page: Open, assets: Path) -> None:
    page, t = open_page(locale="zh-CN"), Words(assets, "zh")
    drawing = save_svg(page, t)
    [title] = re.findall("<title[^>]*>([^<]+)", drawing)
    assert title.startswith(f"{t('cross.title')}，")
    assert "," not in title


def test_a_leaning_label_keeps_the_mark_of_a_words_start_upright(
    open_page: Open, assets: Path, translator: Translator
) -> None:
    source = "She reads a book every evening."
    page = open_page(query=f"?source={source.replace(' ', '+')}")
    drawing = ElementTree.fromstring(save_svg(page, Words(assets, "en")))
    leaning = [text for text in drawing.iter() if "rotate" in text.get("transform", "")]
    assert {text.text for text in leaning} <= {*translator.trace(source).src}
    marked = [text for text in leaning if (text.text or "").startswith("␣")]
    assert marked
    # Glyph by glyph: the first one is turned back.
    assert all(text.get("rotate") == "45 0" for text in marked)


def test_the_next_touch_ends_what_a_tap_pointed_at(open_page: Open) -> None:
    page = open_page(375, has_touch=True)
    page.locator("[data-kind=cross] canvas").first.tap()
    tip = page.locator("[data-kind=cross] .tip")
    expect(tip).to_be_visible()
    page.get_by_role("heading", name="Headlight").tap()
    expect(tip).to_be_hidden()


def test_the_mark_of_a_words_start_has_its_tokens_colour(page: Page) -> None:
    page.get_by_role("button", name="First step").click()
    colors = page.locator(".track .word-start").evaluate_all(
        "(marks) => marks.map((x) => [x, x.parentElement].map((y) => getComputedStyle(y).color))"
    )
    assert colors
    assert all(mark == token for mark, token in colors)


def test_examples_that_nobody_sees_are_out_of_the_tab_keys_way(open_page: Open) -> None:
    page = open_page(260)
    examples = page.locator(".choices .chips")
    first, last = (examples.locator("button").nth(i) for i in (0, -1))
    expect(first).to_be_in_viewport()
    last.focus()
    expect(last).not_to_be_focused()
    assert examples.evaluate("(list) => list.scrollTop") == 0
    page.locator(".choices > .fold").click()
    last.focus()
    expect(last).to_be_focused()


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


@pytest.mark.parametrize(("width", "locale"), [(1280, "en-US"), (1366, "fr-FR"), (1920, "zh-CN")])
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
        said = page.get_by_role("status", name=t("step.status_name")).bounding_box()
        button = page.get_by_role("button", name=t("sampling.heading")).bounding_box()
        assert box
        assert said
        assert button
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= button["y"] < said["y"]


TEXTS_THAT_TOUCH = """(drawing) => {
    const texts = [...drawing.querySelectorAll("text")].filter((it) => it.textContent);
    const boxes = texts.map((it) => it.getBBox());
    return texts.flatMap((one, i) => texts.slice(i + 1).flatMap((other, j) => {
        const [a, b] = [boxes[i], boxes[i + 1 + j]];
        const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
        const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
        // Of a line's height a fifth is air.
        return across > 1 && down > 0.3 * Math.min(a.height, b.height)
            ? [`${one.textContent} / ${other.textContent}`] : [];
    }));
}"""


@pytest.mark.parametrize("locale", ["en-US", "zh-CN", "fr-FR"])
def test_no_label_of_the_models_picture_touches_another(open_page: Open, locale: str) -> None:
    page = open_page(query="?tab=model&layer=all", locale=locale)
    drawing = page.locator(".model-picture svg").first
    for width in (375, 1366):
        page.set_viewport_size({"width": width, "height": 900})
        expect(drawing.locator(".block").first).to_be_visible()
        settle(page)
        assert drawing.evaluate(TEXTS_THAT_TOUCH) == [], width


@pytest.mark.parametrize("locale", ["en-US", "zh-CN", "fr-FR"])
def test_on_a_phone_no_word_of_a_heading_is_cut_in_two(open_page: Open, locale: str) -> None:
    page = open_page(375, query="?tab=why&words=contributions", locale=locale)
    folded = page.locator("#tabpanel-why .folded-view[open]")
    expect(folded).to_be_attached()
    folded.scroll_into_view_if_needed()  # out of sight, it waits to be seen
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


def test_another_tab_leaves_the_tabs_where_they_are(page: Page) -> None:
    page.get_by_role("tab", name="Layers").click()
    place = "(list) => list.getBoundingClientRect().top"
    tabs = page.get_by_role("tablist", name="Look closer")
    tabs.evaluate("(list) => scrollBy(0, list.getBoundingClientRect().top - 60)")
    before = tabs.evaluate(place)
    for name in ("Compare", "Take apart", "Training", "Heads"):
        page.get_by_role("tab", name=name).click()
        settle(page)
        assert tabs.evaluate(place) == pytest.approx(before, abs=1), name


def test_switching_a_head_off_and_on_again_takes_two_clicks_at_one_place(
    page: Page, translator: Translator
) -> None:
    power = page.locator(".panel.large .power")
    box = power.bounding_box()
    assert box
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    target = page.get_by_role("list", name="Target so far")
    for changes in (["cross.L2H1=zero"], []):
        page.mouse.click(*middle)
        expect(power).to_have_attribute("aria-pressed", str(bool(changes)).lower())
        trace = translator.trace(EXAMPLES[0], interventions=changes)
        expect(target).to_contain_text("".join(trace.tgt_out[:2]))
        settle(page)
        assert power.bounding_box() == box


def test_a_fifth_pinned_head_says_which_made_way(page: Page) -> None:
    panel = page.get_by_role("figure", name="Cross-attention", exact=True)
    for head in ("1, head 1", "1, head 2", "1, head 3", "1, head 4"):
        panel.get_by_role("gridcell", name=f"Layer {head}", exact=True).click(modifiers=["Shift"])
    panel.get_by_role("gridcell", name="Layer 2, head 4", exact=True).click(modifiers=["Shift"])
    expect(panel.get_by_role("status").filter(has_text="made way")).to_be_visible()


def test_the_token_that_was_drawn_is_seen_among_the_candidates(open_page: Open) -> None:
    page = open_page(query="?sampling=2-0-3")
    rows = page.get_by_role("list", name="Candidates").get_by_role("listitem")
    slider = page.get_by_role("slider", name="Step", exact=True)
    hidden = 0
    for step in range(1, int(slider.get_attribute("max") or 0) + 1):
        slider.fill(str(step))
        chosen = rows.filter(has=page.locator("[aria-current=true]"))
        expect(chosen).to_be_visible()
        expect(rows.filter(visible=True)).to_have_count(5)
        hidden += chosen.evaluate("(row) => [...row.parentElement.children].indexOf(row)") > 4
    assert hidden, "some were drawn that are not among the five likeliest"


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


def test_a_head_that_is_off_does_not_look_switched_on(page: Page) -> None:
    power = page.locator(".panel.large .power")
    drawn = power.inner_html()
    power.click()
    expect(power).to_have_attribute("aria-pressed", "true")
    assert power.inner_html() != drawn
    looks = "(x) => [getComputedStyle(x).backgroundColor, getComputedStyle(x).color]"
    background, color = power.evaluate(looks)
    assert background == "rgba(0, 0, 0, 0)"
    assert color != page.locator(".fold").first.evaluate(looks)[1], "not the page's accent"


def test_on_a_phone_the_button_for_two_moments_has_a_picture(open_page: Open) -> None:
    page = open_page(375, query="?tab=training")
    buttons = page.locator(".training button.named")
    expect(buttons).to_have_count(2)
    assert [each.locator("svg").count() for each in buttons.all()] == [1, 1]


def test_lines_that_are_hidden_are_not_counted(open_page: Open, translator: Translator) -> None:
    page = open_page(query="?tab=lines&lines=cross.L2&step=2&next=hidden")
    cross = translator.trace(EXAMPLES[0]).cross
    assert cross is not None
    layer = cross[1]
    count = page.get_by_role("status", name="Lines drawn")
    count.scroll_into_view_if_needed()  # out of sight, it waits to be seen
    expect(count).to_contain_text(f"of {layer[:, :2].size} lines")
    page.get_by_role("button", name="Next step").click()
    count.scroll_into_view_if_needed()
    expect(count).to_contain_text(f"of {layer[:, :3].size} lines")
    leave_box(page)
    page.keyboard.press("h")
    count.scroll_into_view_if_needed()
    expect(count).to_contain_text(f"of {layer.size:,} lines")


def test_what_is_typed_is_not_yet_what_is_shown(page: Page) -> None:
    stage, box = page.locator("main.stage"), page.get_by_role("textbox", name="Source sentence")
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


def test_the_presenter_shows_the_translation_and_play_and_tells_a_finger_of_no_keys(
    open_page: Open, assets: Path
) -> None:
    page = open_page(1280, query="?presenter=on", has_touch=True, is_mobile=True)
    expect(page.locator(".translated")).to_be_visible()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    bar = page.get_by_role("navigation", name="Presenter")
    expect(bar.locator("kbd").first).to_be_hidden()
    expect(bar.get_by_text(Words(assets, "en")("presenter.keys"))).to_be_hidden()


def test_layers_stand_in_one_order(open_page: Open) -> None:
    page = open_page(query="?tab=layers")
    page.get_by_role("tabpanel", name="Layers").locator(".folded-view > summary").last.click()
    lens = page.get_by_role("tabpanel", name="Layers").get_by_role("table").first
    expect(lens.get_by_role("rowheader").first).to_have_text("Layer 1")
    lengths = page.locator("#tabpanel-layers .map").first
    # The labels are made anew as the map is laid out: its own element stays.
    lengths.scroll_into_view_if_needed()
    expect(lengths.locator(".axis.rows .label").first).to_contain_text("L1")
