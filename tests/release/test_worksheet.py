"""The worksheet to print: a page of questions, a page of answers, and pictures that are true."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from playwright.sync_api import sync_playwright

from scripts.browser import find_chromium
from scripts.worksheet import (
    AGAIN,
    FILES,
    HEAD,
    LAYER,
    LEFT_OUT,
    REPEATED,
    WORD,
    page,
    printed,
)
from transformer import Translator
from transformer.trace.head_names import parse_head
from transformer.trace.trace import AttentionTrace


@pytest.fixture(scope="module")
def trace() -> AttentionTrace:
    return Translator.load("reverse").trace(WORD)


@pytest.fixture(scope="module")
def repeating() -> AttentionTrace:
    return Translator.load("repeat").trace(REPEATED)


def test_the_row_that_students_shade_has_one_dark_cell(trace: AttentionTrace) -> None:
    """The answers say which, and that the others lie on the way from top right to bottom left."""
    assert trace.cross is not None
    head = trace.cross[LAYER, HEAD]
    assert head.argmax(-1).tolist() == [3, 2, 1, 0, 4]
    assert trace.tgt_out == ("r", "a", "t", "s", "</s>")
    assert trace.src[2] == "a"
    assert f"{head[LEFT_OUT, 2]:.2f}" == "0.99"


def test_the_induction_head_looks_at_what_came_next_before(repeating: AttentionTrace) -> None:
    """The answers say so of the second a, with a figure."""
    assert repeating.decoder_self is not None
    row = repeating.decoder_self[parse_head(repeating.heads["decoder_self"].head)][AGAIN]
    assert repeating.tgt_in[: AGAIN + 1] == ("<s>", *REPEATED)
    assert repeating.tgt_in[row.argmax()] == repeating.tgt_out[AGAIN] == "n"
    assert f"{row.max():.2f}" == "0.85"


def test_every_question_has_an_answer_and_the_answers_stand_on_a_page_of_their_own(
    trace: AttentionTrace, repeating: AttentionTrace
) -> None:
    for language in FILES:
        asked, answered = page(language, trace, repeating).split("<section>")[1:]
        assert asked.count("<article>") == answered.count("<article>") == 7
        assert "class=answer" not in asked
        # The rows that are to be shaded are bare on one page, and not on the other.
        assert answered.count("rgb(") - asked.count("rgb(") == 5 + AGAIN + 1


def test_it_prints_on_two_pages_as_the_files_are(
    trace: AttentionTrace, repeating: AttentionTrace
) -> None:
    def print_all() -> list[bytes]:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium())
            documents = [printed(browser, language, trace, repeating) for language in FILES]
            browser.close()
        return documents

    # In another thread: the browser tests leave a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        documents = thread.submit(print_all).result()
    for content in (*documents, *(file.read_bytes() for file in FILES.values())):
        assert len(re.findall(rb"/Type /Page\b", content)) == 2


def test_all_languages_ask_the_same() -> None:
    path = FILES["en"].parents[1] / "scripts" / "worksheet.json"
    texts = json.loads(path.read_text(encoding="utf-8"))
    pictures = [[q["picture"] for q in texts[code]["questions"]] for code in FILES]
    assert all(each == pictures[0] for each in pictures)
    assert all(texts[code]["words"].keys() == texts["en"]["words"].keys() for code in FILES)


def test_what_the_worksheet_says_of_a_view_is_so() -> None:
    """It is no error, and mixes up the heads; the mended one gives each its own."""
    x = torch.arange(1, 13)
    assert x.view(2, 2, 3)[0].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert x.view(2, 2, 3).transpose(0, 1)[0].tolist() == [[1, 2, 3], [7, 8, 9]]
