"""Models of the hub on the page: looked at, downloaded, used, removed. The hub is our own."""

import re
from pathlib import Path

import huggingface_hub.constants
import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from headlight.owner import SECRET
from tests.browser.conftest import Open, Words
from tests.browser.helpers import violations
from tests.checkpoint.hub import MODEL, Hub
from tests.checkpoint.marian import LAYERS, SHAPES, save_marian

pytestmark = [
    # Hugging Face asks for a normaliser that it then never calls.
    pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses"),
    pytest.mark.usefixtures("shelf"),
]

OWNER = f"#owner={SECRET}"
"""What the command adds to the address that it opens."""


@pytest.fixture(
    scope="module",
    params=[LAYERS, pytest.param(SHAPES["OPUS-MT's size"], marks=pytest.mark.slow)],
    ids=["layers", "size"],
)
def opus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As OPUS-MT's main branches are; slow: and as large."""
    folder = tmp_path_factory.mktemp("opus")
    model, _ = save_marian(folder, **request.param)
    torch.save(model.half().state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    return folder


def picker(page: Page, t: Words) -> Locator:
    return page.get_by_role("combobox", name=t("model"), exact=True)


def languages(page: Page, t: Words) -> Locator:
    return page.get_by_role("combobox", name=t("into"), exact=True)


def open_dialog(page: Page, t: Words) -> Locator:
    expect(picker(page, t).get_by_role("option").last).to_have_text(t("more.open"))
    picker(page, t).select_option(label=t("more.open"))
    dialog = page.get_by_role("dialog", name=t("more.title"))
    expect(dialog).to_be_visible()
    return dialog


def row(dialog: Locator, model: str) -> Locator:
    return dialog.get_by_role("listitem").filter(has_text=re.compile(rf"{re.escape(model)}\b"))


def test_from_the_click_to_a_trace_with_a_model_like_opus_mts(
    hub: Hub, opus: Path, open_page: Open, assets: Path
) -> None:
    page = open_page(query=OWNER)
    hub.models[MODEL] = {"main": opus}
    t = Words(assets, "en")
    dialog = open_dialog(page, t)
    expect(row(dialog, MODEL)).to_contain_text("English → Chinese")
    expect(row(dialog, MODEL)).to_contain_text("MB · cc-by-4.0")
    row(dialog, MODEL).get_by_role("button", name="Download opus-mt-en-zh").click()
    expect(dialog).to_be_hidden(timeout=60_000)
    expect(picker(page, t)).to_have_value("opus-mt-en-zh")
    translate = page.get_by_role("button", name="Translate")
    expect(translate).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("listbox", name="Source")).to_contain_text(">>cmn_Hans<<")
    # Six layers of eight heads; their means and maxima are folded.
    heads = page.get_by_role("grid", name="All heads: Cross-attention").get_by_role("gridcell")
    heads = heads.and_(page.get_by_label(re.compile(r"^Layer \d, head \d$")))
    expect(heads).to_have_count(6 * 8)
    expect(page.get_by_role("status", name="Step status")).to_contain_text("reads <pad>")
    # Its languages are there to choose from, and one that it does not know is said.
    source, into = page.get_by_role("textbox", name="Source sentence"), languages(page, t)
    expect(into).to_have_value(">>cmn_Hans<<")
    expect(page.get_by_text(t("into.missing"))).to_be_hidden()
    assert violations(page) == []
    source.fill("I love you.")
    expect(into).to_have_value("")
    expect(page.get_by_text(t("into.missing"))).to_be_visible()
    into.select_option(label="French (fra)")
    expect(source).to_have_value(">>fra<< I love you.")
    examples = page.get_by_role("group", name=t("examples"))
    examples.get_by_role("button", name="I love you.", exact=True).click()
    expect(source).to_have_value(">>fra<< I love you.")
    source.fill(">>xyz<< I love you.")
    translate.click()
    expect(page.get_by_role("alert").first).to_contain_text(
        "knows >>fra<<, >>cmn_Hans<<; not >>xyz<<"
    )
    picker(page, t).select_option(index=0)
    expect(into).to_be_hidden()


