"""Parts of the model taken away on the page, and another sentence set beside what is shown."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import EXAMPLES, Open
from tests.browser.helpers import canvas_cells, from_menu
from transformer import Translator

pytestmark = pytest.mark.usefixtures("without_gradio")


def test_the_causal_mask_is_taken_away_and_the_future_is_drawn(
    open_page: Open, translator: Translator
) -> None:
    page = open_page(query="?tab=parts&kind=decoder_self&step=1")
    page.get_by_label("No causal mask").check()
    line = page.get_by_role("group", name="Changes to the model")
    expect(line).to_contain_text("No causal mask")
    would = [
        row[0].token
        for row in translator.trace(EXAMPLES[0], interventions=["causal=off"]).candidates
    ]
    expect(line).to_contain_text(" ".join(would[:16]))
    expect(line).not_to_contain_text("(the same)")
    page.wait_for_url("**off=causal**", wait_until="commit")
    trace = translator.trace(EXAMPLES[0], interventions=["causal=off"])
    target = page.get_by_role("list", name="Target so far", exact=True)
    expect(target.get_by_role("listitem")).to_have_text(["<s>", *trace.tgt_out])
    page.get_by_role("button", name="Last step").click()
    page.get_by_role("tab", name="Attention").click()
    matrix = page.get_by_role("figure", name="Decoder self-attention").get_by_role("img").first
    size = len(trace.tgt_in)
    cells = canvas_cells(matrix, size, size)
    # A hatched cell has stripes; one with a weight is of one colour.
    assert all(pixel == cells[0][-1][0] for pixel in cells[0][-1])
    figure = page.get_by_role("figure", name="Decoder self-attention")
    from_menu(page, "Table", "decoder_self")
    expect(figure.get_by_role("cell", name="masked")).to_have_count(0)


def test_parts_are_taken_away_from_the_menu_of_changes(open_page: Open) -> None:
    page = open_page(query="?tab=parts")
    apart = page.get_by_role("group", name="Take apart")
    expect(apart).to_be_visible()
    expect(page.get_by_role("tab", name="Attention")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(apart).to_be_hidden()
    page.wait_for_url(lambda url: "tab=" not in url, wait_until="commit")
    figure = page.get_by_role("figure", name="Cross-attention")
    figure.get_by_role("button", name="Change this head").click()
    figure.get_by_role("button", name="Take apart").click()
    page.wait_for_url("**tab=parts**", wait_until="commit")
    apart.get_by_label("No division by √d_head").check()
    expect(page.get_by_role("group", name="Changes to the model")).to_be_visible()
    expect(apart).to_be_visible()  # the next part may be taken away, too


def test_another_sentence_stands_beside_what_is_shown(
    open_page: Open, translator: Translator
) -> None:
    page = open_page(query="?tab=compare&against=en-zh:Good+morning")
    page.get_by_role("tab", name="Compare").click()
    table = page.get_by_role("region", name="Tokens, one under the other")
    other = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Other"))
    output = translator.trace("Good morning").tgt_out
    expect(other).to_contain_text(output[0])
    page.get_by_role("tabpanel", name="Compare").get_by_label("Source sentence").fill("What a day!")
    page.get_by_role("tabpanel", name="Compare").get_by_role("button", name="Compare").click()
    output = translator.trace("What a day!").tgt_out
    expect(other.get_by_role("cell").first).to_have_text(output[0])
    page.wait_for_url("**against=en-zh:What+a+day*", wait_until="commit")
