"""Every equation on the page holds as it is written: a student's calculator gets what is shown."""

import math
import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from itertools import count, pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, Open, Words
from tests.browser.helpers import formula_lines
from transformer import Translator
from transformer.inside import flow

pytestmark = pytest.mark.usefixtures("without_gradio")

NUMBER = re.compile(r"[\d.]+(?:e-?\d+)?")
FUNCTIONS = {"exp": math.exp, "sqrt": math.sqrt}


def value(side: str) -> float | None:
    """What a calculator makes of one side of an equation; None if it has letters."""
    side = side.split(":")[-1].split("[")[0]
    for written, typed in (("−", "-"), ("÷", "/"), ("·", "*"), ("×", "*"), ("√", "sqrt ")):
        side = side.replace(written, typed)
    side = re.sub(r"sqrt (\d+)", r"sqrt(\1)", side).strip().rstrip(",")
    words = re.sub(r"exp|sqrt|\de-?\d", "", side)
    if re.search(r"[^\d\s.+\-*/()]", words) or not re.search(r"\d", side):
        return None
    try:
        return float(eval(side, {"__builtins__": {}}, FUNCTIONS))  # the page's own text, checked
    except SyntaxError:
        return None


def equations(text: str) -> Iterator[tuple[str, str]]:
    """Neighbouring sides that a calculator can compute."""
    for line in text.splitlines():
        for part in re.split(r",\s+", line):
            sides = part.split("=")
            numeric_sides = [side for side in sides if value(side) is not None]
            yield from pairwise(numeric_sides)


def check(text: str) -> int:
    count = 0
    for left, right in equations(text):
        computed, shown = value(left), value(right)
        assert computed is not None
        assert shown is not None
        decimals = len(right.strip().partition(".")[2]) if "e" not in right else None
        if decimals is None:
            assert f"{computed:.0e}" == f"{shown:.0e}", text
        else:
            exactly = Decimal(repr(round(computed, 10)))  # as at school, 0.015 is rounded up
            rounded = exactly.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
            assert float(rounded) == pytest.approx(shown, abs=1e-12), text
        count += 1
    return count


def formulas(page: Page) -> str:
    paragraphs = page.locator(".formula:visible, .tour-formula p:visible")
    expect(paragraphs.first).to_be_visible()
    return "\n".join(paragraphs.all_inner_texts())


def test_a_calculator_is_read_as_one() -> None:
    assert check("exp(13.95 − 14.02) = 0.932") == 1
    assert check("q·k ÷ √4 = 3.00 ÷ 2.00 = 1.50") == 1
    assert check("q·k = 1.00·2.00 + … = 9.00") == 0
    with pytest.raises(AssertionError):
        check("exp(13.95 − 14.02) = 0.938")


def check_times(tour: Locator) -> None:
    """A difference of scores, as it is written, makes one of the offered factors exactly."""
    ahead = re.search(r"score is ([\d.]+) above", tour.inner_text())
    assert ahead, tour.inner_text()
    offered = tour.get_by_role("button", name=re.compile("^× ")).all_inner_texts()
    factors = [float(text.removeprefix("× ").replace(",", "")) for text in offered]
    assert float(f"{math.exp(float(ahead[1])):.3g}") in factors, (ahead[1], offered)


def walk(page: Page) -> int:
    """All stops, and the frames of one weight: how many equations were checked."""
    tour = page.get_by_role("complementary", name="Tour")
    counted = 0
    heading = tour.get_by_role("heading").first
    for stop in count(1):
        expect(heading).to_contain_text(f"{stop} / ")
        formula = tour.get_by_role("status", name="The formula, on your sentence")
        expect(formula.locator("p").first).not_to_be_empty()
        counted += check(formula.inner_text())
        if "Softmax" in heading.inner_text():
            check_times(tour)
            frames = page.get_by_role("group", name="The calculation, frame by frame")
            for frame in ("Score", "÷ √d_head", "Exponential", "Softmax"):
                frames.get_by_role("button", name=frame).click()
                counted += check(formulas(page))
        # How many there are is the model's: its trace may come after the first words of the tour.
        if f"{stop} / {stop} " in heading.inner_text():
            return counted
        tour.get_by_role("button", name="Next").click()
    return counted