def test_a_download_is_ended_taken_up_used_and_removed_with_the_keyboard(
    hub: Hub, open_page: Open, assets: Path
) -> None:
    page, t = open_page(query=OWNER, locale="zh-CN", color_scheme="dark"), Words(assets, "zh")
    short = MODEL.rpartition("/")[2]
    dialog = open_dialog(page, t)
    it = row(dialog, MODEL)
    hub.hold.clear()
    it.get_by_role("button", name=t("more.download_of", model=short)).focus()
    page.keyboard.press("Enter")
    bar = it.get_by_role("progressbar", name=t("more.progress", model=short))
    expect(bar).to_have_attribute("value", re.compile(r"0\.\d+"))
    cancel = it.get_by_role("button", name=t("more.cancel_of", model=short))
    expect(cancel).to_be_focused()
    expect(dialog.get_by_role("status")).to_contain_text("%")
    # The page goes on; the download too.
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    open_dialog(page, t)
    expect(bar).to_be_visible()
    assert violations(page) == []
    cancel.focus()
    # Heard before the hub sends the rest, or there is nothing left to cancel.
    with page.expect_response(lambda response: '"cancel"' in (response.request.post_data or "")):
        page.keyboard.press("Enter")
    hub.hold.set()
    expect(it.get_by_role("alert")).to_have_text(t("error.download_cancelled"))
    expect(it.get_by_role("button", name=t("more.download_of", model=short))).to_be_focused()

    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(picker(page, t)).to_have_value(short)
    expect(page.get_by_role("textbox", name=t("source.label"))).to_have_value(
        ">>cmn_Hans<< I love you."
    )
    expect(page.get_by_role("button", name=t("translate"))).to_have_attribute("aria-busy", "false")

    open_dialog(page, t)
    remove = it.get_by_role("button", name=t("more.remove_of", model=short))
    remove.focus()
    page.keyboard.press("Enter")
    expect(it.get_by_role("button", name=t("more.sure_no"))).to_be_focused()
    page.keyboard.press("Enter")
    expect(remove).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    expect(it.get_by_role("button", name=t("more.sure_yes"), exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(it.get_by_role("button", name=t("more.download_of", model=short))).to_be_focused()
    page.keyboard.press("Escape")
    expect(picker(page, t)).to_have_value("en-zh")
    expect(picker(page, t).locator(f"option[value={short}]")).to_have_count(0)


def test_what_is_wrong_with_a_model_is_one_sentence(
    hub: Hub, saved: Path, open_page: Open, assets: Path, tmp_path: Path
) -> None:
    page, t = open_page(width=375, query=OWNER), Words(assets, "en")
    dialog = open_dialog(page, t)
    other = dialog.get_by_role("textbox", name=t("more.other"))
    alert = dialog.locator("form").get_by_role("alert")
    other.fill("me/nothing")
    other.press("Enter")
    expect(alert).to_have_text(t("error.no_such_model", model="me/nothing"))
    (tmp_path / "t5").mkdir()
    (tmp_path / "t5" / "config.json").write_text('{"model_type": "t5"}')
    hub.models["google/t5"] = {"main": tmp_path / "t5"}
    other.fill("google/t5")
    other.press("Enter")
    expect(alert).to_have_text(
        t("error.unknown_family", model="google/t5", reason="a model of type 't5'")
    )
    hub.models["me/mine"] = {"main": saved}
    other.fill("https://huggingface.co/me/mine")
    other.press("Enter")
    first = dialog.get_by_role("listitem").first
    expect(first).to_contain_text("me/mine · 0.7")
    expect(first.get_by_role("button", name="Download mine")).to_be_focused()
    expect(alert).to_be_hidden()
    assert violations(page) == []
    assert dialog.evaluate("(dialog) => dialog.scrollWidth <= dialog.clientWidth")


def test_without_a_network_one_sentence_says_so(
    open_page: Open, assets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    dialog = open_dialog(open_page(query=OWNER), Words(assets, "en"))
    expect(dialog.get_by_role("alert").first).to_contain_text("out of reach")
    expect(dialog.get_by_role("listitem")).to_have_count(11)
    expect(dialog).not_to_contain_text("did not give")
    expect(dialog).not_to_contain_text("Errno")
    for download in dialog.get_by_role("button", name="Download").all():
        expect(download).to_be_disabled()
    dialog.get_by_role("button", name="Try again").click()
    expect(dialog.get_by_role("alert").first).to_contain_text("out of reach")


def test_who_may_not_download_finds_no_way_to(
    open_page: Open, assets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPACE_ID", "somebody/headlight")
    page, t = open_page(query=OWNER), Words(assets, "en")
    with page.expect_response(lambda response: '"offers"' in (response.request.post_data or "")):
        page.reload()
    expect(picker(page, t).get_by_role("option")).to_have_count(2)
    assert t("more.open") not in picker(page, t).inner_text()


@pytest.mark.usefixtures("hub")
def test_the_commands_address_makes_an_owner_and_is_handed_on_to_nobody(
    open_page: Open, assets: Path
) -> None:
    t = Words(assets, "en")
    page = open_page(query=f"?model=en-zh{OWNER}")
    expect(picker(page, t).get_by_role("option").last).to_have_text(t("more.open"))
    assert SECRET not in page.url
    # As when it is opened again, or as an installed app.
    again = open_page()
    expect(picker(again, t).get_by_role("option").last).to_have_text(t("more.open"))
    stranger = open_page(locale="en-GB")
    answer = stranger.evaluate(
        """() => fetch("headlight/answer", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ ask: "downloads", wish: "offers" }),
        }).then((response) => response.text())"""
    )
    assert "downloads_refused" in answer
    assert t("more.open") not in picker(stranger, t).inner_text()
