"""A saved trace is opened from the disk, with no server and no network."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import ConsoleMessage, Page, Request, expect

from tests.browser.conftest import EXAMPLES, Visitors
from tests.browser.helpers import canvas_cells, cell, tip, violations
from tests.checker.bugs import batch
from tests.checker.zoo_classic import Classic
from transformer import Translator, check
from transformer.show.replay import replay_frame
from transformer.trace.trace import AttentionTrace

HOSTILE = "</script><img src=x onerror=alert(1)>"

OpenFile = Callable[[str], Page]


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(EXAMPLES[0])


@pytest.fixture
def open_file(visitors: Visitors, tmp_path: Path) -> Iterator[OpenFile]:
    """Opens a page from a file; it may ask nobody for anything, and nothing may go wrong in it."""
    pages: list[Page] = []
    asked: list[str] = []
    complaints: list[str] = []

    def check(request: Request) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            asked.append(request.url)

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def open_file(content: str) -> Page:
        path = tmp_path / "page.html"
        path.write_text(content, encoding="utf-8")
        page = visitors.context(locale="en-US", offline=True).new_page()
        pages.append(page)
        page.set_viewport_size({"width": 1280, "height": 900})
        page.on("request", check)
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.goto(path.as_uri())
        return page

    yield open_file
    for page in pages:
        page.close()
    assert not asked
    assert not complaints


def saved(trace: AttentionTrace, folder: Path) -> str:
    trace.save(folder / "trace.html")
    return (folder / "trace.html").read_text(encoding="utf-8")


def test_it_steps_and_changes_heads_and_tells_weights(
    open_file: OpenFile, trace: AttentionTrace, tmp_path: Path
) -> None:
    assert trace.cross is not None
    page = open_file(saved(trace, tmp_path))
    status = page.get_by_role("status", name="Step status")
    expect(status).to_contain_text(f"Step {len(trace.tgt_in)} of {len(trace.tgt_in)}")
    page.keyboard.press("Home")
    expect(status).to_contain_text(f"Step 1 of {len(trace.tgt_in)}: reads <s>")
    page.get_by_role("button", name="Next step").click()
    expect(status).to_contain_text("Step 2 of")
    page.keyboard.press("End")

    figure = page.get_by_role("figure", name="Cross-attention")
    figure.get_by_role("gridcell", name="Layer 1, head 4", exact=True).click()
    matrix = figure.get_by_role("img").first
    expect(matrix).to_have_accessible_name("Cross-attention, Layer 1, head 4")
    head = trace.cross[0, 3]
    x, y = cell(matrix, head.shape[0], head.shape[1], 2, 1)
    matrix.hover(position={"x": x, "y": y})
    about = tip(figure)
    expect(about).to_contain_text(f"attends to {trace.src[1]}:")
    shown = float(about.inner_text().rsplit(": ", 1)[1])
    assert shown == pytest.approx(head[2, 1], abs=8e-4)


def test_languages_and_light_can_be_changed(
    open_file: OpenFile, trace: AttentionTrace, tmp_path: Path
) -> None:
    page = open_file(saved(trace, tmp_path))
    page.get_by_label("Language").select_option("中文")
    expect(page.get_by_role("heading", name="注意力探照灯")).to_be_visible()
    page.get_by_role("button", name="深色").click()
    expect(page.locator("[data-theme]")).to_have_attribute("data-theme", "dark")
    page.evaluate("localStorage.clear()")


def test_what_needs_a_server_is_absent(
    open_file: OpenFile, trace: AttentionTrace, tmp_path: Path
) -> None:
    page = open_file(saved(trace, tmp_path))
    expect(page.get_by_role("status", name="Step status")).to_be_visible()
    absent: Any = (
        ("textbox", "Source sentence"),
        ("button", "Translate"),
        ("combobox", "Model"),
        ("tab", "Model"),
        ("button", "Open a saved trace or report"),
    )
    for role, name in absent:
        expect(page.get_by_role(role, name=name)).to_have_count(0)
    expect(page.get_by_text(EXAMPLES[0], exact=True)).to_be_visible()
    expect(page.get_by_text("how a weight came about (Worked out)")).to_be_visible()
    candidates = page.get_by_role("list", name="Candidates")
    expect(candidates.get_by_role("button", disabled=False)).to_have_count(0)
    page.get_by_role("button", name="More: Cross-attention").click()
    expect(page.get_by_role("button", name="JSON for programs")).to_be_visible()
    expect(page.get_by_role("button", name="NPZ for NumPy")).to_have_count(0)
    expect(page.get_by_role("button", name="HTML page")).to_have_count(0)


def test_pictures_and_numbers_can_still_be_taken(
    open_file: OpenFile, trace: AttentionTrace, tmp_path: Path
) -> None:
    page = open_file(saved(trace, tmp_path))
    for item, suffix in (("PNG picture, 2×", "png"), ("CSV table of the numbers", "csv")):
        page.get_by_role("button", name="More: Cross-attention").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=item, exact=True).click()
        assert download.value.suggested_filename.endswith(f"_cross_L2H1.{suffix}")
        assert Path(download.value.path()).stat().st_size > 100


def test_a_hostile_token_stays_text(
    open_file: OpenFile, trace: AttentionTrace, tmp_path: Path
) -> None:
    hostile = dataclasses.replace(
        trace, source=HOSTILE, translation=HOSTILE, src=(HOSTILE, *trace.src[1:])
    )
    page = open_file(saved(hostile, tmp_path))
    expect(page.get_by_role("listbox", name="Source").get_by_role("option").first).to_have_text(
        HOSTILE
    )
    expect(page.locator("img[src=x]")).to_have_count(0)
    expect(page).to_have_title(f"{HOSTILE} · Headlight")


@pytest.mark.slow
def test_a_notebooks_frame_works_inside_its_sandbox(
    open_file: OpenFile, trace: AttentionTrace
) -> None:
    page = open_file(f"<!doctype html>{replay_frame(trace)}")
    inside = page.frame_locator("iframe")
    status = inside.get_by_role("status", name="Step status")
    expect(status).to_contain_text(f"Step {len(trace.tgt_in)} of")
    inside.get_by_role("button", name="First step").click()
    expect(status).to_contain_text("Step 1 of")
    inside.get_by_role("button", name="More: Cross-attention").click()
    with page.expect_download() as download:
        inside.get_by_role("button", name="PNG picture, 2×", exact=True).click()
    assert download.value.suggested_filename.endswith(".png")


def test_a_decoder_only_trace_replays(open_file: OpenFile, models: Path, tmp_path: Path) -> None:
    trace = Translator.load(models / "poet").trace("我爱你。")
    page = open_file(saved(trace, tmp_path))
    expect(page.get_by_role("figure")).to_have_count(1)
    expect(page.get_by_role("figure", name="Decoder self-attention")).to_be_visible()


def test_a_report_is_a_page_of_its_own(open_file: OpenFile, tmp_path: Path) -> None:
    torch.manual_seed(1)
    report = check(Classic("future_leak", layers=1), *batch(), language="zh")
    report.save(tmp_path / "report.html")
    page = open_file((tmp_path / "report.html").read_text(encoding="utf-8"))
    # In the report's language, whatever the browser's is.
    expect(page.get_by_role("heading", name="Classic 的检查结果")).to_be_visible()
    finding = page.get_by_role("listitem").filter(has_text="future_leak")
    expect(finding).to_contain_text(report.findings[0].sentence)
    picture = finding.get_by_role("img", name="改动哪些目标词元会影响各位置的 logits")
    size = len(report.seen[0].positions), len(report.seen[0].tokens)
    light = canvas_cells(picture, *size)
    page.get_by_label("语言").select_option("English")
    expect(page.get_by_role("heading", name="Check of Classic")).to_be_visible()
    page.get_by_role("button", name="Dark theme").click()
    expect(page.locator("[data-theme]")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("note", name="File")).to_be_hidden()
    picture = finding.get_by_role("img").first
    assert canvas_cells(picture, *size) != light
    assert violations(page) == []
    page.evaluate("localStorage.clear()")


def test_what_was_read_is_said_and_arabic_runs_from_right_to_left(
    open_file: OpenFile, trace: AttentionTrace, tmp_path: Path
) -> None:
    words = ("␣أين", "␣قطتي", "؟")
    arabic = tuple(words[i % 3] for i in range(len(trace.tgt_out)))
    changed = dataclasses.replace(
        trace,
        source=trace.source.upper(),
        read_as=trace.source,
        translation="أين قطتي؟",
        tgt_out=arabic,
        tgt_in=("<s>", *arabic[:-1]),
        glosses=None,
    )
    page = open_file(saved(changed, tmp_path))
    note = page.get_by_role("status", name="What the model reads")
    expect(note).to_have_text(f"Read as: {trace.source}")
    expect(page.get_by_text(trace.source.upper(), exact=True)).to_be_visible()

    def lefts(name: str) -> list[float]:
        row = page.get_by_label(name, exact=True)
        return row.locator("li").evaluate_all("all => all.map(x => x.getBoundingClientRect().left)")

    source, target = lefts("Source"), lefts("Target so far")
    assert source == sorted(source)
    assert target == sorted(target, reverse=True)


def test_a_class_needs_a_server_and_the_file_shows_a_code_of_its_own_address(
    open_file: OpenFile, trace: AttentionTrace, tmp_path: Path
) -> None:
    page = open_file(saved(trace, tmp_path))
    page.get_by_role("button", name="Presenter", exact=True).click()
    page.get_by_role("button", name="Class", exact=True).click()
    dialog = page.get_by_role("dialog", name="Class")
    expect(dialog).to_contain_text("A class together needs a server; this page has none.")
    address = page.url.split("#")[0]
    expect(dialog.get_by_role("img", name=f"QR code of {address}")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
