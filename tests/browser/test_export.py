"""What is taken away is what is on the screen: every file is downloaded and read."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, MARKUP, Open, Words
from tests.browser.helpers import TITLES, color_module, from_menu, kinds, show_kind
from transformer import Translator
from transformer.serving import service as server
from transformer.show.matrix import COLORS
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")

SVG = "{http://www.w3.org/2000/svg}"
LAYER, HEAD = 1, 2


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def save(page: Page, menu: str, item: str) -> tuple[str, bytes]:
    """Opens a menu, chooses from it, and returns the downloaded file's name and content."""
    page.get_by_role("button", name=menu, exact=True).click()
    button = page.get_by_role("button", name=item, exact=True)
    with page.expect_download() as download:
        button.click()
    expect(button).to_be_hidden()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def save_panel(page: Page, kind: Kind, item: str) -> tuple[str, bytes]:
    show_kind(page, kind)
    figure = page.get_by_role("figure", name=TITLES[kind], exact=True)
    figure.get_by_role("gridcell", name=f"Layer {LAYER + 1}, head {HEAD + 1}", exact=True).click()
    return save(page, f"More: {TITLES[kind]}", item)


def labels_of(trace: AttentionTrace, kind: Kind) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The columns of row labels, and the column labels."""
    rows = [trace.src] if kind == "encoder_self" else [trace.tgt_in, trace.tgt_out]
    return rows, trace.tgt_in if kind == "decoder_self" else trace.src


def plain(label: str | None) -> str | None:
    """A label without the mark of a word's start, which no leaning one has: it reads as a tick."""
    return label[1:] if label and len(label) > 1 and label[0] == "␣" else label


def test_svg_is_the_labelled_drawing(page: Page, trace: AttentionTrace) -> None:
    for kind in KINDS:
        name, content = save_panel(page, kind, "SVG drawing for a paper")
        assert name == f"headlight_en-zh_I-love-you_{kind}_L2H3.svg"
        root = ElementTree.fromstring(content)
        texts = [text.text for text in root.iter(f"{SVG}text")]
        rows, columns = labels_of(trace, kind)
        heading = f"{TITLES[kind]}, Layer {LAYER + 1}, head {HEAD + 1}"
        assert texts[:2] == [heading, f"en-zh: {trace.source}"]
        drawn = [
            text for text in root.iter(f"{SVG}text") if plain(text.text) in map(plain, columns)
        ]
        heads = drawn[: len(columns)]
        assert [plain(text.text) for text in heads] == [*map(plain, columns)]
        upright = {text.text for text in heads if text.get("transform") is None}
        assert upright >= {token for token in columns if len(token) == 1}
        for side in rows:
            assert {*side} <= {*texts}
        if kind != "encoder_self":
            assert {"reads", "predicts"} <= {*texts}
        weights = trace.weights(kind)
        assert weights is not None
        visible = np.tril(weights[0, 0] >= 0) if kind == "decoder_self" else weights[0, 0] >= 0
        group = root.find(f"{SVG}g")
        assert group is not None
        assert len(group) == visible.sum(), "one cell a weight, and none for what is masked"
        fills: Any = color_module(
            page, "(color) => levels.map((i) => color.weightColor(i / 255, 'light'))"
        )
        for rect, weight in zip(group, weights[LAYER, HEAD][visible], strict=True):
            level = fills.index(rect.get("fill"))
            assert level / 255 == pytest.approx(weight, abs=0.5 / 255 + 3e-4)
        hatched = root.find(f"{SVG}path[@fill='url(#masked)']")
        assert (hatched is not None) == (kind == "decoder_self")


def test_png_is_the_drawing_in_twice_its_size(page: Page) -> None:
    _, svg = save_panel(page, "cross", "SVG drawing for a paper")
    name, content = save_panel(page, "cross", "PNG picture, 2×")
    assert name == "headlight_en-zh_I-love-you_cross_L2H3.png"
    root = ElementTree.fromstring(svg)
    image = Image.open(io.BytesIO(content)).convert("RGB")
    assert image.size == tuple(2 * int(root.attrib[side]) for side in ("width", "height"))
    assert image.getpixel((1, 1)) == (255, 255, 255)
    group = root.find(f"{SVG}g")
    assert group is not None
    for rect in group:
        x, y = (2 * round(float(rect.attrib[side]) + 12) for side in "xy")
        pixel: Any = image.getpixel((x, y))
        assert "rgb({} {} {})".format(*pixel) == rect.get("fill")


