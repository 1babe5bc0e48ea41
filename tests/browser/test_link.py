"""The address bar: it holds what is shown, and shows it again; back and forward; hostile values."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from headlight.programs import service
from tests.browser.conftest import EXAMPLES, Open, Words
from tests.browser.helpers import (
    REQUEST,
    TITLES,
    from_menu,
    head_title,
    kinds,
    leave_box,
    show_kind,
    source_text,
    status,
    translate,
    translation,
)
from transformer import Translator
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")


def parameters(page: Page) -> dict[str, str]:
    return {name: value for name, [value] in parse_qs(urlsplit(page.url).query).items()}


def expect_parameters(page: Page, **wanted: str | None) -> None:
    """Waits for them: the address follows when looking rests. None is for one that is not there."""
    page.wait_for_url(
        lambda url: all(
            parse_qs(urlsplit(url).query).get(name) == (None if value is None else [value])
            for name, value in wanted.items()
        ),
        wait_until="commit",  # an address changes within a page; nothing is loaded
    )


def opening_heads(trace: AttentionTrace) -> dict[str, str]:
    """The heads that the page opens on: those that the model is told best by, else the last's."""
    representative = trace.to_dict().get("heads") or {}
    return {kind: representative.get(kind, {}).get("head", "L2H1") for kind in KINDS}


def checkpoint_of(trace: AttentionTrace) -> dict[str, str]:
    """What the address says of the model's weights; nothing if the trace does not know them."""
    checkpoint = trace.to_dict().get("checkpoint")
    return {"checkpoint": checkpoint} if checkpoint else {}


def test_the_address_holds_what_is_shown(page: Page, translator: Translator) -> None:
    trace = translator.trace(EXAMPLES[0])
    last = str(len(trace.tgt_out))
    everything = {"model": "en-zh", "source": EXAMPLES[0], "step": last, "kind": "cross"}
    assert parameters(page) == everything | opening_heads(trace) | checkpoint_of(trace)

    page.get_by_role("slider", name="Step", exact=True).fill("2")
    expect_parameters(page, step="2")
    figure = page.get_by_role("figure", name="Cross-attention")
    figure.get_by_role("gridcell", name="Layer 1, head 3", exact=True).click()
    expect_parameters(page, cross="L1H3", kind="cross")
    translate(page, "Good morning")
    expect_parameters(page, source="Good morning", cross="L1H3", prefix=None)


def test_an_address_opens_to_the_same_picture(
    open_page: Open, assets: Path, translator: Translator
) -> None:
    trunk = translator.trace("Good morning")
    prefix = [*trunk.tgt_ids[:2], trunk.candidates[2][3].id]
    branch = translator.trace("Good morning", prefix=prefix)
    query = {"model": "en-zh", "source": "Good morning", "prefix": "-".join(map(str, prefix))}
    looks = {"step": "3", "encoder_self": "L1H4", "decoder_self": "L2.mean-L1H1", "cross": "L1H2"}
    page, t = open_page(query=f"?{urlencode(query | looks)}", locale="zh-CN"), Words(assets, "zh")
    target = page.get_by_role("list", name=t("tokens.target"), exact=True)
    expect(target.get_by_role("listitem")).to_have_text(["<s>", *branch.tgt_out])
    expect(page.get_by_role("slider", name=t("step.slider"), exact=True)).to_have_value("3")
    expect(page.get_by_role("textbox", name=t("source.label"))).to_have_value("Good morning")
    lines = page.get_by_role("list", name=t("branches"), exact=True).get_by_role("listitem")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("".join(trunk.tgt_out))
    expect(page.get_by_role("alert").first).to_be_empty()
    assert parameters(page) == query | looks | {"kind": "cross"} | checkpoint_of(branch)


def test_back_and_forward_show_what_was_shown(page: Page) -> None:
    source = page.get_by_role("listbox", name="Source", exact=True)
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
    branched = translation(page).inner_text()
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
    expect(translation(page)).to_have_text(branched)
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


