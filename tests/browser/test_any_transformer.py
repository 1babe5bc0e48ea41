"""A trace of version 2 is opened from the disk: three forms, and what only other models have."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from tests.browser.conftest import Visitors
from tests.browser.helpers import cell, drop, tip
from transformer.show.replay import replay_template

Values = dict[str, Any]
OpenTrace = Callable[[Values], Page]

GIVEN: Values = {"schema": "headlight-trace", "version": 2, "origin": {"by": "given"}}


def packed(weights: np.ndarray) -> Values:
    data = base64.b64encode(weights.astype("<f4").tobytes()).decode()
    return {"shape": list(weights.shape), "dtype": "float32", "data": data}


def even(*shape: int, causal: bool = False) -> np.ndarray:
    weights = np.ones(shape)
    if causal:
        weights = np.tril(weights)
    return weights / weights.sum(-1, keepdims=True)


@pytest.fixture
def open_trace(visitors: Visitors, tmp_path: Path) -> Iterator[OpenTrace]:
    """Opens a saved page of a trace, in which nothing may go wrong."""
    pages: list[Page] = []
    complaints: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def open_trace(values: Values) -> Page:
        path = tmp_path / "trace.html"
        written = json.dumps(values).replace("<", "\\u003c")
        path.write_text(replay_template().replace('"HEADLIGHT-VALUES"', written), encoding="utf-8")
        page = visitors.context(locale="en-US", offline=True).new_page()
        pages.append(page)
        page.set_viewport_size({"width": 1366, "height": 768})
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield open_trace
    for page in pages:
        page.close()
    assert not complaints


def test_an_encoder_alone_is_walked_word_by_word(open_trace: OpenTrace) -> None:
    src = ["[CLS]", "␣a", "␣cat", "[SEP]", "␣it", "␣sat", "[SEP]"]
    weights = even(1, 2, 7, 7)
    weights[0, 0, 4] = [0, 0, 1, 0, 0, 0, 0]
    page = open_trace(
        {
            **GIVEN,
            "form": "encoder",
            "source": ["a cat", "it sat"],
            "src": src,
            "parts": {"src": [-1, 0, 0, -1, 1, 1, -1]},
            "encoder_self": packed(weights),
        }
    )
    status = page.get_by_role("status", name="Step status")
    page.keyboard.press("Home")
    expect(status).to_have_text("Token 1 of 7: [CLS]")
    page.get_by_role("slider", name="Token", exact=True).fill("5")
    expect(status).to_have_text("Token 5 of 7: ␣it")
    expect(page.get_by_text("For it, this head looks at cat (1.00)")).to_be_visible()
    expect(page.get_by_role("heading", name="instead")).to_have_count(0)
    expect(page.get_by_role("list", name="Candidates")).to_be_hidden()
    expect(page.get_by_label("Hide what comes next")).to_be_hidden()
    expect(page.get_by_text("no model stands behind them")).to_be_visible()

    pair = page.get_by_role("group", name="Sentences")
    pair.get_by_role("button", name="Within B").click()
    expect(page.get_by_text("looks at cat")).to_have_count(0)
    pair.get_by_role("button", name="B → A").click()
    expect(page.get_by_text("For it, this head looks at cat (1.00)")).to_be_visible()
    page.keyboard.press("End")
    expect(status).to_have_text("Token 7 of 7: [SEP]")


def test_a_decoder_alone_tells_what_is_known_of_the_next_token(open_trace: OpenTrace) -> None:
    tokens = ["The", "␣keys", "␣are"]
    weights = even(1, 1, 3, 3, causal=True)
    values = {**GIVEN, "tgt_in": tokens, "tgt_out": [*tokens[1:], None]}
    sink = np.full((1, 3), 0.5)
    page = open_trace(
        {**values, "decoder_self": packed(weights / 2), "sink": {"decoder_self": [packed(sink)]}}
    )
    status = page.get_by_role("status", name="Step status")
    page.keyboard.press("Home")
    expect(status).to_have_text("Step 1 of 3: reads The → next is ␣keys")
    page.keyboard.press("End")
    expect(status).to_have_text("Step 3 of 3: reads ␣are")
    expect(page.get_by_text("Reading are, this head spreads over")).to_be_visible()
    figure = page.get_by_role("figure", name="Decoder self-attention")
    matrix = figure.get_by_role("img").first
    for column, key in ((0, "no key: 0.500"), (1, "The: 0.167")):
        x, y = cell(matrix, 3, 4, 2, column)
        matrix.hover(position={"x": x, "y": y})
        expect(tip(figure)).to_have_text(f"reads ␣are, attends to {key}")


def test_an_encoder_and_a_decoder_without_what_was_written(open_trace: OpenTrace) -> None:
    page = open_trace(
        {
            **GIVEN,
            "source": "We read",
            "src": ["␣We", "␣read"],
            "tgt_in": ["</s>", "␣Nous", "␣lisons"],
            "encoder_self": packed(even(1, 1, 2, 2)),
            "decoder_self": packed(even(1, 1, 3, 3, causal=True)),
            "cross": packed(even(1, 1, 3, 2)),
        }
    )
    page.keyboard.press("Home")
    status = page.get_by_role("status", name="Step status")
    expect(status).to_have_text("Step 1 of 3: reads </s>")
    expect(page.get_by_text("Reading </s>, this head looks at")).to_be_visible()
    kinds = page.get_by_role("group", name="Kind of attention")
    for name in ("Encoder self-attention", "Decoder self-attention", "Cross-attention"):
        kinds.get_by_role("button", name=name).click()
        expect(page.get_by_role("figure", name=name)).to_be_visible()
    # What the words of another side look at hides nothing.
    expect(page.get_by_role("heading", name="Translation")).to_be_hidden()


def test_a_layer_without_attention_is_a_gap_that_says_so(open_trace: OpenTrace) -> None:
    layers = [packed(even(2, 3, 3)), None, packed(even(1, 3, 3))]
    page = open_trace({**GIVEN, "src": ["a", "␣b", "␣c"], "encoder_self": layers})
    expect(page.get_by_text("No attention in this layer")).to_be_visible()
    figure = page.get_by_role("figure", name="Encoder self-attention")
    figure.get_by_role("gridcell", name="Layer 1, head 2", exact=True).click()
    matrix = figure.get_by_role("img").first
    expect(matrix).to_have_accessible_name("Encoder self-attention, Layer 1, head 2")
    expect(figure.get_by_role("gridcell", name="Layer 3, head 2", exact=True)).to_have_count(0)


def test_a_row_that_may_look_nowhere_says_so(open_trace: OpenTrace) -> None:
    weights = even(1, 1, 3, 3)
    weights[0, 0] = [[0, 0, 0], [0, 0.5, 0.5], [0, 0.5, 0.5]]
    data = base64.b64encode(np.packbits(weights[0, 0] > 0).tobytes()).decode()
    mask = {"shape": [3, 3], "dtype": "bits", "data": data}
    page = open_trace(
        {
            **GIVEN,
            "src": ["[PAD]", "␣b", "␣c"],
            "encoder_self": packed(weights),
            "mask": {"encoder_self": mask},
        }
    )
    page.keyboard.press("Home")
    expect(page.get_by_text("its whole row is masked")).to_be_visible()
    expect(page.get_by_text("Masked: the model may not look there")).to_be_visible()


def test_dropped_onto_the_page_it_offers_nothing_that_asks_a_model(page: Page) -> None:
    page.get_by_role("tab", name="Why").click()
    weights = packed(even(1, 2, 3, 3))
    values = {**GIVEN, "src": ["a", "␣b", "␣c"], "encoder_self": weights}
    drop(page, "bert.json", json.dumps(values).encode())
    note = page.get_by_role("note", name="File")
    expect(note).to_contain_text("These weights were recorded elsewhere")
    expect(page.get_by_role("figure", name="Encoder self-attention")).to_be_visible()
    expect(page.get_by_role("tab")).to_have_count(0)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("status", name="Step status")).to_have_text("Token 2 of 3: ␣b")
    page.get_by_role("button", name="Back to the picture before").click()
    expect(page.get_by_role("tab", name="Why")).to_be_visible()