def test_pinned_heads_are_saved_side_by_side_or_one_alone(
    page: Page, trace: AttentionTrace
) -> None:
    show_kind(page, "decoder_self")
    figure = page.get_by_role("figure", name="Decoder self-attention", exact=True)
    figure.get_by_role("gridcell", name="Layer 1, head 1", exact=True).click()
    from_menu(page, "Pin head L1H1", "decoder_self")
    figure.get_by_role("gridcell", name="Layer 2, head 3", exact=True).click()
    page.get_by_role("button", name="More: Decoder self-attention").click()
    groups = ("All 2 heads, side by side", "L2H3 alone")
    names = ("decoder_self_L1H1-L2H3.svg", "decoder_self_L2H3.svg")
    fills: Any = color_module(
        page, "(color) => levels.map((i) => color.weightColor(i / 255, 'light'))"
    )
    for group, end, heads in zip(groups, names, (((0, 0), (1, 2)), ((1, 2),)), strict=True):
        if not page.get_by_role("list", name=group).is_visible():
            page.get_by_role("button", name="More: Decoder self-attention").click()
        items = page.get_by_role("list", name=group)
        with page.expect_download() as download:
            items.get_by_role("button", name="SVG drawing for a paper").click()
        assert download.value.suggested_filename.endswith(end)
        root = ElementTree.fromstring(Path(download.value.path()).read_bytes())
        drawn = root.findall(f"{SVG}g")
        assert len(drawn) == len(heads)
        for cells, (layer, head) in zip(drawn, heads, strict=True):
            weights = trace.decoder_self[layer, head]
            expected = weights[np.tril(weights >= 0)]
            levels = [fills.index(cell.get("fill")) / 255 for cell in cells]
            assert levels == pytest.approx(expected, abs=0.5 / 255 + 3e-4)
        texts = [text.text for text in root.iter(f"{SVG}text")]
        # The rows' labels stand once, whatever stands beside them.
        assert texts.count("predicts") == 1
        assert ("Layer 1, head 1" in texts) == (len(heads) > 1)
        right = max(float(cell.attrib["x"]) for cells in drawn for cell in cells)
        assert right < float(root.attrib["width"])


def test_paper_shows_the_heads_that_no_one_has_scrolled_to(page: Page) -> None:
    page.set_viewport_size({"width": 375, "height": 400})
    last = page.locator("figure[data-kind=encoder_self] .heads canvas")
    kinds(page).get_by_role("button", name="Encoder").dispatch_event("click")
    size = "(canvas) => canvas.width * canvas.height"
    unpainted = 300 * 150  # an untouched canvas's
    assert last.evaluate(size) == unpainted
    page.pdf()
    assert last.evaluate(size) != unpainted


def test_a_pdf_has_a_page_of_the_drawings_size(page: Page) -> None:
    title = page.title()
    page.evaluate("window.print = () => {}")
    page.get_by_role("button", name="More: Cross-attention").click()
    page.get_by_role("button", name="Print, or save as PDF").click()
    sheet = page.locator(".printed svg")
    expect(sheet).to_be_attached()
    assert page.title() == "headlight_en-zh_I-love-you_cross_L2H1.pdf"
    expect(sheet).to_be_hidden()
    page.emulate_media(media="print")
    expect(sheet).to_be_visible()
    expect(page.get_by_role("heading", name="Headlight")).to_be_hidden()
    width, height = (float(sheet.get_attribute(side) or 0) for side in ("width", "height"))
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    box = re.search(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert box
    # A point is 4/3 of CSS's pixels.
    assert [float(side) * 4 / 3 for side in box.groups()] == pytest.approx([width, height], abs=3)
    page.emulate_media(media="screen")
    expect(sheet).to_have_count(0)
    assert page.title() == title


def test_csv_holds_the_numbers(page: Page, trace: AttentionTrace) -> None:
    for kind in KINDS:
        name, content = save_panel(page, kind, "CSV table of the numbers")
        assert name == f"headlight_en-zh_I-love-you_{kind}_L2H3.csv"
        assert content.startswith(b"\xef\xbb\xbf"), "Excel reads Chinese by this mark"
        header, *lines = csv.reader(io.StringIO(content.decode("utf-8-sig")))
        rows, columns = labels_of(trace, kind)
        titles = ["reads", "predicts"] if kind != "encoder_self" else ["token"]
        assert header == [*titles, *columns]
        assert [tuple(line[: len(rows)]) for line in lines] == list(zip(*rows, strict=True))
        weights = trace.weights(kind)
        assert weights is not None
        for query, line in enumerate(lines):
            for key, cell in enumerate(line[len(rows) :]):
                if kind == "decoder_self" and key > query:
                    assert cell == ""
                else:
                    weight = weights[LAYER, HEAD, query, key]
                    assert float(cell) == pytest.approx(weight, abs=3e-4)


@pytest.mark.parametrize("sentence", MARKUP)
def test_markup_in_a_drawing_is_text(page: Page, translator: Translator, sentence: str) -> None:
    page.get_by_role("textbox", name="Source sentence").fill(sentence)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Translate")).to_have_attribute("aria-busy", "false")
    name, content = save_panel(page, "cross", "SVG drawing for a paper")
    assert name.isprintable()
    assert not {*'<>:"/\\|?*$ '} & {*name}
    root = ElementTree.fromstring(content)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {*map(plain, translator.trace(sentence).src)} <= {*map(plain, texts)}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        *("svg", "title", "rect", "text", "g", "linearGradient", "stop")
    }


