"""The address bar: it holds what is shown, and shows it again; back and forward; hostile values."""

from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import EXAMPLES, Open, Words
from tests.browser.test_errors import REQUEST
from tests.browser.test_page import leave_box, source_text, status, translate
from transformer import Translator


def parameters(page: Page) -> dict[str, str]:
    return {name: value for name, [value] in parse_qs(urlsplit(page.url).query).items()}


def expect_parameters(page: Page, **wanted: str | None) -> None:
    """Waits for them: the address follows when looking rests. None is for one that is not there."""
    page.wait_for_url(
        lambda url: all(
            parse_qs(urlsplit(url).query).get(name) == (None if value is None else [value])
            for name, value in wanted.items()
        )
    )


def test_the_address_holds_what_is_shown(page: Page, translator: Translator) -> None:
    trace = translator.trace(EXAMPLES[0])
    last = str(len(trace.tgt_out))
    everything = {"model": "en-zh", "source": EXAMPLES[0], "step": last, "kind": "cross"}
    heads = {"encoder_self": "2.1", "decoder_self": "2.1", "cross": "2.1"}
    assert parameters(page) == everything | heads

    page.get_by_role("slider", name="Step", exact=True).fill("2")
    expect_parameters(page, step="2")
    figure = page.get_by_role("figure", name="Cross-attention")
    figure.get_by_role("button", name="Layer 1, head 3", exact=True).click()
    expect_parameters(page, cross="1.3", kind="cross")
    translate(page, "Good morning")
    expect_parameters(page, source="Good morning", cross="1.3", prefix=None)


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_an_address_opens_to_the_same_picture(
    open_page: Open, assets: Path, translator: Translator, locale: str
) -> None:
    trunk = translator.trace("Good morning")
    prefix = [*trunk.tgt_ids[:2], trunk.candidates[2][3].id]
    branch = translator.trace("Good morning", prefix)
    query = {"model": "en-zh", "source": "Good morning", "prefix": "-".join(map(str, prefix))}
    looks = {"step": "3", "encoder_self": "1.4", "decoder_self": "2.mean-1.1", "cross": "1.2"}
    page, t = open_page(query=f"?{urlencode(query | looks)}", locale=locale), Words(assets, locale)
    target = page.get_by_role("list", name=t("tokens.target"), exact=True)
    expect(target.get_by_role("listitem")).to_have_text(["<s>", *branch.tgt_out])
    expect(page.get_by_role("slider", name=t("step.slider"), exact=True)).to_have_value("3")
    expect(page.get_by_role("textbox", name=t("source.label"))).to_have_value("Good morning")
    lines = page.get_by_role("list", name=t("branches"), exact=True).get_by_role("listitem")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("".join(trunk.tgt_out))
    expect(page.get_by_role("alert").first).to_be_empty()
    assert parameters(page) == query | looks | {"kind": parameters(page)["kind"]}


def test_back_and_forward_show_what_was_shown(page: Page) -> None:
    source = page.get_by_role("list", name="Source", exact=True)
    entries = page.evaluate("history.length")
    leave_box(page)
    for key in ("Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect_parameters(page, step="3")
    assert page.evaluate("history.length") == entries, "a step is no entry of the history"
    translate(page, "Good morning")
    page.get_by_role("slider", name="Step", exact=True).fill("2")
    page.get_by_role("list", name="Candidates", exact=True).locator("button:enabled").first.click()
    lines = page.get_by_role("list", name="Branches", exact=True).get_by_role("listitem")
    expect(lines).to_have_count(2)
    branched = page.locator("output.translation").inner_text()
    assert page.evaluate("history.length") == entries + 2

    page.route(REQUEST, lambda route: route.abort())  # all of it has been shown before
    page.go_back()
    expect(page.get_by_role("button", name="Trunk", exact=True)).to_have_attribute(
        "aria-current", "true"
    )
    assert status(page).startswith("Step 2 of")
    page.go_back()
    expect(source).to_have_text(source_text(EXAMPLES[0]))
    expect(page.get_by_role("textbox", name="Source sentence")).to_have_value(EXAMPLES[0])
    assert status(page).startswith("Step 3 of")
    page.go_forward()
    page.go_forward()
    expect(page.locator("output.translation")).to_have_text(branched)
    expect(lines).to_have_count(2)
    assert status(page).startswith("Step 2 of")
    assert page.evaluate("history.length") == entries + 2


def test_what_is_not_ours_in_the_address_stays(open_page: Open) -> None:
    page = open_page(query="?__theme=light&lesson=4#top")
    leave_box(page)
    page.keyboard.press("Home")
    expect_parameters(page, step="1", __theme="light", lesson="4")
    translate(page, "Good morning")
    expect_parameters(page, source="Good morning", __theme="light", lesson="4")
    assert page.url.endswith("#top")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_what_an_address_asks_in_vain_is_said(open_page: Open, assets: Path, locale: str) -> None:
    wrong = {
        "model": "nobody",
        "sampling": "0-0-0",
        "prefix": "1-x",
        "step": "999",
        "kind": "sideways",
        "encoder_self": "3.1",
        "cross": "<b>",
    }
    page = open_page(query=f"?{urlencode(wrong | {'decoder_self': '1.2'})}", locale=locale)
    t = Words(assets, locale)
    parts = ", ".join(f"{name}={value}" for name, value in wrong.items())
    expect(page.get_by_role("alert").first).to_have_text(t("ignored", parts=parts))
    expect(page.get_by_role("list", name=t("tokens.source"), exact=True)).to_have_text(
        source_text(EXAMPLES[0])
    )
    assert parameters(page)["decoder_self"] == "1.2", "the rest of it holds"
    expect(page.get_by_role("button", name=t("translate"))).to_be_enabled()
    page.get_by_role("button", name=t("translate")).click()
    expect(page.get_by_role("alert").first).to_be_empty()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"source": "   "}, "Type a sentence to translate."),
        ({"source": "x" * 2_001}, "2001 characters"),
        ({"prefix": "5-" * 100 + "5"}, "prefix=5-5"),
        ({"prefix": "999999999"}, "prefix=999999999"),
        ({"prefix": "9" * 400}, "prefix=999"),
        ({"sampling": "1-0-" + "9" * 40}, "sampling=1-0-999"),
        ({"sampling": "2.1-0-1"}, "sampling=2.1-0-1"),
        ({"step": "-1"}, "step=-1"),
        ({"step": "1e1"}, "step=1e1"),
        ({"cross": "__proto__"}, "cross=__proto__"),
        ({"cross": "0.1"}, "cross=0.1"),
        ({"kind": "<img src=x onerror=alert(1)>"}, "<img src=x"),
        ({"model": "../../etc/passwd"}, "model=../../etc/passwd"),
        ({"model": "constructor"}, "model=constructor"),
    ],
)
def test_a_hostile_address_is_harmless(open_page: Open, query: dict[str, str], said: str) -> None:
    page = open_page(query=f"?{urlencode(query)}")
    expect(page.get_by_role("alert").first).to_contain_text(said)
    expect(page.get_by_role("figure")).to_have_count(3)
    assert page.locator("img[src=x]").count() == 0
    translate(page, "Good morning")


def test_markup_in_an_address_is_only_text(open_page: Open) -> None:
    markup = "<img src=x onerror=alert(1)>"
    page = open_page(query=f"?{urlencode({'source': markup})}")
    expect(page.get_by_role("textbox", name="Source sentence")).to_have_value(markup)
    expect(page.get_by_role("list", name="Source", exact=True)).to_have_text(source_text(markup))
    assert page.locator("img[src=x]").count() == 0