def open_blocks(page: Page, t: Words) -> int:
    """Every block of the model's picture: how many equations were checked."""
    page.get_by_role("tab", name="Model").click()
    drawing = page.get_by_role("tabpanel").locator("svg[role=group]")
    expect(drawing.locator("[data-block$=softmax]")).to_be_visible()
    names = drawing.locator("[data-block]").evaluate_all(
        "blocks => blocks.map((block) => block.dataset.block)"
    )
    counted = 0
    for name in names:
        part = name.rpartition(".")[2]
        if part in ("before", "after"):
            continue
        drawing.locator(f"[data-block='{name}'] rect").first.dispatch_event("click")
        masked = name.startswith("decoder") and part == "self_attention"
        about = t("model.about_masked" if masked else f"model.about_{part}")
        content = page.locator(".block-details .arithmetic")
        expect(content.locator("p").first).to_have_text(about)
        counted += check("\n".join(formula_lines(content).all_inner_texts()))
    return counted


@pytest.mark.parametrize(
    "query",
    [
        "",
        pytest.param(f"source={EXAMPLES[1]}&step=3", marks=pytest.mark.slow),
        pytest.param("model=poet&step=4", marks=pytest.mark.slow),
    ],
)
def test_the_tour_and_the_arithmetic_hold_as_written(
    open_page: Open, assets: Path, query: str
) -> None:
    page = open_page(query=f"?{query}&tour=1", reduced_motion="reduce")
    assert walk(page) >= 8
    assert open_blocks(page, Words(assets, "en")) >= 3


ENGLISH = [
    "My father bought me a new computer.",
    "She gave the old teacher two red apples.",
    "I have lost my keys.",
    "The children are playing in the garden.",
    "Where is the station?",
]
CHINESE = [
    "妈妈今天没有时间做饭。",
    "昨天他在车站遇到了一个老朋友。",
    "我的猫总是睡在我的枕头上。",
    "你喜欢喝茶吗？",
    "她送给他一本书。",
]
QUICK = {"en-zh": ENGLISH[:1], "zh-en": CHINESE[:1]}
SHIPPED = {"en-zh": ENGLISH, "en-fr": ENGLISH, "en-de": ENGLISH, "zh-en": CHINESE}


# One sentence each way: what ships is asked all of them once it changes (-m release).
SENTENCES = [
    pytest.param(model, source, marks=[] if source in QUICK.get(model, ()) else [pytest.mark.slow])
    for model, sources in SHIPPED.items()
    for source in sources
]


@pytest.mark.release
@pytest.mark.parametrize(("model", "source"), SENTENCES)
def test_they_hold_of_what_ships(
    open_page: Open,
    assets: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    model: str,
    source: str,
) -> None:
    # Under a name of its own: the server of these tests has small models under the usual ones.
    name = f"shipped-{model}"
    (tmp_path / name).symlink_to(Path(__file__).parents[2] / "checkpoints" / model)
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    page = open_page(query=f"?model={name}&source={source}&tour=1", reduced_motion="reduce")
    assert walk(page) >= 8
    assert open_blocks(page, Words(assets, "en")) >= 4


def test_a_query_is_what_its_formula_says(open_page: Open, translator: Translator) -> None:
    """x · W_Q alone is another vector than the one that is shown."""
    page = open_page(query="?step=3&tour=4")
    formula = page.get_by_role("status", name="The formula, on your sentence")
    expect(formula).to_contain_text("q = x · W_Q + b_Q")
    shown = [
        float(number.replace("−", "-"))
        for number in re.findall(r"[−\d.]+", formula.inner_text().split("= (")[1].split("…")[0])
    ]
    # The head that the tour follows is the card's, L2H1.
    trace = translator.trace(EXAMPLES[0])
    enters = flow(translator, trace, "decoder.L2.cross_attention").parts["enters"][2]
    attention = translator.model.decoder.layers[1].cross_attention
    projected = attention.query_key_value.weight.detach().numpy()[:3] @ enters
    biases = attention.query_key_value.bias.detach().numpy()[:3]
    assert shown == pytest.approx(projected + biases, abs=0.0051)


def test_the_output_projection_hands_on_logits_and_a_mask_its_own_shape(open_page: Open) -> None:
    page = open_page(query="?step=3&tab=model&block=decoder.output")
    details = page.get_by_role("region", name="Open block")
    expect(details.get_by_role("columnheader", name="logit")).to_be_visible()
    expect(details.get_by_role("columnheader", name="probability")).to_have_count(0)
    panel = page.get_by_role("tabpanel", name="Model")
    panel.get_by_role("button", name="Decoder: Softmax").click()
    expect(details.get_by_role("columnheader", name="probability")).to_be_visible()
    assert check(formulas(page)) >= 1
    panel.get_by_role("button", name="Decoder, layer 1: Mask (Cross-attention)").click()
    expect(details).to_contain_text("[tgt, src]")
    panel.get_by_role("button", name="Decoder, layer 1: Mask (Masked self-attention)").click()
    expect(details).to_contain_text("[tgt, tgt]")
