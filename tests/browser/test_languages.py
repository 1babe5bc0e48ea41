"""The page in Chinese and French: what is longer, wraps elsewhere or is typed otherwise."""

from playwright.sync_api import expect

from tests.browser.conftest import Open


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


def test_a_means_name_is_the_languages_own(open_page: Open) -> None:
    page = open_page(query="?kind=cross&cross=L1.mean", locale="zh-CN")
    expect(page.get_by_text("L1 平均").first).to_be_visible()
    expect(page.get_by_text("L1.mean")).to_have_count(0)
