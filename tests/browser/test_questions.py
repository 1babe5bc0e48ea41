"""Gradients, patching, and where it was learnt: what the page says is what Python says."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, TRAINING_TEXT, Open
from tests.browser.helpers import agreement, matters, number, panel, violations, why
from transformer import AttentionTrace, Translator, inside
from transformer.trace.packing import Weights

pytestmark = pytest.mark.usefixtures("without_gradio")

LINES = [
    *("I love you.\t我爱你。", "I love cats.\t我爱猫。", "You love me.\t你爱我。"),
    *("Love.\t爱。", "I see you.\t我看见你。", "Good morning\t早上好"),
]


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def cells_of(table: Locator) -> npt.NDArray[np.float64]:
    """Its numbers; NaN where a cell has none."""
    expect(table).to_be_visible()
    rows = table.locator("tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('td')].map((td) => td.innerText))"
    )
    return np.array([[number(cell) for cell in row] for row in rows])


def fold(page: Page, name: str) -> Locator:
    """What is unfolded under a heading."""
    return page.locator("details.folded-view", has=page.get_by_text(name))


def test_what_speaks_for_a_token_and_not_for_another(
    open_page: Open, translator: Translator, trace: AttentionTrace
) -> None:
    page = open_page(query="?tab=why&step=3")
    gradients = why(page)
    gradients.get_by_role("combobox", name="Reading").select_option("Gradients")
    expect(gradients.get_by_role("img", name=re.compile("^Gradients: what speaks"))).to_be_visible()
    left = inside.leave_one_out(translator, trace)
    result = inside.gradients(translator, trace, 2)

    gradients.locator("summary", has_text="Table").click()

    def holds(result: inside.Gradients, deltas: Weights, words: tuple[str, ...]) -> None:
        cells = cells_of(gradients.get_by_role("region").get_by_role("table"))
        expected = np.hstack((result.source, result.prefix))
        np.testing.assert_allclose(cells[:2], expected, atol=0.006)
        np.testing.assert_allclose(cells[2, : len(words)], -deltas, atol=0.006)
        assert np.isnan(cells[2, len(words) :]).all(), "only source words are left out"
        agreed = [matters(row, -deltas) for row in result.source]
        # What is lost without a word is not compared with itself.
        expect(agreement(gradients)).to_have_text(
            ["–" if each is None else f"{each[0]} of {each[1]} {each[2]}" for each in agreed]
        )
        total = result.value - result.baseline
        expect(gradients.get_by_text("by construction")).to_contain_text(
            f"add up to {total:.2f} nats".replace("-", "−")
        )
        # What the steps themselves add up to is said, too.
        expect(gradients.get_by_text("by construction")).to_contain_text(
            f"along the way add up to {(1 - result.gap) * total:.2f} nats".replace("-", "−")
        )

    other = trace.candidates[2][1]
    both = inside.why(translator, trace, 2, other.id)
    holds(result, left.deltas[2], left.words)
    expect(gradients.get_by_text("What this does not show")).to_be_visible()
    gradients.get_by_role("combobox", name=re.compile("^Why .* and not")).select_option(
        str(other.id)
    )
    expect(gradients.get_by_role("img", name=re.compile(" and not for "))).to_be_visible()
    holds(inside.gradients(translator, trace, 2, other.id), both.deltas, both.words)
    page.wait_for_function("location.search.includes('not=')")
    assert query(page)["words"] == ["gradients"]
    page.reload()
    gradients.scroll_into_view_if_needed()
    expect(gradients.get_by_role("img", name=re.compile(" and not for "))).to_be_visible()
    gradients.get_by_role("combobox", name="Reading").select_option("Leave one word out")
    page.wait_for_function("!location.search.includes('words=')")


def test_one_click_puts_another_sentence_into_this_one(
    open_page: Open, translator: Translator, trace: AttentionTrace
) -> None:
    page = open_page(query="?tab=heads")
    panel(page, "Heads")
    patching = fold(page, "Patching: one part")
    patching.locator("> summary").click()
    offered = inside.swaps(translator, trace).swaps
    buttons = patching.get_by_role("list", name=re.compile("^Swap one word")).get_by_role("button")
    expect(buttons).to_have_count(len(offered))
    box = patching.get_by_role("textbox", name="Other sentence")
    expect(box).to_have_value(trace.source)  # written once the view is seen, over what was typed
    # Whatever an untrained model takes for words that are alike: one that is typed.
    donor = "You love I."
    assert len(translator.tokenizer.encode(donor)) == len(trace.src_ids) - 1
    box.fill(donor)
    box.press("Enter")
    table = patching.get_by_role("table", name="Cross-attention")
    expect(table).to_be_visible()
    result = inside.patching(translator, trace, donor)
    np.testing.assert_allclose(cells_of(table), result.heads["cross"], atol=0.006)
    for tower, positions in result.positions.items():
        maps = patching.get_by_role("table", name=tower.capitalize(), exact=True).all()
        np.testing.assert_allclose(cells_of(maps[0]), result.sublayers[tower], atol=0.006)
        np.testing.assert_allclose(cells_of(maps[1]), positions, atol=0.006)
    table.get_by_role("button", name=re.compile("^L1H3 ")).click()
    page.wait_for_function("location.search.includes('cross=L1H3')")
    steps = patching.get_by_role("combobox", name="Answer that is to move")
    assert steps.locator("option").count() == len(result.steps)
    if len(result.steps) > 1:
        steps.select_option(index=1)
        page.wait_for_function("location.search.includes('donor_step=')")
        again = inside.patching(translator, trace, donor, result.steps[1])
        expect(patching.get_by_text(" (B) says ")).to_contain_text(again.donor_answer)
        np.testing.assert_allclose(cells_of(table), again.heads["cross"], atol=0.006)
    assert query(page)["donor"] == [donor]
    page.reload()
    patching.scroll_into_view_if_needed()
    expect(box).to_have_value(donor)
    expect(table).to_be_visible()
    # A class that is to guess does not read the answer here.
    page.get_by_role("button", name="First step").click()
    page.keyboard.press("h")
    patching.scroll_into_view_if_needed()
    expect(table).to_have_count(1 if result.steps[min(1, len(result.steps) - 1)] == 0 else 0)
    page.keyboard.press("h")
    expect(table).to_be_visible()
    # What cannot be: a sentence says so, and the last maps go.
    box.fill("You.")
    box.press("Enter")
    expect(patching.get_by_role("alert").filter(has_text="both need as many")).to_be_visible()
    expect(table).to_have_count(0)
    box.fill(EXAMPLES[0])
    box.press("Enter")
    expect(patching.get_by_role("alert").filter(has_text="says the same")).to_be_visible()
    # Of another sentence nobody has chosen one yet.
    page.get_by_role("textbox", name="Source sentence").fill(EXAMPLES[1])
    page.keyboard.press("Enter")
    expect(page.get_by_role("status", name="Step status")).to_contain_text("Step")
    patching.scroll_into_view_if_needed()
    expect(box).to_have_value(EXAMPLES[1])
    expect(patching.get_by_role("alert").filter(has_text="says the same")).to_have_count(0)
    page.wait_for_function("!location.search.includes('donor=')")


@pytest.fixture
def lines(models: Path) -> Iterator[None]:
    """What the page's model has learnt from, as its card says."""
    file = models / TRAINING_TEXT
    file.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    yield
    file.unlink()