def test_what_an_address_asks_in_vain_is_said(open_page: Open, assets: Path) -> None:
    wrong = {
        "model": "nobody",
        "sampling": "0-0-0",
        "prefix": "1-x",
        "step": "0",
        "kind": "sideways",
        "encoder_self": "3.1",
        "cross": "<b>",
    }
    page = open_page(query=f"?{urlencode(wrong | {'decoder_self': 'L1H2'})}", locale="zh-CN")
    t = Words(assets, "zh")
    parts = ", ".join(f"{name}={value}" for name, value in wrong.items())
    expected = t("ignored", parts=parts) + t("guest.start", command="headlight nobody")
    expect(page.get_by_role("alert").first).to_have_text(expected)
    expect(page.get_by_role("listbox", name=t("tokens.source"), exact=True)).to_have_text(
        source_text(EXAMPLES[0])
    )
    assert parameters(page)["decoder_self"] == "L1H2", "the rest of it holds"
    expect(page.get_by_role("button", name=t("translate"))).to_be_enabled()
    page.get_by_role("button", name=t("translate")).click()
    expect(page.get_by_role("alert").first).to_be_empty()


def test_where_guests_are_off_their_page_says_so(
    open_page: Open, assets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "lacking", ("guests",))
    page = open_page(query="?model=org/nobody")
    expected = Words(assets, "en")("guest.off", command="headlight org/nobody")
    expect(page.get_by_role("alert").first).to_contain_text(expected)


# Of one address, what is heard of one by one, too: each is named.
HOSTILE: list[tuple[dict[str, str], list[str]]] = [
    ({"source": "   "}, ["Type a sentence to translate."]),
    ({"source": "x" * 2_001}, ["2,001 characters"]),
    ({"prefix": "999999999"}, ["prefix=999999999"]),
    ({"prefix": "5-" * 100 + "5"}, ["prefix=5-5"]),
    ({"cell": "cross.L2H1-99-1"}, ["cell=cross.L2H1-99-1"]),
    ({"cross": "aligned"}, ["cross=aligned"]),
    (
        {
            "prefix": "9" * 400,
            "sampling": "1-0-" + "9" * 40,
            "step": "-1",
            "cross": "__proto__",
            "tab": "constructor",
            "lines": "cross.L9",
            "colors": "red-1-1",
            "compared": "1-x",
            "presenter": "<b>",
            "kind": "<img src=x onerror=alert(1)>",
            "model": "../../etc/passwd",
        },
        [
            *("prefix=999", "sampling=1-0-999", "step=-1", "cross=__proto__", "tab=constructor"),
            *("lines=cross.L9", "colors=red-1-1", "compared=1-x", "presenter=<b>"),
            *("kind=<img src=x", "model=../../etc/passwd"),
        ],
    ),
    (
        {"sampling": "2.1-0-1", "step": "1e1", "cross": "0.1", "model": "constructor"},
        ["sampling=2.1-0-1", "step=1e1", "cross=0.1", "model=constructor"],
    ),
]


def test_a_hostile_address_is_harmless(page: Page, address: str) -> None:
    for query, sentences in HOSTILE:
        page.evaluate("localStorage.clear()")
        page.goto(f"{address}?{urlencode(query)}")
        page.locator("[data-ready]").wait_for()
        for each in sentences:
            expect(page.get_by_role("alert").first).to_contain_text(each)
        expect(page.get_by_role("figure")).to_have_count(1)
        assert page.locator("img[src=x]").count() == 0
        translate(page, "Good morning")


def test_markup_in_an_address_is_only_text(open_page: Open) -> None:
    markup = "<img src=x onerror=alert(1)>"
    page = open_page(query=f"?{urlencode({'source': markup})}")
    expect(page.get_by_role("textbox", name="Source sentence")).to_have_value(markup)
    expect(page.get_by_role("listbox", name="Source", exact=True)).to_have_text(source_text(markup))
    assert page.locator("img[src=x]").count() == 0


def figure(page: Page, kind: Kind = "cross") -> Locator:
    return page.get_by_role("figure", name=TITLES[kind], exact=True)


@pytest.mark.slow
def test_what_is_as_usual_is_not_in_the_address(page: Page) -> None:
    names = {"model", "source", "step", "kind", *KINDS}
    assert parameters(page).keys() - {"checkpoint"} == names
    page.get_by_role("button", name="Lines", exact=True).click()
    expect_parameters(page, tab="lines")
    page.get_by_role("tab", name="Heads").click()
    expect_parameters(page, tab="heads")
    page.get_by_role("tab", name="Attention").click()
    page.get_by_role("button", name="Matrix", exact=True).click()
    expect_parameters(page, tab=None)


