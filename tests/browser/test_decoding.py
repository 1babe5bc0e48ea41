"""Branching on a candidate, sampling, a decoder-only model, the pace."""

import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import EXAMPLES, LIMIT, Open, Words
from tests.browser.helpers import REQUEST, leave_box, sentence, translation
from transformer import Translator
from transformer.trace.sampling import Sampling
from transformer.trace.trace import AttentionTrace

pytestmark = pytest.mark.usefixtures("without_gradio")

PROMPT = "我爱你。"


@pytest.fixture
def branch_once(page: Page, translator: Translator) -> tuple[AttentionTrace, AttentionTrace]:
    """Chooses another token at step 3 of the first example; the trunk and the branch."""
    trunk = translator.trace(EXAMPLES[0])
    return trunk, branch(page, trunk, translator, 3, Words(ASSETS, "en"))


ASSETS = Path(__file__).parents[2] / "assets"


def candidates(page: Page, t: Words) -> Locator:
    """The buttons of the list."""
    return page.get_by_role("list", name=t("candidates"), exact=True).get_by_role("button")


def branch(
    page: Page, trunk: AttentionTrace, translator: Translator, step: int, t: Words
) -> AttentionTrace:
    """Chooses the first candidate that was not emitted, and waits for what it leads to."""
    page.get_by_role("slider", name=t("step.slider"), exact=True).fill(str(step))
    ids = [candidate.id for candidate in trunk.candidates[step - 1]]
    other = next(i for i, token in enumerate(ids) if token != trunk.tgt_ids[step - 1])
    candidates(page, t).nth(other).click()
    given = trunk.prefix_length if trunk.encoder_self is None else 0
    prefix = [*trunk.tgt_ids[given : step - 1], ids[other]]
    expected = translator.trace(trunk.source, prefix=prefix, sampling=trunk.sampling)
    expect(target(page, t)).to_have_text(["<s>", *expected.tgt_out])
    return expected


def target(page: Page, t: Words, key: str = "tokens.target") -> Locator:
    return page.get_by_role("list", name=t(key), exact=True).get_by_role("listitem")


def lines(page: Page, t: Words) -> Locator:
    return page.get_by_role("list", name=t("branches"), exact=True).get_by_role("listitem")


def test_candidates_show_the_distribution_that_was_sampled(
    open_page: Open, assets: Path, translator: Translator
) -> None:
    t = Words(assets, "en")
    trace = translator.trace(EXAMPLES[0], sampling=Sampling(0.3, 2, 5))
    page = open_page(query="?sampling=0.3-2-5&step=1")
    own, drawn = trace.candidates[0][0].probability, trace.candidates[0][0].drawn
    assert drawn is not None
    assert drawn > own + 0.1, "a low temperature makes the likely likelier"
    first = candidates(page, t).first
    expect(first).to_have_text(f"{trace.candidates[0][0].token}{drawn:.2f}")
    expect(first).to_have_attribute("title", t("candidates.own", probability=f"{own:.2f}"))
    expect(candidates(page, t).nth(2)).to_have_text(f"{trace.candidates[0][2].token}0")
    bar = first.locator(".bar")
    shares = bar.evaluate(
        "({ style }) => ['--share', '--own'].map((s) => style.getPropertyValue(s))"
    )
    assert list(map(float, shares)) == pytest.approx([drawn, own], abs=1e-6)

    chosen = next(c for c in trace.candidates[0] if c.id == trace.tgt_ids[0])
    expected = t(
        "step.status_drawn",
        step=1,
        count=len(trace.tgt_out),
        reads="<s>",
        predicts=chosen.token,
        probability=f"{chosen.drawn:.2f}",
        own=f"{chosen.probability:.2f}",
    )
    expect(page.get_by_role("status", name=t("step.status_name"))).to_have_text(expected)
    page.get_by_role("button", name=t("sampling.heading")).click()
    page.get_by_role("button", name=t("sampling.greedy"), exact=True).click()
    expect(page.get_by_text(t("candidates.own_bar"))).to_be_hidden()