def test_json_is_the_trace_as_it_came(page: Page, trace: AttentionTrace, tmp_path: Path) -> None:
    name, content = save(page, "More: Cross-attention", "JSON for programs")
    assert name == "headlight_en-zh_I-love-you.json"
    assert json.loads(content) == json.loads(json.dumps(trace.to_dict("float16")))
    (tmp_path / name).write_bytes(content)
    assert AttentionTrace.load(tmp_path / name).tgt_out == trace.tgt_out


def test_npz_is_the_trace_for_numpy(page: Page, trace: AttentionTrace, tmp_path: Path) -> None:
    name, content = save(page, "More: Cross-attention", "NPZ for NumPy")
    assert name == "headlight_en-zh_I-love-you.npz"
    (tmp_path / name).write_bytes(content)
    loaded = AttentionTrace.load(tmp_path / name)
    assert loaded.candidates == trace.candidates
    for kind in KINDS:
        ours, theirs = loaded.weights(kind), trace.weights(kind)
        assert ours is not None
        assert theirs is not None
        assert np.abs(ours - theirs).max() < 5e-4


def test_a_refusal_is_said_in_the_menu(
    page: Page, monkeypatch: pytest.MonkeyPatch, complaints: list[str]
) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("no room")

    monkeypatch.setattr(server, "file_of", refuse)
    menu = page.get_by_role("button", name="More: Cross-attention")
    menu.click()
    item = page.get_by_role("button", name="HTML page that replays it")
    item.click()
    alert = page.get_by_role("alert").filter(has_text="Something went wrong on the server")
    expect(alert).to_be_visible()
    monkeypatch.undo()
    with page.expect_download():
        item.click()
    expect(alert).to_be_hidden()
    assert not complaints


def test_a_menu_closes_by_key_and_by_a_press_elsewhere(page: Page) -> None:
    menu = page.get_by_role("button", name="More: Cross-attention")
    item = page.get_by_role("button", name="CSV table of the numbers")
    menu.focus()
    page.keyboard.press("Enter")
    expect(item).to_be_visible()
    page.keyboard.press("Escape")
    expect(item).to_be_hidden()
    expect(menu).to_be_focused()
    menu.click()
    expect(item).to_be_visible()
    page.get_by_role("heading", name="Headlight").click()
    expect(item).to_be_hidden()


def test_menus_stay_in_the_window(open_page: Open) -> None:
    page = open_page(375)
    for kind in KINDS:
        show_kind(page, kind)
        button = page.get_by_role("button", name=f"More: {TITLES[kind]}")
        button.click()
        box = page.locator("[popover]:popover-open").bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 375
        page.keyboard.press("Escape")


def test_plotly_figures_have_the_pages_colours(page: Page) -> None:
    scale = np.array(
        color_module(page, "(color) => levels.map((i) => color.weightRgb(i / 255, 'light'))")
    )
    anchors = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in COLORS])
    levels, places = np.linspace(0, 1, 256), np.linspace(0, 1, len(COLORS))
    drawn = np.stack([np.interp(levels, places, channel) for channel in anchors.T], 1)
    assert np.abs(drawn - scale).max() < 4


def save_svg(page: Page, t: Words) -> str:
    kind = t("cross.title")
    page.get_by_role("button", name=t("panel.menu", kind=kind), exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=t("save.svg"), exact=True).click()
    return download.value.path().read_text(encoding="utf-8")


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