def test_every_way_of_looking_is_in_the_address_and_opens_from_it(
    page: Page, open_page: Open
) -> None:
    from_menu(page, "Table", "decoder_self")
    from_menu(page, "Colour")  # of cross-attention, which it turns to
    page.get_by_role("combobox", name="Colour scale").select_option("Viridis")
    page.keyboard.press("Escape")
    figure(page).get_by_role("gridcell", name="Layer 1, head 3", exact=True).click()
    figure(page).get_by_role("application").focus()
    for key in ("Home", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    step = parameters(page)["step"]
    shown = {
        "tables": "decoder_self",
        "colors": "viridis-1-1",
        "cell": f"cross.L1H3-{step}-2",
    }
    expect_parameters(page, **shown)
    query = urlsplit(page.url).query
    page.evaluate("localStorage.clear()")

    other = open_page(query=f"?{query}")
    assert other.evaluate("scrollY") == 0, "a link opens at the top"
    worked_out = other.get_by_role("region", name="Worked out")
    expect(worked_out).to_be_visible()
    from_menu(other, "Colour")
    expect(other.get_by_role("combobox", name="Colour scale")).to_have_value("viridis")
    other.keyboard.press("Escape")
    worked_out.scroll_into_view_if_needed()
    expect(worked_out.get_by_role("button", name="Score")).to_be_visible()
    expect(other.get_by_role("alert").first).to_be_empty()
    expect_parameters(other, **shown)
    show_kind(other, "decoder_self")
    expect(figure(other, "decoder_self").get_by_role("table")).to_be_visible()


@pytest.mark.slow
def test_lines_are_in_the_address_and_open_from_it(page: Page, open_page: Open) -> None:
    page.get_by_role("button", name="Lines", exact=True).click()
    lines = page.get_by_role("group", name="Lines")
    lines.get_by_role("combobox", name="Layer").select_option("Layer 1")
    lines.get_by_role("button", name="Head 2").click()
    lines.get_by_role("slider", name="Smallest weight").fill("0.25")
    values = {"lines": "cross.L1", "lines_heads": "H1-H3-H4", "lines_from": "0.25"}
    expect_parameters(page, tab="lines", **values)
    other = open_page(query=f"?{urlsplit(page.url).query}")
    lines = other.get_by_role("group", name="Lines")
    expect(lines.get_by_role("combobox", name="Layer")).to_have_value("0")
    expect(lines.get_by_role("button", name="Head 2")).to_have_attribute("aria-pressed", "false")
    expect(lines.get_by_role("slider", name="Smallest weight")).to_have_value("0.25")
    # Of a matrix nothing of lines is told.
    other.get_by_role("button", name="Matrix", exact=True).click()
    expect_parameters(other, tab=None, **dict.fromkeys(values))


def test_colours_of_a_link_are_not_taken_for_a_choice(open_page: Open) -> None:
    page = open_page(query="?colors=grey-1-1")
    expect_parameters(page, colors="grey-1-1")
    again = open_page()
    from_menu(again, "Colour")
    expect(again.get_by_role("combobox", name="Colour scale")).to_have_value("blue")


def test_the_presenter_is_in_the_address(open_page: Open) -> None:
    page = open_page(query="?presenter=on&kind=decoder_self")
    expect(page.get_by_role("figure")).to_have_count(1)
    expect(figure(page, "decoder_self")).to_be_visible()
    page.keyboard.press("Escape")
    expect(kinds(page)).to_be_visible()
    expect_parameters(page, presenter=None)


def test_a_compared_branch_is_in_the_address_and_opens_from_it(
    open_page: Open, translator: Translator
) -> None:
    trunk = translator.trace(EXAMPLES[0])
    prefixes = [[*trunk.tgt_ids[:step], trunk.candidates[step][3].id] for step in (1, 2)]
    shown, compared = ("-".join(map(str, prefix)) for prefix in prefixes)
    page = open_page(query=f"?prefix={shown}&compared={compared}")
    branches = page.get_by_role("list", name="Branches", exact=True)
    expect(branches.get_by_role("listitem")).to_have_count(3)
    expect(branches.locator("mark").first).to_be_visible()
    pressed = branches.locator("button[aria-pressed=true]")
    expect(pressed).to_have_count(1)
    expect_parameters(page, prefix=shown, compared=compared)
    pressed.click()
    expect_parameters(page, prefix=shown, compared=None)
    page.get_by_role("button", name="Compare with what is shown: Trunk").click()
    expect_parameters(page, prefix=shown, compared="trunk")


def test_going_back_shows_what_was_looked_at_then(page: Page) -> None:
    page.get_by_role("tab", name="Heads").click()
    translate(page, "Good morning")
    expect_parameters(page, source="Good morning", tab="heads")
    page.get_by_role("tab", name="Attention").click()
    page.get_by_role("button", name="Lines", exact=True).click()
    page.get_by_role("group", name="Lines").get_by_role("button", name="Head 2").click()
    expect_parameters(page, tab="lines", lines_heads="H1-H2")
    page.go_back()
    expect(page.get_by_role("listbox", name="Source", exact=True)).to_have_text(
        source_text(EXAMPLES[0])
    )
    expect(page.get_by_role("tab", name="Heads")).to_have_attribute("aria-selected", "true")
    expect_parameters(page, source=EXAMPLES[0], tab="heads", lines_heads=None)
    page.go_forward()
    expect(page.get_by_role("group", name="Lines")).to_be_visible()
    expect_parameters(page, source="Good morning", tab="lines", lines_heads="H1-H2")


REPRESENTATIVE = {"cross": {"head": "L1H3", "role": "aligns", "row": "reads"}}


def answer_with(**fields: object) -> Callable[[Route], None]:
    """A server whose traces say this besides, whatever the model's own say."""

    def fulfil(route: Route) -> None:
        # The server may have closed a connection that has been idle for long.
        response = route.fetch(max_retries=3)
        answer = response.json()
        if "trace" in answer:
            answer["trace"].update(fields)
        route.fulfill(response=response, json=answer)

    return fulfil


def test_a_representative_head_is_shown_first_and_its_role_is_said(
    open_page: Open, assets: Path
) -> None:
    page, t = open_page(), Words(assets, "en")
    page.route(REQUEST, answer_with(heads=REPRESENTATIVE))
    page.get_by_role("textbox", name=t("source.label")).fill("Good morning")
    page.keyboard.press("Enter")
    panel = page.get_by_role("figure", name=t("cross.title"), exact=True)
    title = head_title(panel)
    expect(title).to_contain_text("L1H3")
    expect(title).to_contain_text(t("role.aligns"))
    expect_parameters(page, cross="L1H3")
    tiles = panel.get_by_role("grid", name=t("heads.name", kind=t("cross.title")))
    tiles.get_by_role("gridcell").first.click()
    expect(title).to_contain_text("L1H1")
    expect(title).not_to_contain_text(t("role.aligns"))


def test_a_role_in_an_address_is_the_head_that_has_it(page: Page) -> None:
    page.route(REQUEST, answer_with(heads=REPRESENTATIVE))
    page.evaluate("history.pushState(null, '', '?source=Good+morning&cross=aligns-L2H1')")
    page.evaluate("history.pushState(null, '', '?source=What+a+day!')")
    page.go_back()
    expect(page.get_by_role("listbox", name="Source", exact=True)).to_have_text(
        source_text("Good morning")
    )
    expect_parameters(page, cross="L1H3-L2H1")
    expect(page.get_by_role("alert").first).to_be_empty()


def test_a_link_of_a_model_that_has_changed_says_so(open_page: Open, assets: Path) -> None:
    # A browser of its own: in one that many tests have used, the doubled answers did not arrive.
    # Not that of the tests that stop the clock, either.
    page, t = open_page(locale="zh-CN", timezone_id="Asia/Shanghai"), Words(assets, "zh")
    note = page.get_by_role("note").filter(has_text=t("outdated"))
    expect(note).to_have_count(0)
    page.route(REQUEST, answer_with(checkpoint="3f9ab1c2"))
    for checkpoint, count in (("3f9ab1c2", 0), ("00000000", 1)):
        page.evaluate(
            "query => history.pushState(null, '', query)",
            f"?source=Good+morning+{checkpoint}&checkpoint={checkpoint}",
        )
        page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
        # The address alone does not tell: the first one holds all that is waited for.
        source = page.get_by_role("textbox", name=t("source.label"))
        expect(source).to_have_value(f"Good morning {checkpoint}")
        expect(page.get_by_role("button", name=t("translate"), exact=True)).not_to_have_attribute(
            "aria-busy", "true"
        )
        expect_parameters(page, checkpoint="3f9ab1c2", source=f"Good morning {checkpoint}")
        expect(note).to_have_count(count)
    page.get_by_role("textbox", name=t("source.label")).fill("Good morning")
    page.keyboard.press("Enter")
    expect(note).to_have_count(0)


def test_a_step_beyond_the_end_is_the_last_and_is_said(
    open_page: Open, assets: Path, translator: Translator
) -> None:
    count = len(translator.trace(EXAMPLES[0]).tgt_out)
    page, t = open_page(query="?step=999"), Words(assets, "en")
    assert status(page).startswith(f"Step {count} of {count}")
    message = page.get_by_text(t("step.beyond", asked=999, count=count).strip())
    expect(message).to_be_visible()
    leave_box(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    expect(message).to_be_hidden()