def test_a_candidate_branches_and_each_line_can_be_shown_again_and_closed(
    open_page: Open, assets: Path, translator: Translator
) -> None:
    page, t = open_page(locale="zh-CN"), Words(assets, "zh")
    trunk = translator.trace(EXAMPLES[0])
    expect(lines(page, t)).to_have_count(0)
    first = branch(page, trunk, translator, 3, t)

    step = page.get_by_role("slider", name=t("step.slider"), exact=True)
    expect(step).to_have_value("3")
    expect(lines(page, t)).to_have_count(2)
    expect(
        page.get_by_role("button", name=t("branches.branch", number=1), exact=True)
    ).to_have_attribute("aria-current", "true")
    chosen = next(c for c in first.candidates[2] if c.id == first.tgt_ids[2])
    expected = t(
        "step.status_given",
        step=3,
        count=len(first.tgt_out),
        reads=first.tgt_in[2],
        predicts=chosen.token,
        probability=f"{chosen.probability:.2f}",
    )
    expect(page.get_by_role("status", name=t("step.status_name"))).to_have_text(
        re.compile(re.escape(expected).replace(r"\ ", " ?"))  # none between two Chinese characters
    )
    given = target(page, t).locator(f"[title='{t('tokens.given')}']")
    expect(given).to_have_text([chosen.token])  # what stands before it the model chose itself
    # A branch's row begins where it parts from the trunk's.
    expect(lines(page, t).nth(1)).to_contain_text("".join(first.tgt_out[2:]))
    assert lines(page, t).nth(1).get_by_role("button").count() < len(first.tgt_out) + 3

    # Nothing that has been shown is asked for again.
    page.route(REQUEST, lambda route: route.abort())
    page.get_by_role("button", name=t("branches.trunk"), exact=True).click()
    expect(target(page, t)).to_have_text(["<s>", *trunk.tgt_out])
    expect(step).to_have_value("3")
    lines(page, t).nth(1).locator("button:has(.token)").last.click()
    expect(target(page, t)).to_have_text(["<s>", *first.tgt_out])
    expect(step).to_have_value(str(len(first.tgt_out)))
    page.unroute(REQUEST)

    # A branch of a branch goes with it.
    second = branch(page, first, translator, 5, t)
    expect(lines(page, t)).to_have_count(3)
    expect(translation(page)).to_have_text(second.translation)
    page.get_by_role(
        "button", name=t("branches.close", line=t("branches.branch", number=1))
    ).click()
    expect(lines(page, t)).to_have_count(0)
    expect(target(page, t)).to_have_text(["<s>", *trunk.tgt_out])
    expect(step).to_have_value("5")


def test_the_emitted_token_branches_nowhere(page: Page, translator: Translator) -> None:
    trunk, t = translator.trace(EXAMPLES[0]), Words(ASSETS, "en")
    page.get_by_role("slider", name="Step", exact=True).fill("2")
    index = [c.id for c in trunk.candidates[1]].index(trunk.tgt_ids[1])
    expect(candidates(page, t).nth(index)).to_be_disabled()
    expect(candidates(page, t).nth(index)).to_have_attribute("aria-current", "true")


@pytest.mark.usefixtures("branch_once")
def test_choosing_what_a_line_says_anyway_shows_that_line(page: Page) -> None:
    t = Words(ASSETS, "en")
    page.route(REQUEST, lambda route: route.abort())
    trunk = page.get_by_role("button", name="Trunk", exact=True)
    current = candidates(page, t).and_(page.locator("[aria-current]"))
    shown = current.inner_text()
    page.get_by_role("list", name="Branches").get_by_role(
        "button", name="Branch 1", exact=True
    ).click()
    expect(current).to_have_text(re.compile(re.escape(shown.split("\n")[0])))
    # The first candidate is what the trunk says here.
    candidates(page, t).first.click()
    expect(trunk).to_have_attribute("aria-current", "true")
    expect(lines(page, t)).to_have_count(2)


def test_two_lines_are_compared_token_by_token(
    page: Page, branch_once: tuple[AttentionTrace, AttentionTrace]
) -> None:
    t = Words(ASSETS, "en")
    trunk, other = branch_once
    compare = page.get_by_role("button", name=t("branches.compare", line="Trunk"))
    compare.click()
    expect(compare).to_have_attribute("aria-pressed", "true")
    expect(compare).to_be_focused()
    unmarked: list[list[str]] = []
    for row, trace in enumerate((trunk, other)):
        tokens = lines(page, t).nth(row).locator("button:has(mark, span > .token)")
        expect(tokens).to_have_text(list(trace.tgt_out))
        unmarked.append(tokens.locator("span > .token").all_inner_texts())
        expect(lines(page, t).nth(row).locator("mark")).not_to_have_count(0)
    # What is not marked, both say; and it is as much as two lines can share.
    assert unmarked[0] == unmarked[1]
    assert len(unmarked[0]) == longest_common(trunk.tgt_ids, other.tgt_ids)
    compare.click()
    expect(page.locator("mark:visible")).to_have_count(0)