@pytest.mark.usefixtures("lines")
def test_where_a_word_was_learnt(
    open_page: Open, translator: Translator, trace: AttentionTrace
) -> None:
    page = open_page(query="?tab=why&step=2")
    learnt = page.get_by_role("region", name="Where did it learn this?")
    learnt.get_by_role("button", name=re.compile("^Look for .* in its training text")).click()
    search = inside.learnt_from(translator, trace, 1)
    items = learnt.get_by_role("list", name="Nearest sentences").locator("> li")
    expect(items).to_have_count(len(search.lines))
    for item, line in zip(items.all(), search.lines, strict=True):
        expect(item).to_contain_text(line.source)
        expect(item).to_contain_text(f"nearness {line.similarity:.2f}".replace("-", "−"))
        expect(item).to_contain_text(f"{TRAINING_TEXT}, line {line.line}")
        marked = line.tokens[line.at].replace("␣", "").strip()
        assert item.locator("mark").inner_text().strip() == marked
    expect(learnt.get_by_text("What is not known")).to_contain_text("68 pairs of elsewhere")
    expect(learnt).to_contain_text(f"Of {search.searched} lines that lie here, the {search.read}")
    page.wait_for_function("location.search.includes('learnt=on')")
    # Of the next token nobody has asked.
    page.get_by_role("button", name="Next step").click()
    expect(items).to_have_count(0)
    expect(learnt.get_by_role("button")).to_be_visible()
    page.wait_for_function("!location.search.includes('learnt=')")
    page.get_by_role("button", name="Previous step").click()
    expect(items).to_have_count(len(search.lines))


