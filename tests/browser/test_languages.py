"""The page in Chinese and French: what is longer, wraps elsewhere or is typed otherwise."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.helpers import head_title


def test_a_rate_is_typed_and_shown_as_french_writes_numbers(open_page: Open) -> None:
    page = open_page(query="?tab=training&training=teach", locale="fr-FR")
    rate = page.get_by_role("textbox", name="Taux d’apprentissage")
    expect(rate).to_have_value("0,02")
    rate.fill("0,01")
    page.get_by_role("button", name="Adam").click()
    page.get_by_role("button", name="SGD").click()
    expect(rate).to_have_value("0,02")
    rate.fill("0.01")
    expect(rate).to_have_value("0.01")
    expect(rate).to_have_css("height", "32px")


def test_on_a_phone_the_open_tab_is_in_view_and_the_choices_of_compare_are_whole(
    open_page: Open,
) -> None:
    page = open_page(375, query="?off=positions&tab=compare", locale="fr-FR")
    tabs = page.get_by_role("tablist", name="De plus près")
    own = tabs.get_by_role("tab", name="Comparer").bounding_box()
    row = tabs.bounding_box()
    assert own
    assert row
    assert row["x"] <= own["x"]
    assert own["x"] + own["width"] <= row["x"] + row["width"] + 1
    choices = page.get_by_role("combobox", name="Comparer ce qui est affiché avec")
    # "la même chose, sans aucun changement" was cut to "la mê".
    assert choices.evaluate("(it) => it.clientWidth") > 300


def test_the_clinics_answers_break_no_words(open_page: Open) -> None:
    page = open_page(1366, query="?model=reverse&source=headlight&clinic=1", locale="zh-CN")
    answers = page.get_by_role("group", name="错在哪里？").get_by_role("button")
    expect(answers).to_have_count(6)
    # Each has room for its words in one line.
    for i in range(6):
        assert answers.nth(i).evaluate("(it) => it.getBoundingClientRect().height") < 45


def test_the_candidates_heading_leaves_room_for_the_way_to_more(open_page: Open) -> None:
    page = open_page(1366, query="?model=reverse&source=headlight&clinic=1", locale="fr-FR")
    # Beside the lesson the column is narrow, and "token" lay under "voir plus".
    boxes = page.locator(".guesses").evaluate(
        """(guesses) => {
            const words = document.createRange();
            words.selectNodeContents(guesses.querySelector(".heading"));
            const more = guesses.querySelector(".fold").getBoundingClientRect();
            return [...words.getClientRects()].map(({ right, top }) =>
                [right, top, more.left, more.bottom]);
        }"""
    )
    assert boxes
    assert all(right <= left or top >= bottom for right, top, left, bottom in boxes)


@pytest.mark.parametrize("locale", [pytest.param("zh-CN", marks=pytest.mark.slow), "fr-FR"])
def test_on_a_phone_the_weights_with_and_without_the_division_are_in_view(
    open_page: Open, locale: str
) -> None:
    page = open_page(375, query="?tour=6&tab=model&block=scale", locale=locale)
    table = page.get_by_role("table")
    expect(table.locator("tbody tr").first).to_be_visible()
    right = "(it) => it.getBoundingClientRect().right"
    around = "(it) => it.parentElement.getBoundingClientRect().right"
    assert table.evaluate(right) <= table.evaluate(around) + 1


def test_on_a_phone_what_a_head_does_has_a_second_line(open_page: Open) -> None:
    page = open_page(375, locale="fr-FR")
    title = head_title(page.get_by_role("figure"))
    # The longest that the title says of a head.
    cut = title.evaluate(
        """(title) => {
            title.lastElementChild.textContent = "regarde la source du mot qui vient d’être lu";
            const [last] = [...title.lastElementChild.getClientRects()].slice(-1);
            const { right, bottom } = title.getBoundingClientRect();
            return last.bottom > bottom + 1 || last.right > right + 1;
        }"""
    )
    assert not cut


def test_a_means_name_is_the_languages_own(open_page: Open) -> None:
    page = open_page(query="?kind=cross&cross=L1.mean", locale="zh-CN")
    expect(page.get_by_text("L1 平均").first).to_be_visible()
    expect(page.get_by_text("L1.mean")).to_have_count(0)