def longest_common(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """The length of the longest common subsequence, by its recurrence."""
    best = [0] * (len(other) + 1)
    for a in one:
        row = [0]
        for j, b in enumerate(other):
            row.append(best[j] + 1 if a == b else max(row[j], best[j + 1]))
        best = row
    return best[-1]


def test_a_refused_branch_is_reported_beside_the_candidates(
    page: Page, complaints: list[str]
) -> None:
    t, before = Words(ASSETS, "en"), translation(page).inner_text()
    page.get_by_role("slider", name="Step", exact=True).fill("3")
    page.route(REQUEST, lambda route: route.abort())
    candidates(page, t).and_(page.locator(":enabled")).first.click()
    section = page.locator("section").filter(has=candidates(page, t)).last
    expect(section.get_by_role("alert")).to_contain_text("The server does not answer.")
    assert translation(page).inner_text() == before
    expect(lines(page, t)).to_have_count(0)
    page.unroute(REQUEST)
    candidates(page, t).and_(page.locator(":enabled")).first.click()
    expect(lines(page, t)).to_have_count(2)
    expect(section.get_by_role("alert")).to_be_hidden()
    assert all("ERR_FAILED" in text or "Failed to fetch" in text for text in complaints)
    complaints.clear()


def test_a_decoder_only_model_continues_a_prompt(
    open_page: Open, assets: Path, poet: Translator
) -> None:
    page, t = open_page(locale="zh-CN"), Words(assets, "zh")
    title = "诗人"
    page.get_by_role("combobox", name=t("model")).select_option(title)
    expect(page.get_by_role("textbox", name=t("prompt.label"), exact=True)).to_have_value(PROMPT)
    expect(page.get_by_role("button", name=t("continue"), exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name=t("continuation"), exact=True)).to_be_visible()
    trace = poet.trace(PROMPT)
    expect(target(page, t, "tokens.text")).to_have_text(["<s>", *trace.tgt_out])
    expect(translation(page)).to_have_text(trace.translation)

    given = target(page, t, "tokens.text").locator(f"[title='{t('tokens.given')}']")
    expect(given).to_have_text(list(trace.tgt_out[: trace.prefix_length]))
    step = page.get_by_role("slider", name=t("step.slider"), exact=True)
    step.fill(str(trace.prefix_length))
    expect(page.get_by_text(t("candidates.given"))).to_be_visible()
    message = sentence(page)
    expect(message).to_contain_text("读入")  # it was given that, and writes nothing yet
    expect(candidates(page, t).and_(page.locator(":enabled"))).to_have_count(0)
    step.fill(str(trace.prefix_length + 1))
    expect(page.get_by_text(t("candidates.hint"))).to_be_visible()
    expect(message).not_to_contain_text("读入")
    expect(candidates(page, t).and_(page.locator(":enabled"))).not_to_have_count(0)

    page.get_by_role("textbox", name=t("prompt.label"), exact=True).fill(" ")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").first).to_have_text(t("error.empty_prompt"))


def test_sampling_draws_by_temperature_top_k_and_seed(
    open_page: Open, assets: Path, poet: Translator
) -> None:
    page, t = open_page(query="?model=poet"), Words(assets, "en")
    shown = target(page, t, "tokens.text")

    def expect_drawn(sampling: Sampling | None) -> None:
        expect(shown).to_have_text(["<s>", *poet.trace(PROMPT, sampling=sampling).tgt_out])

    def field(name: str) -> Locator:
        return page.locator("#sampling").get_by_label(t(f"sampling.{name}"), exact=True)

    greedy = page.get_by_role("button", name=t("sampling.greedy"), exact=True)
    sampling = page.get_by_role("button", name=t("sampling.sampling"), exact=True)
    expect_drawn(None)
    page.get_by_role("button", name=t("sampling.heading")).click()
    expect(greedy).to_have_attribute("aria-pressed", "true")
    expect(field("seed")).to_be_hidden()

    sampling.click()
    expect(sampling).to_have_attribute("aria-pressed", "true")
    expect_drawn(Sampling(0.8, 0, 1))
    field("temperature").fill("1.5")
    expect_drawn(Sampling(1.5, 0, 1))
    field("top_k").fill("7")
    field("top_k").press("Enter")
    expect_drawn(Sampling(1.5, 7, 1))
    field("seed").fill("12")
    field("seed").press("Tab")
    expect_drawn(Sampling(1.5, 7, 12))

    field("top_k").fill("")
    field("top_k").press("Enter")
    expect_drawn(Sampling(1.5, 0, 12))
    field("top_p").fill("0.4")
    field("top_p").press("Enter")
    expect_drawn(Sampling(1.5, 0, 12, 0.4))
    page.wait_for_url("**sampling=1.5-0-12-0.4**", wait_until="commit")
    field("top_p").fill("1")
    field("top_p").press("Enter")
    expect(field("top_k")).to_have_attribute("placeholder", t("sampling.all"))

    for nonsense in ("-1", "1.5", ""):
        field("seed").fill(nonsense)
        field("seed").press("Tab")
        expect(field("seed")).to_have_attribute("aria-invalid", "true")
        expect(page.get_by_text(t("error.bad_sampling"))).to_be_visible()
    expect_drawn(Sampling(1.5, 0, 12))

    page.get_by_role("button", name=t("sampling.new_seed")).click()
    expect(field("seed")).to_have_attribute("aria-invalid", "false")
    expect_drawn(Sampling(1.5, 0, int(field("seed").input_value())))

    # A branch is drawn on with the same numbers; and greedy decoding is a click away.
    greedy.click()
    expect_drawn(None)
    expect(field("seed")).to_be_hidden()


def test_a_branch_of_a_sampled_text_is_drawn_like_it(open_page: Open, poet: Translator) -> None:
    page, t = open_page(query="?model=poet&sampling=1.2-0-5"), Words(ASSETS, "en")
    trunk = poet.trace(PROMPT, sampling=Sampling(1.2, 0, 5))
    step = trunk.prefix_length + 3
    page.get_by_role("slider", name="Step", exact=True).fill(str(step))
    ids = [c.id for c in trunk.candidates[step - 1]]
    other = next(i for i, token in enumerate(ids) if token != trunk.tgt_ids[step - 1])
    candidates(page, t).nth(other).click()
    prefix = [*trunk.tgt_ids[trunk.prefix_length : step - 1], ids[other]]
    expected = poet.trace(PROMPT, prefix=prefix, sampling=Sampling(1.2, 0, 5))
    expect(target(page, t, "tokens.text")).to_have_text(["<s>", *expected.tgt_out])


def test_the_pace_can_be_chosen(open_page: Open, assets: Path) -> None:
    # A clock is its context's: in one of their own, it stops no other test's pages.
    page, t = open_page(timezone_id="UTC"), Words(assets, "en")
    step = page.get_by_role("slider", name=t("step.slider"), exact=True)
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(hours=1))
    speed = page.get_by_role("combobox", name=t("step.speed"))
    expect(speed).to_be_hidden()
    page.get_by_role("button", name=t("step.play"), exact=True).click()
    speed.select_option("4×")
    page.clock.run_for(700)  # 225 ms a step
    expect(step).to_have_value("4")
    speed.select_option("0.5×")
    page.clock.run_for(1_700)  # 1800 ms a step
    expect(step).to_have_value("4")
    page.clock.run_for(200)
    expect(step).to_have_value("5")