@pytest.mark.usefixtures("lines")
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_a_presenter_holds_where_a_word_was_learnt_without_scrolling(
    open_page: Open, size: tuple[int, int]
) -> None:
    page = open_page(query="?tab=why&presenter=tab&step=2")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    map_ = why(page).locator(".map")
    expect(map_).to_be_visible()
    page.get_by_role("button", name=re.compile("^Look for .* in its training text")).click()
    expect(page.get_by_role("list", name="Nearest sentences")).to_be_visible()
    expect(map_).to_be_hidden()
    page.wait_for_function("document.documentElement.scrollHeight <= innerHeight")
    page.keyboard.press("ArrowRight")  # of the next token nobody has asked
    expect(map_).to_be_visible()


def test_a_model_whose_text_is_elsewhere_says_so(open_page: Open) -> None:
    page = open_page(query="?tab=why&model=poet&learnt=on")
    why = panel(page, "Why this word")
    note = why.get_by_role("note").filter(has_text="No line that this model has learnt from")
    expect(note).to_be_visible()
    expect(why.get_by_role("region", name="Where did it learn this?")).to_be_hidden()
    # A decoder alone has gradients, too: of its own words.
    why.get_by_role("combobox", name="Reading").select_option("Gradients")
    expect(why.get_by_role("img", name=re.compile("^Gradients: what speaks"))).to_be_visible()


@pytest.mark.slow
@pytest.mark.usefixtures("lines")
def test_axe_finds_nothing_serious_in_them(open_page: Open) -> None:
    donor = "donor=You+love+I."
    for tab in ("why", "heads"):
        page = open_page(query=f"?tab={tab}&step=3&words=gradients&learnt=on&{donor}")
        part = page.locator(f"#tabpanel-{tab}")
        ready = ".nearest li" if tab == "why" else ".map-table.tokens-across"
        expect(part.locator(ready).first).to_be_visible()
        assert violations(page, f"#tabpanel-{tab}") == []


def test_heads_that_look_up_what_came_next_before(open_page: Open, translator: Translator) -> None:
    page = open_page(query="?tab=heads&induction=on&source=I love you. I love you.")
    trace = translator.trace("I love you. I love you.")
    induction = inside.induction(trace)
    assert induction.rows
    inductive = fold(page, "Induction: what came next before")
    # It asks while it is seen, and the table above moves it down.
    expect(panel(page, "Heads").locator(".all-heads").get_by_role("row")).not_to_have_count(0)
    inductive.scroll_into_view_if_needed()
    table = inductive.get_by_role("table", name=re.compile(f"Over {induction.rows} row"))
    np.testing.assert_allclose(cells_of(table), induction.shares, atol=0.006)
    table.get_by_role("button", name=re.compile("^L2H3")).click()
    expect(page).to_have_url(re.compile("decoder_self=L2H3"))
    assert query(page)["induction"] == ["on"]


def test_the_table_of_heads_says_at_its_right_edge_that_it_goes_on(open_page: Open) -> None:
    page = open_page(700, query="?tab=heads")
    table = panel(page, "Heads").locator(".scrolling:has(> .all-heads)")
    table.scroll_into_view_if_needed()
    expect(table.get_by_role("row")).not_to_have_count(0)

    def shadow() -> float:
        """How much darker the table's right edge is than what lies a little left of it."""
        light = np.asarray(Image.open(BytesIO(table.screenshot())).convert("L"), dtype=float)
        return float(np.median(light[40:-40, -20]) - np.median(light[40:-40, -4]))

    assert shadow() > 20
    table.evaluate("(it) => it.scrollTo(it.scrollWidth, 0)")
    assert abs(shadow()) < 3
