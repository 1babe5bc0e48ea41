"""Nothing overflows, overlaps or is cut, from a phone to a projector, in every language."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, Open, Visitors, languages
from tests.browser.helpers import axes, folded, kinds, labels, plot, sentence, settle, tip
from transformer import Translator
from transformer.trace.trace import AttentionTrace

LONG = "She reads a book every evening. Where is it?"

OVERLAPS = """axis => {
    const boxes = [...axis.children]
        .filter((label) => getComputedStyle(label).visibility === "visible")
        .map((label) => label.getBoundingClientRect());
    const [start, end] = axis.classList.contains("rows") ? ["top", "bottom"] : ["left", "right"];
    return boxes.slice(1).filter((box, i) => box[start] < boxes[i][end] - 0.5).length;
}"""


def show(page: Page, sentence: str) -> None:
    page.locator("#source").fill(sentence)
    page.keyboard.press("Enter")
    expect(page.locator("form [type=submit]").first).to_have_attribute("aria-busy", "false")


FAULTS = """root => {
    const visible = (element) => element.checkVisibility({ visibilityProperty: true });
    const describe = (element) =>
        `${element.tagName}.${element.className} “${element.textContent.slice(0, 30)}”`;
    const ELIDED = ".label, .name, .spoken"; // the whole text is in their title, or is only heard
    const faults = [];
    for (const parent of [root, ...root.querySelectorAll("*:not(svg *)")]) {
        if (!visible(parent) || parent.closest(ELIDED)) continue;
        const style = getComputedStyle(parent);
        const text = [...parent.childNodes].some((node) =>
            node.nodeType === Node.TEXT_NODE && node.data.trim());
        const scrolls = /auto|scroll/.test(style.overflowX) || style.display === "inline";
        if (text && !scrolls && parent.scrollWidth > parent.clientWidth + 1) {
            faults.push(`clipped: ${describe(parent)}`);
        }
        const flow = [...parent.children].filter((child) => {
            const { position, display } = getComputedStyle(child);
            return visible(child) && /static|relative/.test(position)
                && !/^inline$|contents/.test(display);
        });
        const boxes = flow.map((child) => child.getBoundingClientRect());
        for (const [i, one] of boxes.entries()) {
            for (const [j, other] of boxes.entries()) {
                const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
                const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
                if (i < j && across > 1 && down > 1) {
                    faults.push(`overlap: ${describe(flow[i])} and ${describe(flow[j])}`);
                }
            }
        }
    }
    return faults;
}"""


LOOKS = [("en-US", "light"), ("zh-CN", "dark"), ("fr-FR", "dark")]
"""What has room in a language has it in either theme."""

LONG_LOOKS = [*(pytest.param(*look, marks=pytest.mark.slow) for look in LOOKS[:2]), LOOKS[2]]
"""French words are the longest."""


@pytest.mark.parametrize(("locale", "color_scheme"), LONG_LOOKS)
def test_the_page_fits_its_window(open_page: Open, locale: str, color_scheme: str) -> None:
    page = open_page(locale=locale, color_scheme=color_scheme)
    root = page.get_by_role("main").locator("..")
    for text in ("Good morning", LONG):
        show(page, text)
        for width in (375, 768, 1280, 1366, 1920):
            check_width(page, width)
            assert root.evaluate(FAULTS) == [], width
    page.locator("h1").click()
    page.keyboard.press("p")
    for width in (375, 768, 1280, 1920):
        check_width(page, width)
        assert root.evaluate(FAULTS) == [], f"presenter, {width}"
    page.keyboard.press("p")
    page.get_by_role("figure").get_by_role("button").first.click()
    page.locator("[popover]:popover-open button").first.click()
    kinds(page).get_by_role("button").nth(2).click()
    page.get_by_role("figure").get_by_role("gridcell").first.click(modifiers=["Shift"])
    for width in (375, 768, 1280, 1920):
        check_width(page, width)
        assert root.evaluate(FAULTS) == [], f"table and pins, {width}"


@pytest.mark.slow
@pytest.mark.parametrize(("locale", "color_scheme"), LONG_LOOKS)
def test_the_tabs_fit_the_window(open_page: Open, locale: str, color_scheme: str) -> None:
    page = open_page(locale=locale, color_scheme=color_scheme)
    root = page.get_by_role("main").locator("..")
    kinds(page).get_by_role("button").nth(1).click()
    page.locator("figure[data-kind=encoder_self]").get_by_role("img").click()
    tabs = {
        "heads": ".all-heads td",
        "why": ".beside-rows",
        "layers": ".lens td",
        "compare": ".compare .three .map-table",
        "attention": ".side.keys li",
        "": ".bertviz iframe",
    }
    for tab, shown in (("attention", ".worked-out .formula"), *tabs.items()):
        # What an answer would push out of sight, and is made once it is seen, is in sight.
        page.set_viewport_size({"width": 1280, "height": 4000})
        if tab:
            page.locator(f"#tab-{tab}").click()
        if shown == ".side.keys li":
            page.locator(".kinds .switch").last.locator("button").last.click()
        if not tab:
            page.locator(".lines .link").click()
        panel = "[role=tabpanel]:not([hidden])"
        expect(page.locator(f"{panel} div[aria-busy=true]:empty")).to_have_count(0)  # all is there
        closed = folded(page).and_(page.locator(f"{panel} details:not([open]) > summary"))
        while closed.count():
            closed.first.click()
        if tab == "compare":
            page.keyboard.press("x")  # something to compare with
        expect(page.locator(shown).first).to_be_visible()
        for width in (375, 768, 1280, 1920):
            check_width(page, width)
            assert root.evaluate(FAULTS) == [], f"{shown}, {width}"


TEN = "She reads a book"
"""Of ten tokens or more, with </s>, as the tokenizer here cuts it."""

INSIDE = """(element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && bottom > top;
}"""


PARTS = ("#source", ".steps", ".translated output", ".lit-rows", ".sentence", ".candidates")


@pytest.mark.parametrize(
    ("locale", "color_scheme"),
    [LOOKS[0], *(pytest.param(*look, marks=pytest.mark.slow) for look in LOOKS[1:])],
)
def test_the_picture_is_on_the_first_screen(
    open_page: Open, translator: Translator, locale: str, color_scheme: str
) -> None:
    assert len(translator.trace(TEN).src) >= 10
    page = open_page(locale=locale, color_scheme=color_scheme)
    show(page, TEN)
    page.locator("h1").click()
    for width, height in ((1366, 768), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        for key, kind in (("2", "encoder_self"), ("3", "decoder_self"), ("1", "cross")):
            page.keyboard.press(key)
            large = page.locator(f"figure[data-kind={kind}]")
            for part in (".plot", ".axis.columns", ".heads"):
                expect(large.locator(part)).to_be_visible()
                page.wait_for_function(
                    f"([part]) => ({INSIDE})(part)", arg=[large.locator(part).element_handle()]
                )
            for part in PARTS:
                assert page.locator(part).first.evaluate(INSIDE), (part, width)
        assert page.evaluate("scrollY") == 0


CONTROLS = """() => {
    const all = document.querySelectorAll(
        ".headlight :is(button, input, select, textarea, summary, a[href], "
        + "[tabindex='0']:not(dfn))");
    const seen = (element) => {
        const { top, bottom, width } = element.getBoundingClientRect();
        return element.checkVisibility({ visibilityProperty: true }) && width > 0
            && top < innerHeight && bottom > 0 && !element.closest("[inert]");
    };
    const name = (element) => element.ariaLabel || element.textContent.trim() || element.id;
    return [...all].filter((each) => !each.disabled && seen(each)).map(name);
}"""
"""Every button, tab, field and link, and what else the Tab key stops at but for terms: a row of
words is one, and so are the small pictures of all heads."""


def test_the_first_screen_has_few_controls_and_its_parts_are_where_the_eye_is(
    open_page: Open,
) -> None:
    page = open_page(newcomer=True)
    page.set_viewport_size({"width": 1366, "height": 768})
    settle(page)
    controls = page.evaluate(CONTROLS)
    assert len(controls) <= 46, controls
    tabs = page.get_by_role("tablist", name="Look closer")
    for part in (page.get_by_role("list", name="Target so far"), sentence(page), tabs):
        box = part.first.bounding_box()
        assert box
        assert box["y"] + box["height"] <= 450
    # What a closed tab holds is not made before it is opened.
    panels = page.get_by_role("tabpanel", include_hidden=True).evaluate_all(
        "panels => panels.filter((panel) => panel.childElementCount).map((panel) => panel.id)"
    )
    assert panels == ["tabpanel-attention"]


def test_a_long_text_fits_its_panel_and_scrolls_under_its_labels_once_zoomed(
    visitors: Visitors, translator: Translator, tmp_path: Path
) -> None:
    long_trace(translator.trace(EXAMPLES[0])).save(tmp_path / "long.html")
    page = visitors.context(locale="en-US", offline=True).new_page()
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto((tmp_path / "long.html").as_uri())
    cross = page.get_by_role("figure", name="Cross-attention")
    cells = cross.get_by_role("img").bounding_box()
    assert cells
    assert cells["y"] + cells["height"] <= 768, "every row is seen"
    page.locator("h1").click()
    for key in ("+", "+", "+", "+", "End", "Home"):
        page.keyboard.press(key)
        settle(page)
        box = plot(cross).bounding_box()
        label = labels(cross, "rows", "current").first.bounding_box()
        columns = axes(cross, "columns").bounding_box()
        assert box
        assert label
        assert columns
        assert columns["y"] + columns["height"] - 1 <= label["y"]
        assert label["y"] + label["height"] <= box["y"] + box["height"] + 1
    page.close()


def test_a_matrix_ends_within_the_window_however_large_its_cells(
    visitors: Visitors, translator: Translator, tmp_path: Path
) -> None:
    # So many that the names above turn, and lie once the cells are wide.
    pieces = long_trace(translator.trace(EXAMPLES[0]), 40, ("t", "␣bank", "he", "<unk>"))
    pieces.save(tmp_path / "pieces.html")
    page = visitors.context(locale="zh-CN", offline=True).new_page()
    page.set_viewport_size({"width": 1366, "height": 768})
    page.goto((tmp_path / "pieces.html").as_uri())
    cross = page.get_by_role("figure", name="交叉注意力")
    page.locator("[data-ready=painted]").wait_for()
    settle(page)
    page.get_by_role("button", name="更多：交叉注意力").click()
    closer = page.get_by_role("button", name="放大")
    turned = set[bool]()
    while True:
        box = cross.locator(".plot").bounding_box()
        assert box
        assert box["y"] + box["height"] <= 768 - 12
        turned.add(cross.locator(".columns .turned").count() > 0)
        if closer.is_disabled():
            break
        closer.click()
    assert turned == {True, False}
    page.close()


@pytest.mark.parametrize(
    ("size", "locale"),
    [
        ((1280, 720), "fr-FR"),
        pytest.param((1280, 720), "en-US", marks=pytest.mark.slow),
        ((1920, 1080), "en-US"),
    ],
)
def test_the_presenter_fits_its_screen(open_page: Open, size: tuple[int, int], locale: str) -> None:
    page = open_page(query="?presenter=on&step=2", locale=locale)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    expect(page.locator("nav")).to_be_visible()
    for part in (
        ".steps",
        ".beam",
        ".candidates",
        ".panel:not([hidden]) .heads",
        ".panel:not([hidden]) .plot",
    ):
        page.wait_for_function(
            f"([part]) => ({INSIDE})(part)", arg=[page.locator(part).first.element_handle()]
        )
    lines = page.locator(".track:visible").evaluate_all(
        """tracks => tracks.map((track) => {
            const { bottom } = track.getBoundingClientRect();
            return [...track.children].filter((token) => {
                const box = token.getBoundingClientRect();
                return box.top < bottom - 1 && box.bottom > bottom + 1;
            }).length;
        })"""
    )
    assert lines == [0, 0], "no line of tokens is cut"


def test_the_weight_that_is_pointed_at_covers_no_cell(open_page: Open) -> None:
    page = open_page(query="?source=" + TEN.replace(" ", "+"))
    page.set_viewport_size({"width": 1280, "height": 1400})  # else it scrolls
    settle(page)
    cross = page.get_by_role("figure", name="Cross-attention")
    matrix = cross.get_by_role("img").bounding_box()
    assert matrix
    for share in (0.1, 0.5, 0.9):
        at = [matrix[x] + share * matrix[size] for x, size in (("x", "width"), ("y", "height"))]
        page.mouse.move(*at)
        box = tip(cross).bounding_box()
        assert box
        assert box["y"] + box["height"] <= matrix["y"]


def test_on_a_phone_the_translation_and_the_words_need_no_scrolling(open_page: Open) -> None:
    page = open_page(375)
    page.set_viewport_size({"width": 375, "height": 812})
    show(page, TEN)
    for part in ("#source", ".primary", ".translated output", ".lit-rows", ".beam > .sentence"):
        assert page.locator(part).evaluate(INSIDE), part
    assert page.evaluate("scrollY") == 0


def check_width(page: Page, width: int) -> None:
    """Nothing makes the window scroll sideways; the matrices follow its width a frame later."""
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_function("width => document.documentElement.scrollWidth === width", arg=width)
    settle(page)


def test_labels_never_overlap(page: Page) -> None:
    for text in (LONG, "车站在哪里？他说：“是的！”然后走了。"):
        show(page, text)
        every = axes(page)
        assert every.count() == 8
        slider = page.get_by_role("slider", name="Step")
        for width in (375, 1280):
            check_width(page, width)
            for step in ("1", "5", slider.get_attribute("max")):
                assert step
                slider.fill(step)
                assert every.evaluate_all(f"axes => axes.map({OVERLAPS})") == [0] * 8


def test_names_give_way_to_the_steps_in_a_map_too(open_page: Open) -> None:
    page = open_page(375, query=f"?source={LONG}&tab=why&step=5")
    axes = page.get_by_role("tabpanel", name="Why this word").locator(".axis.rows")
    expect(axes.locator(".thinned")).not_to_have_count(0)
    slider = page.get_by_role("slider", name="Step")
    for step in ("4", "5", "6"):
        slider.fill(step)
        expect(axes.locator(".current")).not_to_have_count(0)
        settle(page)
        assert axes.evaluate_all(f"axes => axes.map({OVERLAPS})") == [0] * axes.count()


def test_the_steps_stay_in_view(open_page: Open) -> None:
    page = open_page(375)
    page.get_by_role("figure", name="Cross-attention").scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Next step")).to_be_in_viewport()


def test_long_row_labels_are_elided_above_short_columns_too(
    visitors: Visitors, translator: Translator, tmp_path: Path
) -> None:
    trace = translator.trace(EXAMPLES[0])
    words = ("␣incomprehensibilities",) * len(trace.tgt_in)
    letters = ("I",) * len(trace.src)
    dataclasses.replace(trace, src=letters, tgt_in=words, tgt_out=words).save(tmp_path / "t.html")
    page = visitors.context(locale="en-US", offline=True).new_page()
    page.set_viewport_size({"width": 375, "height": 900})
    page.goto((tmp_path / "t.html").as_uri())
    panel = page.get_by_role("figure", name="Cross-attention")
    expect(labels(panel, "columns", "turned")).to_have_count(0)
    overflows = labels(panel, "rows").evaluate_all(
        """labels => labels.filter((label) => label.scrollWidth > label.clientWidth)
            .map((label) => getComputedStyle(label).overflowX)"""
    )
    assert overflows == ["hidden"] * 2 * len(words)
    label = labels(panel, "rows").first
    assert label.get_attribute("title") == label.text_content()
    page.close()


def test_the_matrix_has_the_screens_own_resolution(open_page: Open) -> None:
    page = open_page(device_scale_factor=2)
    width, shown = (
        page.get_by_role("figure", name="Cross-attention")
        .get_by_role("img")
        .evaluate("canvas => [canvas.width, canvas.getBoundingClientRect().width]")
    )
    assert width == pytest.approx(2 * shown, abs=1)


@pytest.mark.slow
def test_a_pair_of_128_tokens_opens_and_steps(
    visitors: Visitors, translator: Translator, tmp_path: Path
) -> None:
    long_trace(translator.trace(EXAMPLES[0])).save(tmp_path / "long.html")
    page = visitors.context(locale="en-US", offline=True).new_page()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto((tmp_path / "long.html").as_uri())
    status = page.get_by_role("status", name="Step status")
    expect(status).to_contain_text("Step 128 of 128")
    every = axes(page)
    for key, step in (("Home", 1), ("ArrowRight", 2), ("End", 128), ("ArrowLeft", 127)):
        page.keyboard.press(key)
        expect(status).to_contain_text(f"Step {step} of 128")
        assert every.evaluate_all(f"axes => axes.map({OVERLAPS})") == [0] * every.count()
    zoom = page.get_by_role("button", name="Zoom in").filter(visible=True)
    while zoom.is_enabled():
        zoom.click()
    assert every.evaluate_all(f"axes => axes.map({OVERLAPS})") == [0] * every.count()
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    page.close()


WORDS = ("␣Where", "␣incomprehensibilities", "。", "图书馆", "s", "</s>", "␣北京", "<unk>")


def long_trace(
    trace: AttentionTrace, length: int = 128, words: tuple[str, ...] = WORDS
) -> AttentionTrace:
    """One of so many source and target tokens, with weights of chance."""
    tokens = tuple(words[i % len(words)] for i in range(length))
    weights = np.random.default_rng(0).random((2, 4, length, length), np.float32)
    causal = np.tril(weights)
    weights, causal = (each / each.sum(-1, keepdims=True) for each in (weights, causal))
    weights.setflags(write=False)
    causal.setflags(write=False)
    return dataclasses.replace(
        trace,
        src=tokens,
        tgt_in=tokens,
        tgt_out=tokens,
        src_ids=(4,) * length,
        tgt_ids=(trace.tgt_ids[0],) * length,
        candidates=(trace.candidates[0],) * length,
        encoder_self=weights,
        decoder_self=causal,
        cross=weights,
    )


@pytest.mark.parametrize("locale", languages("fr-FR"))
def test_the_way_out_of_a_lesson_is_within_the_window(open_page: Open, locale: str) -> None:
    page = open_page(360, query="?tour=6", locale=locale)
    close = page.locator("aside.tour .over > button")
    for width in (360, 1366, 1920):
        check_width(page, width)
        expect(close).to_be_visible()
        box = close.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width


def test_a_projector_gives_a_sentence_its_width_and_letters_read_from_afar(open_page: Open) -> None:
    page = open_page(1920, query="?step=3&presenter=on")
    page.set_viewport_size({"width": 1920, "height": 1080})
    beam = page.locator(".beam")
    expect(beam).to_be_visible()
    settle(page)
    box = beam.bounding_box()
    assert box is not None
    assert box["width"] > 1300  # it had 700, and cut a sentence of eleven words
    for key in ("", "4", "5", "7"):  # and panels that were laid out for a desk
        if key:
            page.keyboard.press(key)
            drawn = page.locator("[role=tabpanel]:visible :is(canvas, table, .diagram .block)")
            expect(drawn.first).to_be_visible()
        assert page.evaluate(SMALL_PRINT) == [], key
        if key == "5":  # the whole model; a sentence of more than two rows takes what it needs
            tokens = page.locator(".chip-token rect").evaluate_all(
                "rects => rects.map((rect) => rect.getBoundingClientRect().top)"
            )
            height = page.evaluate("document.documentElement.scrollHeight")
            assert height <= 1080 + 52 * max(0, len(set(tokens)) - 2)
    page.keyboard.press("1")
    plot(page.get_by_role("figure")).locator("canvas").first.click()
    frames = page.locator("#worked-out .frames button:has(.name)")
    for frame in range(7):
        frames.nth(frame).click()
        expect(page.locator("#worked-out .blackboard")).to_be_visible()
        assert page.evaluate(SMALL_PRINT) == [], f"frame {frame + 1}"


# What is presented, and cannot be read eight metres from a projector of 1080 lines.
SMALL_PRINT = """() => {
    const texts = document.createTreeWalker(document.querySelector(".stage"), NodeFilter.SHOW_TEXT);
    const small = [];
    while (texts.nextNode()) {
        const { currentNode: text } = texts;
        const around = text.parentElement;
        const size = parseFloat(getComputedStyle(around).fontSize) * (around.currentCSSZoom ?? 1);
        const seen = text.data.trim() && around.checkVisibility({ visibilityProperty: true });
        if (seen && !around.closest("svg") && size < 23.9) small.push([text.data, size]);
    }
    return small;
}"""
