"""What is drawn is what the model computed."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES
from tests.browser.helpers import TITLES, canvas_cells, cell, color_module, plot, show_kind, tip
from transformer import Translator
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def test_pointing_at_a_cell_tells_its_weight_and_both_tokens(
    page: Page, trace: AttentionTrace
) -> None:
    for kind in KINDS:
        check_tips(page, trace, kind)


def check_tips(page: Page, trace: AttentionTrace, kind: Kind) -> None:
    weights = trace.weights(kind)
    assert weights is not None
    show_kind(page, kind)
    figure = page.get_by_role("figure", name=TITLES[kind], exact=True)
    figure.get_by_role("gridcell", name="Layer 2, head 3").click()
    matrix = figure.get_by_role("img")
    head = weights[1, 2]
    key_tokens = trace.tgt_in if kind == "decoder_self" else trace.src
    query_tokens = trace.src if kind == "encoder_self" else trace.tgt_in
    for query, key in ((0, 0), (2, 1), (len(head) - 1, len(key_tokens) - 1)):
        x, y = cell(matrix, len(head), len(key_tokens), query, key)
        # Many tokens scroll under their labels.
        plot(figure).evaluate("(plot, at) => plot.scrollTo(...at)", [x - 99, y - 99])
        matrix.hover(position={"x": x, "y": y})
        about = tip(figure)
        expect(about).to_contain_text(query_tokens[query])
        expect(about).to_contain_text(f"attends to {key_tokens[key]}:")
        if kind != "encoder_self":
            expect(about).to_contain_text(f"predicts {trace.tgt_out[query]}")
        shown = float(about.inner_text().rsplit(": ", 1)[1])
        assert shown == pytest.approx(head[query, key], abs=8e-4)  # float16, three decimals


def test_masked_cells_are_hatched_and_say_so(page: Page, trace: AttentionTrace) -> None:
    show_kind(page, "decoder_self")
    figure = page.get_by_role("figure", name="Decoder self-attention")
    matrix = figure.get_by_role("img")
    size = len(trace.tgt_in)

    def check_colors(decoded: int) -> None:
        colors = canvas_cells(matrix, size, size)
        scale = scale_colors(page)
        for query in range(size):
            for key in range(size):
                on_scale = all(color in scale for color in colors[query][key])
                assert on_scale == (key <= query < decoded), (query, key)

    check_colors(decoded=size)
    x, y = cell(matrix, size, size, 1, 3)
    matrix.hover(position={"x": x, "y": y})
    expect(tip(figure)).to_contain_text(": masked")
    page.keyboard.press("Home")
    x, y = cell(matrix, size, size, 3, 3)
    matrix.hover(position={"x": x, "y": y})
    expect(tip(figure)).to_contain_text(": not decoded yet")
    page.mouse.move(1, 1)
    check_colors(decoded=1)


def test_every_cell_has_the_colour_of_its_weight(page: Page, trace: AttentionTrace) -> None:
    scale = scale_colors(page)
    for kind in KINDS:
        weights = trace.weights(kind)
        assert weights is not None
        show_kind(page, kind)
        figure = page.get_by_role("figure", name=TITLES[kind], exact=True)
        figure.get_by_role("gridcell", name="Layer 1, head 2").click()
        head = weights[0, 1]
        colors = canvas_cells(figure.get_by_role("img"), *head.shape)
        for query, key in np.ndindex(*head.shape):
            if kind == "decoder_self" and key > query:
                continue
            shown = scale.index(colors[query][key][0]) / 255
            assert shown == pytest.approx(head[query, key], abs=0.5 / 255 + 3e-4), (query, key)


def scale_colors(page: Page) -> list[list[int]]:
    """The 256 colours of the scale, weight 0 first."""
    return color_module(page, "(color) => levels.map((i) => color.weightRgb(i / 255, 'light'))")


def test_the_scale_is_even_to_the_eye_and_its_labels_are_legible(page: Page) -> None:
    for theme in ("light", "dark"):
        for scale in ("blue", "viridis", "grey"):
            check_scale(page, theme, scale)


def check_scale(page: Page, theme: str, scale: str) -> None:
    coloring = f"'{theme}', {{ scale: '{scale}', gamma: 1, full: 1, rank: false }}"
    rgb = np.array(
        color_module(page, f"(color) => levels.map((i) => color.weightRgb(i / 255, {coloring}))")
    )
    lightness = ok_lightness(rgb)
    direction = -1 if theme == "light" and scale != "viridis" else 1
    assert (np.diff(lightness[::8]) * direction > 0).all(), "lightness alone gives the order"
    steps = np.linalg.norm(np.diff(ok_lab(rgb)[::16], axis=0), axis=1)
    assert steps.max() / steps.min() < 1.25

    ink = color_module(page, f"(color) => levels.map((i) => color.inkOn(i / 255, {coloring}))")
    luminance = relative_luminance(rgb)
    on_white, on_black = 1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05
    contrast = np.where(np.array(ink) == "#fff", on_white, on_black)
    assert contrast.min() >= 4.5


def linear(rgb: np.ndarray) -> np.ndarray:
    share = rgb / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def relative_luminance(rgb: np.ndarray) -> np.ndarray:
    return linear(rgb) @ [0.2126, 0.7152, 0.0722]


def ok_lab(rgb: np.ndarray) -> np.ndarray:
    """Ottosson 2020, from sRGB: the inverse of what the viewer computes."""
    lms = linear(rgb) @ np.array(
        [
            [0.4122214708, 0.2119034982, 0.0883024619],
            [0.5363325363, 0.6806995451, 0.2817188376],
            [0.0514459929, 0.1073969566, 0.6299787005],
        ]
    )
    return np.cbrt(lms) @ np.array(
        [
            [0.2104542553, 1.9779984951, 0.0259040371],
            [0.7936177850, -2.4285922050, 0.7827717662],
            [-0.0040720468, 0.4505937099, -0.8086757660],
        ]
    )


def ok_lightness(rgb: np.ndarray) -> np.ndarray:
    return ok_lab(rgb)[:, 0]