def test_of_a_long_text_the_current_token_is_in_view(open_page: Open) -> None:
    page, t = open_page(375, "?model=poet"), Words(ASSETS, "en")
    track = page.get_by_role("list", name=t("tokens.text"), exact=True)
    expect(target(page, t, "tokens.text")).to_have_count(LIMIT + 1)
    rows = page.locator(".rows", has=track)
    assert rows.evaluate("rows => rows.scrollWidth > rows.clientWidth")
    leave_box(page)
    for key in ("Home", *["ArrowRight"] * 5, "End", *["ArrowLeft"] * 20, "Home"):
        page.keyboard.press(key)
        page.wait_for_function(
            """rows => {
                const outer = rows.getBoundingClientRect();
                const next = rows.querySelector(".predicted").getBoundingClientRect();
                return next.left >= outer.left - 1 && next.right <= outer.right + 1;
            }""",
            arg=rows.element_handle(),
        )


def test_a_comparison_has_a_name_and_a_key(open_page: Open, assets: Path) -> None:
    page, t = open_page(query="?step=1", locale="zh-CN"), Words(assets, "zh")
    candidates = page.get_by_role("list", name=t("candidates"), exact=True)
    candidates.get_by_role("button", disabled=False).first.click()
    compare = page.get_by_role("list", name=t("branches"), exact=True).get_by_text(
        t("branches.compare_short"), exact=True
    )
    expect(compare).to_be_visible()
    key = page.get_by_text(t("branches.key"))
    expect(key).to_be_hidden()
    compare.click()
    expect(key).to_be_visible()


def test_the_token_that_was_drawn_is_seen_among_the_candidates(open_page: Open) -> None:
    page = open_page(query="?sampling=2-0-3")
    rows = page.get_by_role("list", name="Candidates").get_by_role("listitem")
    slider = page.get_by_role("slider", name="Step", exact=True)
    hidden = 0
    for step in range(1, int(slider.get_attribute("max") or 0) + 1):
        slider.fill(str(step))
        chosen = rows.filter(has=page.locator("[aria-current=true]"))
        expect(chosen).to_be_visible()
        expect(rows.filter(visible=True)).to_have_count(5)
        hidden += chosen.evaluate("(row) => [...row.parentElement.children].indexOf(row)") > 4
    assert hidden, "some were drawn that are not among the five likeliest"
