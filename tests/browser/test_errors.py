"""Bad input, a broken server, a slow one: a sentence beside the box, and the picture stays."""

import logging
from threading import Event
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from playwright.sync_api import Page, Route, expect

from headlight.page import service
from tests.browser.conftest import EXAMPLES, LIMIT, MARKUP, Open
from tests.browser.helpers import REQUEST, source_text, status, translate
from transformer import Translator, inside


def ask(page: Page, sentence: str) -> None:
    page.get_by_role("textbox", name="Source sentence").fill(sentence)
    page.get_by_role("button", name="Translate").click()


def test_an_empty_sentence_keeps_the_picture(page: Page) -> None:
    before = status(page)
    for nothing in ("", "   ", "\u200b\u2060"):
        ask(page, nothing)
        expect(page.get_by_role("alert")).to_have_text("Type a sentence to translate.")
        assert status(page) == before
        expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text(EXAMPLES[0]))

        ask(page, EXAMPLES[0])
        expect(page.get_by_role("alert")).to_be_empty()


def test_a_sentence_too_long_is_refused_with_numbers_in_both_languages(page: Page) -> None:
    ask(page, "x" * 2_001)
    expect(page.get_by_role("alert")).to_contain_text("2,001 characters; at most 2,000")
    ask(page, "I love you. " * 30)
    expect(page.get_by_role("alert")).to_contain_text(f"the model reads at most {LIMIT}")
    page.get_by_label("Language").select_option("中文")
    expect(page.get_by_role("alert")).to_contain_text(f"模型最多读 {LIMIT} 个")
    expect(page.get_by_role("listbox", name="源句")).to_have_text(source_text(EXAMPLES[0]))


def test_text_that_looks_like_code_is_only_text(page: Page) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    images = page.locator("img").count()
    for text in MARKUP:
        translate(page, text)
        assert page.locator("img").count() == images
    ask(page, "🙂 مرحبا")
    expect(page.get_by_role("listbox", name="Source")).not_to_contain_text("alert")
    assert not dialogs
    target = page.get_by_role("list", name="Target so far")
    expect(target.get_by_text("<s>", exact=True)).to_be_visible()


def test_a_server_that_is_gone_is_reported(page: Page, complaints: list[str]) -> None:
    page.route(REQUEST, lambda route: route.abort())
    ask(page, "Good morning")
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text(EXAMPLES[0]))
    page.unroute(REQUEST)
    translate(page, "Good morning")
    # The browser says on its console that a request failed, and Gradio that it noticed.
    assert all("ERR_FAILED" in text or "Failed to fetch" in text for text in complaints)
    complaints.clear()


def test_a_fault_of_the_server_is_a_plain_sentence_and_a_line_in_its_log(
    page: Page, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(name: str) -> Any:
        raise RuntimeError(f"disk on fire while reading {name}")

    monkeypatch.setattr(service.traces.models, "load", broken)
    with caplog.at_level(logging.ERROR, "headlight"):
        ask(page, "Good morning")
        expect(page.get_by_role("alert")).to_contain_text("Something went wrong on the server.")
    assert "disk on fire" in caplog.text
    expect(page.get_by_text("disk on fire")).to_have_count(0)


def test_what_is_refused_leaves_no_picture_of_another_trace(
    open_page: Open, translator: Translator
) -> None:
    page = open_page(query="?tab=model&block=costs&measure=entropy&over=sentence")
    panel = page.get_by_role("tabpanel")
    panel.scroll_into_view_if_needed()
    drawing = panel.get_by_role("group", name="Model", exact=True)
    expect(drawing.get_by_role("button").first).to_be_visible()
    costs = panel.get_by_role("region", name="What it costs").get_by_role("table")
    expect(costs).to_be_visible()
    page.get_by_role("tab", name="Heads").click()
    rows = panel.get_by_role("region", name="All heads").get_by_role("row")
    expect(rows).to_have_count(25)

    def refuse(route: Route) -> None:
        if (route.request.post_data_json or {}).get("ask") == "inside":
            route.fulfill(json={"error": {"code": "server_error", "details": {}}})
        else:
            route.continue_()

    page.route(REQUEST, refuse)
    translate(page, "Good morning")
    panel.scroll_into_view_if_needed()
    problem = panel.get_by_role("alert").filter(has_text="Something went wrong on the server.")
    expect(problem.first).to_be_visible()
    # What the trace alone tells is this one's.
    measured = inside.statistics(translator.trace("Good morning")).encoder_self
    assert measured
    shown = [float(row.get_by_role("cell").all_inner_texts()[3]) for row in rows.all()[1:9]]
    assert shown == pytest.approx(list(measured.entropy.ravel()), abs=0.006)
    page.get_by_role("tab", name="Model").click()
    expect(problem).to_have_count(2)
    expect(drawing.get_by_role("button")).to_have_count(0)
    expect(costs).to_have_count(0)
    # It is asked again, once something is known.
    page.unroute(REQUEST)
    page.get_by_role("tab", name="Heads").click()
    translate(page, EXAMPLES[0])
    panel.scroll_into_view_if_needed()
    expect(problem).to_have_count(0)


def test_who_waits_long_is_told_the_place_and_gets_the_answer(page: Page) -> None:
    places = [{"ahead": 240, "seconds": 21}, {"ahead": 120, "seconds": 11}]
    held: list[Route] = []
    may_go_on = Event()

    def tell_place(route: Route) -> None:
        if places:
            route.fulfill(json={"waiting": places.pop(0)})
        elif may_go_on.is_set():
            route.continue_()
        else:
            held.append(route)

    page.route(REQUEST, tell_place)
    ask(page, "What a day!")
    place = page.get_by_role("status").filter(has_text="Requests before yours")
    expect(place).to_have_text("Requests before yours: 120. About 11 seconds to wait.")
    # Whether the page has asked again already, or is about to.
    may_go_on.set()
    for route in held:
        route.continue_()
    expect(page.get_by_role("listbox", name="Source")).to_have_text(source_text("What a day!"))
    expect(place).to_have_count(0)


def test_a_new_question_calls_the_old_one_off(page: Page) -> None:
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route(REQUEST, hold_first)
    ask(page, "What a day!")
    expect(page.get_by_role("button", name="Translating…")).to_be_visible()
    translate_second = "Good morning"
    page.get_by_role("textbox", name="Source sentence").fill(translate_second)
    with page.expect_event("requestfailed") as failed:
        page.keyboard.press("Enter")
    assert failed.value == held[0].request
    source = page.get_by_role("listbox", name="Source")
    expect(source).to_have_text(source_text(translate_second))


def test_programs_get_traces_and_sentences(address: str) -> None:
    client = Client(address, verbose=False)
    try:
        payload = client.predict("Good morning", "en-zh", [7], None, api_name="/trace")
        assert payload["tgt_ids"][0] == 7
        assert payload["schema"] == "headlight-trace"
        assert payload["src"][-1] == "</s>"
        with pytest.raises(AppError, match=r"Type a sentence to translate\."):
            client.predict(" ", "en-zh", api_name="/trace")
    finally:
        client.close()
