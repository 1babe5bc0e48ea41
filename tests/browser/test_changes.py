"""Heads switched off on the page: what it says then, what it said before, and the way back."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, Open
from tests.browser.helpers import TITLES, head_title, leave_box, translate
from transformer import Translator, inside
from transformer.trace.kinds import KINDS

pytestmark = pytest.mark.usefixtures("without_gradio")

OFF = "cross.L1H3=zero"


def changes(page: Page) -> str | None:
    return dict(parse_qs(urlsplit(page.url).query)).get("off", [None])[0]


def shown(page: Page, translator: Translator, source: str, *interventions: str) -> None:
    """Waits until the page shows just what Python decodes."""
    trace = translator.trace(source, interventions=interventions)
    target = page.get_by_role("list", name="Target so far", exact=True)
    expect(target.get_by_role("listitem")).to_have_text(["<s>", *trace.tgt_out])


def test_a_head_is_switched_off_and_put_back(page: Page, translator: Translator) -> None:
    line = page.get_by_role("group", name="Changes to the model")
    expect(line).to_be_hidden()
    figure = page.get_by_role("figure", name="Cross-attention")
    tile = figure.get_by_role("gridcell", name="Layer 1, head 3", exact=True)
    tile.focus()
    page.keyboard.press("x")
    expect(line.get_by_role("status")).to_have_text("1 head switched off:")
    shown(page, translator, EXAMPLES[0], OFF)
    expect(tile).to_have_accessible_description("switched off")
    assert changes(page) == "cross.L1H3"

    # The large head, by the same key; another sentence is translated with the same changes.
    leave_box(page)
    page.keyboard.press("x")
    expect(line.get_by_role("status")).to_have_text("2 heads switched off:")
    translate(page, "Good morning")
    shown(page, translator, "Good morning", OFF, "cross.L2H1=zero")
    page.get_by_role("figure", name="Cross-attention").get_by_role(
        "button", name="Put back: Cross L2H1"
    ).click()
    shown(page, translator, "Good morning", OFF)
    line.get_by_role("button", name="Put back", exact=True).click()
    expect(line).to_be_hidden()
    shown(page, translator, "Good morning")
    page.go_back()
    expect(line).to_be_visible()
    shown(page, translator, "Good morning", OFF)
    assert changes(page) == "cross.L1H3"


def test_a_menu_does_the_rest_and_before_and_after_stand_side_by_side(
    open_page: Open, translator: Translator
) -> None:
    page = open_page(query="?off=encoder_self.L1")
    figure = page.get_by_role("figure", name="Cross-attention")
    figure.get_by_role("button", name="Change this head").click()
    page.get_by_role("button", name="Attend to all tokens alike").click()
    changed = ["encoder_self.L1=zero", "cross.L2H1=uniform"]
    line = page.get_by_role("group", name="Changes to the model")
    expect(line.get_by_role("status")).to_have_text("2 changes to the model:")
    shown(page, translator, EXAMPLES[0], *changed)

    before = translator.trace(EXAMPLES[0])
    effect = inside.effect(translator, before, changed)
    expect(line).to_contain_text(before.translation)
    line.get_by_role("button", name="Compare").click()
    table = page.get_by_role("region", name="Tokens, one under the other")
    row = table.get_by_role("row", name=re.compile("^Δ log p"))
    expect(row).to_be_visible()
    numbers = [f"{change:+.2f}".replace("-", "−") for change in effect.log_probability]
    cells = [text for text in row.get_by_role("cell").all_inner_texts() if text]
    for text, number in zip(cells, numbers, strict=True):
        assert abs(float(text.replace("−", "-")) - float(number.replace("−", "-"))) < 0.011
    page.get_by_role("region", name="Now − Before").wait_for()


def test_small_differences_are_seen_and_their_scale_is_told(open_page: Open) -> None:
    page = open_page(
        query="?off=cross.L1H2&cross=L1H1&kind=decoder_self&decoder_self=L2H1&tab=compare"
    )
    difference = page.get_by_role("region", name="Now − Before")
    cells = difference.locator(".signed-cell")
    expect(cells.first).to_be_visible()
    changes, sizes = (
        [
            float(text.replace("−", "-"))
            for text in cells.evaluate_all(f"cells => cells.map({read})")
        ]
        for read in (
            "(cell) => cell.title",
            "(cell) => cell.style.getPropertyValue('--size').slice(0, -1)",
        )
    )
    most = max(map(abs, changes))
    assert max(sizes) == 100
    full = max(most, 0.01)
    expect(page.locator(".compare .map-scale")).to_have_text(f"−{full:.3f}+{full:.3f}")
    for change, size in zip(changes, sizes, strict=True):
        assert abs(size - 100 * abs(change) / full) < 100 * 0.0006 / full + 1


def test_a_step_that_is_aimed_is_told_kept_in_the_address_and_undone(
    open_page: Open, translator: Translator
) -> None:
    aim, far = "cross@3=aim:1,3", "cross.L1H2@60=zero"
    page = open_page(query="?off=cross@3.aim:3,1-cross.L1H2@60")
    shown(page, translator, EXAMPLES[0], aim, far)
    src = translator.trace(EXAMPLES[0]).src
    seen = f"{src[0]} {src[2]}".replace("␣", "")
    line = page.get_by_role("group", name="Changes to the model")
    expect(line.get_by_role("listitem")).to_have_text(
        [
            f"Cross, all heads, step 3: sees only {seen}",
            "Cross L1H2, step 60 (there is no such row: without effect)",
        ]
    )
    line.get_by_role("button", name="Put back: Cross L1H2, step 60").click()
    page.wait_for_url(re.compile(r"[?&]off=cross@3\.aim:1,3(&|$)"), wait_until="commit")
    # What is left, the beam tells.
    expect(line).to_be_hidden()
    expect(page.get_by_role("status", name="What changed")).to_contain_text(seen)
    page.get_by_role("button", name="Undo", exact=True).click()
    shown(page, translator, EXAMPLES[0])
    expect(line).to_be_hidden()


def test_all_heads_are_told_and_the_most_harmful_is_found(
    open_page: Open, translator: Translator
) -> None:
    page = open_page(query="?tab=heads&measure=entropy&sort=-entropy")
    page.get_by_role("tab", name="Heads").click()
    trace = translator.trace(EXAMPLES[0])
    statistics = inside.statistics(trace)
    table = page.get_by_role("region", name="All heads")
    rows = table.get_by_role("row")
    expect(rows).to_have_count(25)
    entropies = [float(x) for kind in KINDS for x in np.ravel(getattr(statistics, kind).entropy)]
    column = [row.get_by_role("cell").all_inner_texts()[3] for row in rows.all()[1:3]]
    for text, entropy in zip(column, sorted(entropies, reverse=True), strict=False):
        assert abs(float(text) - entropy) < 0.006

    page.get_by_role("button", name="Switch off every head in turn").click()
    # What was asked for is shown, and can be asked for again.
    chosen = page.locator("#measure")
    expect(chosen).to_have_value("harm")
    chosen.select_option("entropy")
    page.get_by_role("button", name="Switch off every head in turn").click()
    expect(chosen).to_have_value("harm")
    swept = inside.sweep(translator, trace)
    kind, name, delta = swept.ranked()[0]
    goal = page.get_by_role("group", name="Take me to the head that").get_by_role("button").last
    if delta < -0.005:
        expect(goal).to_contain_text(name)
        goal.click()
        figure = page.get_by_role("figure", name=TITLES[kind])
        expect(head_title(figure).first).to_contain_text(name)
        page.get_by_role("tab", name="Heads").click()
    row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Cross L1H3"))
    row.get_by_role("button", name="Switch off: Cross L1H3").click()
    shown(page, translator, EXAMPLES[0], OFF)


def test_the_page_takes_one_to_the_head_that_looks_up_what_came_next(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repeat").symlink_to(Path(__file__).parents[2] / "checkpoints" / "repeat")
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    page = open_page(query="?model=repeat&source=planet&decoder_self=L1H1&tab=heads")
    goals = page.get_by_role("group", name="Take me to the head that")
    goal = goals.get_by_role("button", name="looks up what came next before")
    expect(goal).to_contain_text("L2H1")
    goal.click()
    figure = page.get_by_role("figure", name=TITLES["decoder_self"])
    title = head_title(figure).first
    expect(title).to_contain_text("L2H1")
    expect(title).to_contain_text("looks up what came next before")
