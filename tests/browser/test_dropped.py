"""A saved trace is dropped onto the page, or chosen, and opens there; whatever it holds."""

import base64
import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import FilePayload, Locator, Page, Request, expect
from torch import Tensor, nn

from tests.browser.conftest import EXAMPLES, Open
from tests.browser.helpers import (
    canvas_cells,
    drop,
    folded,
    source_text,
    status,
    translate,
    violations,
)
from transformer import Translator, check, inside
from transformer.trace.sampling import Sampling
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")

SENTENCE = "Good morning"
HOSTILE = "<img src=x onerror=alert(1)>"


def saved(trace: AttentionTrace, path: Path) -> bytes:
    trace.save(path)
    return path.read_bytes()


def note(page: Page) -> Locator:
    return page.get_by_role("note", name="File")


def alert(page: Page) -> Locator:
    return page.locator(".file").get_by_role("alert")


def source(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Source", exact=True)


@pytest.fixture(scope="module")
def trace(translator: Translator) -> AttentionTrace:
    return translator.trace(SENTENCE)


def test_what_this_model_would_say_too_is_as_if_it_were_asked_here(
    page: Page, trace: AttentionTrace, tmp_path: Path
) -> None:
    drop(page, "mine.npz", saved(trace, tmp_path / "trace.npz"))
    expect(source(page)).to_have_text(source_text(SENTENCE))
    expect(note(page)).to_contain_text("From the file mine.npz.")
    expect(note(page)).to_contain_text("gives the same")
    # So the address is that of asking, and everything can be asked.
    expect(page).to_have_url(re.compile(f"source={SENTENCE.replace(' ', r'[+]')}"))
    expect(page.get_by_role("textbox", name="Source sentence")).to_have_value(SENTENCE)
    candidates = page.get_by_role("list", name="Candidates").get_by_role("button")
    expect(candidates.and_(page.locator(":enabled"))).not_to_have_count(0)
    page.get_by_role("figure", name="Cross-attention").locator("canvas").first.click()
    worked = page.get_by_role("region", name="Worked out")
    expect(worked.get_by_role("button", name="Score")).to_be_visible()
    # A branch of it is no longer the file's.
    page.keyboard.press("Home")
    page.get_by_role("button", name="Back to the matrix").click()
    candidates.and_(page.locator(":enabled")).first.click()
    branches = page.get_by_role("list", name="Branches", exact=True).get_by_role("listitem")
    expect(branches).to_have_count(2)
    expect(note(page)).to_be_hidden()


def test_a_drawn_branch_of_a_changed_model_is_known_again(
    page: Page, translator: Translator, tmp_path: Path
) -> None:
    trunk = translator.trace(SENTENCE)
    other = next(c.id for c in trunk.candidates[1] if c.id != trunk.tgt_ids[1])
    branch = translator.trace(
        SENTENCE,
        prefix=(trunk.tgt_ids[0], other),
        sampling=Sampling(0.8, 0, 3),
        interventions=("cross.L2H1=zero",),
    )
    drop(page, "branch.json", saved(branch, tmp_path / "branch.json"))
    expect(note(page)).to_contain_text("gives the same")
    branches = page.get_by_role("list", name="Branches", exact=True).get_by_role("listitem")
    expect(branches).to_have_count(2)
    expect(page).to_have_url(re.compile(rf"prefix={trunk.tgt_ids[0]}-{other}\b"))
    expect(page).to_have_url(re.compile(r"off=cross\.L2H1\b"))


@pytest.mark.slow
def test_what_nobody_here_would_say_is_shown_alone(
    page: Page, trace: AttentionTrace, poet: Translator, tmp_path: Path
) -> None:
    translate(page, EXAMPLES[0])
    page.keyboard.press("Escape")
    address = page.url
    shown = status(page)
    assert trace.cross is not None
    mirrored = trace.cross[..., ::-1].copy()
    mirrored.flags.writeable = False
    alone: Any = (
        ({"model": "elsewhere"}, "This file's model, “elsewhere”, is not installed here."),
        ({"checkpoint": "0123456789ab"}, "This file's model, “en-zh”, has other weights here."),
        ({"cross": mirrored}, "This file's model, “en-zh”, answers differently here."),
    )
    for change, reason in alone:
        changed = dataclasses.replace(trace, **change)
        drop(page, "old.json", saved(changed, tmp_path / "old.json"))
        expect(note(page)).to_contain_text(reason)
        expect(source(page)).to_have_text(source_text(SENTENCE))
        # No address could lead here, and nothing can be asked.
        assert page.url == address
        candidates = page.get_by_role("list", name="Candidates").get_by_role("button")
        expect(candidates.and_(page.locator(":enabled"))).to_have_count(0)
        page.get_by_role("figure", name="Cross-attention").locator("canvas").first.click()
        worked = page.get_by_role("region", name="Worked out")
        expect(worked.get_by_role("alert")).to_contain_text(reason)
        page.get_by_role("button", name="Back to the matrix").click()
    drop(page, "paper.pdf", b"%PDF")
    expect(alert(page)).not_to_be_empty()
    assert violations(page) == []
    # What was shown before comes back, by the button and by the browser's.
    note(page).get_by_role("button").click()
    expect(note(page)).to_be_hidden()
    expect(source(page)).to_have_text(source_text(EXAMPLES[0]))
    assert status(page) == shown
    drop(page, "poem.npz", saved(poet.trace("我爱你。"), tmp_path / "poem.npz"))
    expect(page.get_by_role("figure")).to_have_count(1)
    expect(note(page)).to_contain_text("gives the same")
    page.go_back()
    expect(source(page)).to_have_text(source_text(EXAMPLES[0]))
    expect(note(page)).to_be_hidden()


def test_of_other_weights_only_what_the_trace_tells_is_told(
    open_page: Open, trace: AttentionTrace, tmp_path: Path
) -> None:
    page = open_page(query="?tab=heads&measure=entropy&words=attention", reduced_motion="reduce")
    panel = page.get_by_role("tabpanel")
    panel.scroll_into_view_if_needed()
    table = panel.get_by_role("region", name="All heads")
    expect(table.get_by_role("row")).to_have_count(25)
    asked: list[str] = []

    def listen(request: Request) -> None:
        if request.method == "POST":
            asked.append(json.loads(request.post_data or "{}").get("ask", ""))

    page.on("request", listen)
    other = dataclasses.replace(trace, checkpoint="0123456789ab")
    drop(page, "other.json", saved(other, tmp_path / "other.json"))
    reason = "This file's model, “en-zh”, has other weights here."
    expect(note(page)).to_contain_text(reason)
    # Heads: measured here, and no other trace's.
    refused = panel.get_by_role("alert").filter(has_text=reason)
    expect(refused.first).to_be_visible()
    rows = table.get_by_role("row").all()[1:]
    shown = [float(row.get_by_role("cell").all_inner_texts()[3]) for row in rows]
    measured = inside.statistics(trace)
    expected = [
        entropy
        for of in (measured.encoder_self, measured.decoder_self, measured.cross)
        for entropy in (of.entropy.ravel() if of else ())
    ]
    assert shown == pytest.approx(expected, abs=0.006)
    for tab, seen in (
        ("Why this word", panel.get_by_role("img", name=re.compile("word by word"))),
        ("Layers", panel.get_by_role("img", name=re.compile("^Attention rollout"))),
    ):
        page.get_by_role("tab", name=tab, exact=True).click()
        if tab == "Layers":  # the address opens the other
            folded(panel).last.click()
        expect(refused.first).to_be_visible()
        expect(seen.first).to_be_visible()
    for tab in ("Model", "Training"):
        page.get_by_role("tab", name=tab, exact=True).click()
        expect(refused.first).to_be_visible()
    expect(panel.get_by_role("slider")).to_have_count(0)
    # What is worked out of a head's queries and keys: in the Model tab, and in the tour.
    page.get_by_role("button", name="Tour").click()
    tour = page.get_by_role("complementary", name="Tour")
    formula = tour.get_by_role("status", name="The formula, on your sentence")
    for stop in range(2, 7):
        tour.get_by_role("button", name="Next").click()
        expect(tour.get_by_role("heading")).to_contain_text(f"{stop} / 12")
        expect(formula).to_have_text(reason)
    expect(panel.locator(".explained").get_by_role("alert")).to_have_text(reason)
    expect(panel.locator(".explained tbody td")).to_have_count(0)
    assert set(asked) <= {"trace"}, "the model was asked whether it says the same, and nothing else"


def test_what_is_no_trace_is_refused_in_a_sentence_and_nothing_is_lost(
    page: Page, trace: AttentionTrace, tmp_path: Path
) -> None:
    shown = status(page)
    whole = saved(trace, tmp_path / "trace.json")
    doubled = json.loads(whole)
    assert trace.cross is not None
    doubled["cross"]["data"] = base64.b64encode((2 * trace.cross).tobytes()).decode()
    refused = {
        "paper.pdf": (b"%PDF-1.7 ...", "is no file that opens here"),
        "half.json": (whole[: len(whole) // 2], "is incomplete or damaged"),
        "half.npz": (saved(trace, tmp_path / "x.npz")[:-100], "is incomplete or damaged"),
        "page.html": (saved(trace, tmp_path / "x.html"), "open it in the browser"),
        "new.json": (whole.replace(b'"version": 1', b'"version": 3'), "of version 3; this page"),
        "wrong.json": (json.dumps(doubled).encode(), "a row of cross adds up to 2, not to 1"),
        HOSTILE: (b"{}", f"“{HOSTILE}” is no file"),
    }
    for name, (content, sentence) in refused.items():
        drop(page, name, content)
        expect(alert(page)).to_contain_text(sentence)
        expect(alert(page)).to_contain_text(name)
        assert status(page) == shown
        expect(page.locator(".dropping")).to_have_count(0)
    # What is asked for next takes the sentence away.
    translate(page, SENTENCE)
    expect(alert(page)).to_be_hidden()


def test_the_button_opens_one_too_and_its_text_is_no_markup(
    open_page: Open, trace: AttentionTrace, tmp_path: Path
) -> None:
    page = open_page(375)
    hostile = dataclasses.replace(
        trace, model=HOSTILE, source=HOSTILE, src=(HOSTILE, *trace.src[1:])
    )
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="More: Cross-attention").press("Enter")
        page.get_by_role("button", name="Open a saved trace or report").press("Enter")
    content = saved(hostile, tmp_path / "x.json")
    chooser.value.set_files(FilePayload(name="x.json", mimeType="", buffer=content))
    expect(note(page)).to_contain_text(f"model, “{HOSTILE}”, is not installed here.")
    expect(source(page).get_by_role("option").first).to_have_text(HOSTILE)
    expect(page.locator("img[src=x]")).to_have_count(0)
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0


class Forgetful(nn.Module):
    """A decoder whose writer forgot the causal mask."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(20, 16)
        self.positions = nn.Embedding(16, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.out = nn.Linear(16, 20)

    def forward(self, ids: Tensor) -> Tensor:
        positions = self.positions(torch.arange(ids.shape[1]))
        return self.out(self.layer(self.tokens(ids) + positions))


def test_a_report_of_ones_own_model_is_shown_and_left_again(
    open_page: Open, tmp_path: Path
) -> None:
    torch.manual_seed(1)
    report = check(Forgetful(), torch.randint(3, 20, (4, 8)))
    assert "future_leak" in report.codes
    report.save(tmp_path / "report.json")
    saved_report = (tmp_path / "report.json").read_bytes()
    report.save(tmp_path / "report.html")
    page = open_page(375)
    shown, address = status(page), page.url
    drop(page, "report.html", (tmp_path / "report.html").read_bytes())
    view = page.get_by_role("main", name="Check report")
    expect(view.get_by_role("heading", name="Check of Forgetful")).to_be_focused()
    (finding,) = (each for each in report.findings if each.code == "future_leak")
    message = view.get_by_role("listitem").filter(has_text="future_leak")
    for text in ("error", finding.sentence, finding.evidence, finding.hint):
        expect(message).to_contain_text(text)
    for code in report.unknown:
        expect(view.get_by_text(code, exact=True)).to_be_visible()
    assert any('kind="encoder"' in note for note in report.notes)
    for text in (*report.notes, *report.reasons.values()):
        expect(view).to_contain_text(text)
    # Measured: every position sees every token, so that no cell is bare paper or hatched.
    (seen,) = report.seen
    name = "Which target tokens change the logits at each position"
    picture = view.get_by_role("img", name=name, exact=True).first  # beside the finding
    view.locator("details", has=page.locator("summary")).first.locator("summary").click()
    cells = view.get_by_role("table", name=name).locator("td")
    expect(cells).to_have_count(len(seen.tokens) * len(seen.positions))
    assert min(min(row) for row in seen.change) > 0
    expect(view.locator("td.hatched")).to_have_count(0)
    drawn = canvas_cells(picture, len(seen.positions), len(seen.tokens))
    assert len({tuple(pixels[0]) for row in drawn for pixels in row}) > 2
    # Recorded: the second head's first row, as the file has it.
    heads = view.get_by_role("combobox", name="Attention and head")
    heads.select_option(index=1)
    expect(view.get_by_role("img", name=re.compile("layer 1, head 2$"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert violations(page) == []
    # The picture's own keys rest, and another language keeps what is shown.
    page.keyboard.press("Home")
    page.get_by_label("Language").select_option("中文")
    expect(page.get_by_role("heading", name="Forgetful 的检查结果")).to_be_visible()
    expect(page.get_by_role("combobox", name="注意力与头")).to_have_value("1")
    expect(page.get_by_text(finding.sentence)).to_have_attribute("lang", "en")
    page.get_by_label("语言").select_option("English")
    note(page).get_by_role("button").click()
    expect(view).to_be_hidden()
    assert (status(page), page.url) == (shown, address)
    # The browser's own way back leads there, too; and a hostile text is text.
    changed = json.loads(saved_report)
    changed["model"] = changed["findings"][0]["hint"] = changed["findings"][0]["code"] = HOSTILE
    drop(page, HOSTILE, json.dumps(changed).encode())
    expect(view).to_contain_text(HOSTILE)
    expect(page.locator("img[src=x]")).to_have_count(0)
    page.go_back()
    expect(view).to_be_hidden()
    expect(page.get_by_role("status", name="Step status")).to_have_text(shown)
