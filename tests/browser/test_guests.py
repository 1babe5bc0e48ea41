"""Guests on the page, live: one of each form, with random weights, opened from folders."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from playwright.sync_api import Page, Request, expect

from headlight.programs import service
from tests.browser.conftest import Open, Visitors
from tests.browser.helpers import translation
from tests.guests.folders import FORMS
from tests.serving.asking import ask

Show = Callable[[str, str], Page]

TEXT = "The bank of the river was muddy."


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """A folder of each form, named to the page's server, which has begun no process."""
    root = tmp_path_factory.mktemp("guests")
    paths = {form: make(root / f"my-{form}") for form, make in FORMS.items()}
    for folder in paths.values():
        service.guests.add(str(folder))
    # The process begins before anybody waits for a page.
    while "waiting" in ask(service, {"ask": "trace", "model": "my-pair", "source": TEXT}):
        pass
    yield paths
    for folder in paths.values():
        service.guests.forget(folder.name)


@pytest.fixture
def show(open_page: Open, folders: dict[str, Path]) -> Show:
    """The page of a guest and a text, once its picture is there."""

    def show(form: str, query: str) -> Page:
        page = open_page(query=f"?model={folders[form].name}&{query}")
        expect(page.get_by_role("status", name="Step status")).not_to_be_empty(timeout=90_000)
        return page

    return show


def model_of(folder: Path, auto: Any) -> tuple[Any, Any]:
    """What transformers itself loads from a folder."""
    return auto.from_pretrained(folder).eval(), transformers.AutoTokenizer.from_pretrained(folder)


def candidates(page: Page) -> list[tuple[str, float]]:
    """What stands in the list of candidates."""
    rows = page.get_by_role("list", name="Candidates").get_by_role("listitem")
    texts = [row.inner_text().split("\n") for row in rows.all() if row.is_visible()]
    return [(text[0], float(text[-1])) for text in texts]


def test_until_a_guest_is_here_the_page_says_how_far_it_is_and_can_be_left(
    visitors: Visitors, address: str, folders: dict[str, Path]
) -> None:
    page = visitors.context(locale="en-US").new_page()
    place = {"ahead": 0, "seconds": 0, "stage": "fetching", "received": 30e6, "total": 120e6}
    asked = "**/headlight/answer"
    page.route(asked, lambda route: route.fulfill(json={"waiting": place}))
    page.goto(f"{address}?model={folders['encoder'].name}&source={TEXT}")
    bar = page.get_by_role("progressbar")
    expect(bar).to_have_js_property("value", 0.25)
    expect(page.get_by_role("status").filter(has_text="is being fetched")).to_have_count(1)
    expect(page.get_by_text("Encoder alone · guesses hidden words")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(bar).to_be_hidden()
    expect(page.get_by_role("alert").filter(has_text="This was cancelled")).to_be_visible()
    box = page.get_by_role("textbox", name="Text", exact=True)
    expect(box).to_have_attribute("aria-invalid", "false")  # who ends it has not mistyped
    page.unroute(asked)
    page.get_by_role("button", name="Read").click()
    expect(page.get_by_role("status", name="Step status")).to_contain_text("Token")
    page.close()


def test_what_one_model_could_not_read_is_not_said_of_the_next(
    open_page: Open, folders: dict[str, Path]
) -> None:
    page = open_page(query="?source=Je ne sais pas lire cette phrase.")
    doubt = page.get_by_role("status", name="About this sentence")
    expect(doubt).not_to_be_empty()
    asked = "**/headlight/answer"
    page.route(asked, lambda route: route.fulfill(json={"waiting": {"ahead": 0, "seconds": 0}}))
    page.get_by_role("combobox", name="Model").select_option(folders["encoder"].name)
    expect(page.get_by_text("is being loaded")).to_be_visible()
    expect(doubt).to_be_empty()
    page.unroute(asked)


def test_the_step_that_is_shown_is_among_the_columns_of_a_long_table(show: Show) -> None:
    page = show("decoder", "source=The bank of&tab=layers&step=30")
    lens = page.get_by_role("table", name="What can be read off each layer (logit lens)")
    columns = lens.get_by_role("columnheader")
    expect(columns.nth(30)).to_be_in_viewport(ratio=0.9)
    page.keyboard.press("Home")
    expect(columns.nth(1)).to_be_in_viewport(ratio=0.9)
    expect(columns.nth(30)).not_to_be_in_viewport()


def test_an_encoder_is_walked_and_guesses_what_is_hidden(
    show: Show, folders: dict[str, Path]
) -> None:
    page = show("encoder", f"source={TEXT}&step=4")
    status = page.get_by_role("status", name="Step status")
    expect(status).to_have_text("Token 4 of 10: ␣of")
    expect(page.get_by_role("list", name="Candidates")).to_be_hidden()
    expect(page.get_by_text("Hide a word to see what the model would put there: ")).to_be_visible()
    legend = page.get_by_role("region", name="Legend")
    expect(legend).to_contain_text("Current token")
    expect(legend.get_by_text("Current step")).to_have_count(0)
    page.get_by_role("option", name="river").click()
    page.get_by_role("button", name="Hide “river”").click()
    expect(status).to_have_text("Token 6 of 10: [MASK]")
    expect(page).to_have_url(re.compile("hidden=6"))
    model, tokenizer = model_of(folders["encoder"], transformers.AutoModelForMaskedLM)
    ids = tokenizer(TEXT, return_tensors="pt").input_ids
    ids[0, 5] = tokenizer.mask_token_id
    with torch.no_grad():
        best = model(input_ids=ids).logits[0, 5].softmax(-1).topk(5)
    guesses = candidates(page)
    assert [round(it, 2) for it in best.values.tolist()] == [it for _, it in guesses]
    wanted = [it.removeprefix("##") for it in tokenizer.convert_ids_to_tokens(best.indices)]
    assert [token.removeprefix("␣") for token, _ in guesses] == wanted
    page.get_by_role("list", name="Candidates").get_by_role("button").first.click()
    put = TEXT.replace("river", wanted[0])
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value(put)
    expect(page.get_by_role("option", name="[MASK]")).to_have_count(0)
    # What it has not is not there, rather than empty.
    for absent in ("Decoding", "Continuation", "Translation"):
        expect(page.get_by_text(absent, exact=True)).to_be_hidden()
    for tab in ("Why this word", "Training"):
        expect(page.get_by_role("tab", name=tab)).to_be_hidden()


def test_an_encoder_is_asked_about_what_is_hidden_from_it(
    show: Show, folders: dict[str, Path]
) -> None:
    page = show("encoder", f"source={TEXT}&hidden=3&tab=layers")
    model, tokenizer = model_of(folders["encoder"], transformers.AutoModelForMaskedLM)
    ids = tokenizer(TEXT, return_tensors="pt").input_ids
    typed = int(ids[0, 2])
    ids[0, 2] = tokenizer.mask_token_id
    with torch.no_grad():
        output = model(input_ids=ids, output_hidden_states=True)
        first = model.cls(output.hidden_states[1])[0, 2].softmax(-1)
        last = output.logits[0, 2].softmax(-1)
    lens = page.get_by_role("table", name="What can be read off each layer (logit lens)")
    shares = [re.compile(f"^{it.max():.2f} · ") for it in (first, last)]
    expect(lens.get_by_role("cell").locator(".how")).to_have_text(shares)
    expect(lens.get_by_role("columnheader")).to_have_text(["layer", "[MASK] →␣bank"])
    page.get_by_role("tab", name="Why this word").click()
    expect(page.get_by_label("Reading", exact=True)).to_have_value("gradients")
    expect(page.get_by_text(f"log p({tokenizer.decode([typed])})", exact=False)).to_contain_text(
        re.sub("-", "−", f"{last[typed].log():.2f}")
    )
    page.get_by_role("tab", name="Heads").click()
    page.locator("summary", has_text="Patching").click()
    page.get_by_label("Other sentence (B)").fill(TEXT.replace("river", "money"))
    page.keyboard.press("Enter")
    moved = page.get_by_role("combobox", name="Answer that is to move")
    expect(moved).to_have_text(re.compile("^word 3: bank → "))
    for title in ("One head at a time", "One position at a time: what a layer hands on there"):
        expect(page.get_by_role("heading", name=title)).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "blocks", "sizes"),
    [
        ("chat", ["RMSNorm", "Feed-forward, gated"], "groups · d_ff = 32 · rotary positions"),
        ("encoder", ["LayerNorm", "Position", "Hidden token"], "learnt positions, added"),
    ],
)
def test_the_picture_of_a_guest_has_its_own_blocks(
    show: Show, folders: dict[str, Path], form: str, blocks: list[str], sizes: str
) -> None:
    page = show(form, f"source={TEXT}&tab=model")
    model, _ = model_of(folders[form], transformers.AutoModel)
    panel = page.get_by_role("tabpanel", name="Model")
    expect(panel).to_contain_text(sizes)
    picture = panel.get_by_role("group", name="Model")
    for block in blocks:
        expect(picture.get_by_role("button", name=re.compile(block)).first).to_be_visible()
    # What it has not is not drawn.
    decodes = int(form == "chat")
    expect(picture.get_by_role("button", name=re.compile("Position"))).to_have_count(1 - decodes)
    expect(picture.get_by_role("button", name=re.compile("Next token"))).to_have_count(decodes)
    picture.get_by_role("button", name=re.compile("layer 1: Feed-forward")).first.click()
    layer = model.layers[0].mlp if decodes else model.encoder.layer[0]
    parts = [layer] if decodes else [layer.intermediate, layer.output.dense]
    count = sum(it.numel() for part in parts for it in part.parameters())
    expect(panel.get_by_role("region", name="Open block")).to_contain_text(f"{count:,} parameters.")


@pytest.mark.slow
def test_the_tour_leads_a_guest_through_what_it_has(show: Show) -> None:
    page = show("decoder", "source=The bank of&tour=1")
    tour = page.get_by_role("complementary", name="Tour")
    heading = tour.get_by_role("heading", level=2)
    stops = ["Tokens", "Masks", "Mixing values", "Decoder", "Probabilities", "What the first token"]
    stops.append("Looking up what came next")
    onward = tour.get_by_role("button", name=re.compile("→$"))
    for place, stop in enumerate(stops, 1):
        expect(heading).to_have_text(re.compile(f"^{place} / 7 · {stop}"))
        expect(tour.get_by_role("alert").filter(has_text=re.compile(r"\w"))).to_have_count(0)
        expect(tour.get_by_text("This can be asked of")).to_have_count(0)
        # Its question is there, and has one answer.
        guesses = tour.get_by_role("group", name="Your guess").get_by_role("button")
        if place > 1:  # no token of this text is one that nobody typed
            guesses.first.click()
            expect(guesses.filter(has_text="✓")).not_to_have_count(0)
        onward.click()
    # What was learnt is put to use: the exercises that suit it.
    exercises = page.get_by_role("complementary", name="Exercises")
    title = exercises.get_by_role("heading", level=2)
    expect(title).to_have_text("1 / 7 · Looking back")
    exercises.get_by_role("button", name="Next →").click()
    expect(title).to_have_text("2 / 7 · Where heads rest")
    expect(exercises).to_contain_text("Many heads then rest on the first token, here The,")


def test_the_tour_of_an_encoder_asks_what_suits_it(show: Show) -> None:
    page = show("encoder", f"source={TEXT}&tour=1")
    tour = page.get_by_role("complementary", name="Tour")
    guesses = tour.get_by_role("group", name="Your guess").get_by_role("button")
    guesses.filter(has_text="[CLS]").click()
    expect(guesses.filter(has_text="✓")).to_have_count(2)
    onward = tour.get_by_role("button", name=re.compile("→$"))
    onward.click()
    expect(tour).to_contain_text("2 / 3 · Masks")
    expect(tour).to_contain_text("An encoder hides nothing")
    guesses.filter(has_text="10").click()
    expect(tour).to_contain_text("Right: 10.")
    onward.click()
    guesses.first.click()
    expect(guesses.filter(has_text="✓")).not_to_have_count(0)
    onward.click()
    exercises = page.get_by_role("complementary", name="Exercises")
    expect(exercises).to_contain_text("1 / 3 · Looking back")
    exercises.get_by_role("button", name="Next →").click()
    expect(exercises).to_contain_text("Many heads then rest on the last token, [SEP].")
    exercises.get_by_role("button", name="Next →").click()
    expect(exercises).to_contain_text("3 / 3 · The hidden word")
    judged = exercises.get_by_role("status", name="What the page sees")
    expect(judged).to_be_hidden()  # nothing is hidden yet
    page.get_by_role("option", name="river").click()
    page.get_by_role("button", name="Hide “river”").click()
    expect(judged).to_be_visible()
    guess, share = candidates(page)[0]
    expect(judged).to_contain_text(f"␣river stood, the model's first guess is {guess} ({share:.2f}")


@pytest.mark.slow
def test_an_encoder_in_a_file_is_an_encoder(show: Show, visitors: Visitors, tmp_path: Path) -> None:
    page = show("encoder", f"source={TEXT}&hidden=3")
    page.get_by_role("button", name="More: Encoder self-attention").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="HTML page that replays it").click()
    download.value.save_as(tmp_path / "encoder.html")
    file = visitors.context(locale="en-US", offline=True).new_page()
    file.goto((tmp_path / "encoder.html").as_uri())
    status = file.get_by_role("status", name="Step status")
    expect(status).to_have_text("Token 3 of 10: [MASK]")
    expect(file.get_by_text("Guesses for the hidden word")).to_be_visible()
    assert candidates(file) == candidates(page)
    file.keyboard.press("ArrowRight")
    expect(status).to_have_text("Token 4 of 10: ␣of")
    expect(file.get_by_role("list", name="Candidates")).to_be_hidden()
    file.close()


def test_a_second_text_is_read_with_the_first(show: Show, folders: dict[str, Path]) -> None:
    page = show("encoder", f"source={TEXT}&step=3")
    page.get_by_label("Second text (B)").fill("We read it again.")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"second=We\+read\+it\+again"))
    status = page.get_by_role("status", name="Step status")
    expect(status).to_have_text(re.compile("^Token 3 of "))
    expect(page.locator(".headlight.typing")).to_have_count(0)
    among = page.get_by_role("group", name="Sentences")
    among.get_by_role("button", name="A → B").click()
    expect(page).to_have_url(re.compile("pair=ab"))
    _, tokenizer = model_of(folders["encoder"], transformers.AutoModelForMaskedLM)
    both = tokenizer.convert_ids_to_tokens(tokenizer(TEXT, "We read it again.").input_ids)
    expect(status).to_contain_text(f"of {len(both)}")


def test_a_decoder_goes_on_with_a_prompt_as_generate_does(
    show: Show, folders: dict[str, Path]
) -> None:
    page = show("decoder", "source=The bank of")
    model, tokenizer = model_of(folders["decoder"], transformers.AutoModelForCausalLM)
    ids = tokenizer("The bank of", return_tensors="pt").input_ids
    settings = {"max_new_tokens": 32, "do_sample": False, "pad_token_id": 0}
    with torch.no_grad():
        written = model.generate(ids, attention_mask=torch.ones_like(ids), **settings)
        logits = model(input_ids=ids).logits[0, -1]
    continued = page.locator("output[for=source]")
    text = tokenizer.decode(written[0], skip_special_tokens=True)
    assert continued.text_content() == text.strip()
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    chosen = [it for _, it in candidates(page)]
    best = logits.softmax(-1).topk(5).values.tolist()
    assert chosen == [round(it, 2) for it in best]
    # At another temperature, as transformers would have it; and as it was.
    slider = page.get_by_role("slider", name="Temperature")
    slider.fill("0.5")
    cold = (logits / 0.5).softmax(-1).topk(5).values.tolist()
    numbers = page.get_by_role("list", name="Candidates").locator(".number:visible")
    expect(numbers).to_have_text([f"{it:.2f}" for it in cold])
    page.get_by_role("button", name="as decoded").click()
    # Another candidate, and a head that is switched off.
    page.get_by_role("list", name="Candidates").get_by_role("button").nth(1).click()
    expect(page).to_have_url(re.compile("prefix="))
    page.get_by_role("button", name=re.compile("^Switch off")).first.click()
    expect(page).to_have_url(re.compile("off=decoder_self"))
    expect(page.get_by_role("alert").filter(has_text=re.compile(r"\w"))).to_have_count(0)


def test_an_encoder_decoder_writes_and_is_asked_the_questions_that_suit_it(show: Show) -> None:
    page = show("pair", f"source={TEXT}")
    expect(page.get_by_role("heading", name="Output")).to_be_visible()
    page.get_by_role("combobox", name="Task").select_option("translate English to German: ")
    box = page.get_by_role("textbox", name="Text", exact=True)
    expect(box).to_have_value(f"translate English to German: {TEXT}")
    page.get_by_role("tab", name="Heads").click()
    page.get_by_role("button", name="Switch off every head in turn").click()
    page.get_by_role("combobox", name="Map of").select_option("harm")
    expect(page.get_by_role("cell", name=re.compile(r"\d"))).not_to_have_count(0)
    lacking = page.get_by_role("list", name="What this model is not asked")
    expect(lacking).to_contain_text("Where did it learn this?")
    expect(lacking).to_contain_text("This is asked of the models that came along.")
    # It is asked why by the readings that it has, for its token alone.
    page.get_by_role("tab", name="Why this word").click()
    why = page.get_by_role("region", name="Why this token, and not that one?")
    expect(why.get_by_role("img", name="Leave one word out, word by word")).to_be_visible()
    expect(why.get_by_role("combobox", name="and not")).to_be_hidden()
    why.get_by_role("combobox", name="Reading").select_option("Contributions (ALTI+)")
    expect(why.get_by_role("note")).to_have_text("This is asked of the models that came along.")
    expect(why.get_by_role("img")).to_have_count(0)
    page.get_by_role("button", name="Model card").click()
    card = page.get_by_role("dialog", name="my-pair")
    expect(card).to_contain_text("t5 (T5ForConditionalGeneration)")
    expect(card).to_contain_text("folder my-pair on the server's machine")
    expect(card).not_to_contain_text("/")


def test_a_few_words_beside_many_stay_in_sight(show: Show) -> None:
    page = show("pair", "source=I love you.&step=64")
    expect(page.get_by_role("status", name="Step status")).to_contain_text("Step 64 of 64")
    words = page.get_by_role("listbox", name="Source").get_by_role("option")
    for key in ("End", "Home"):
        page.keyboard.press(key)
        for word in (words.first, words.last):
            expect(word).to_be_in_viewport(ratio=1)


def test_a_chat_marks_what_nobody_typed(show: Show) -> None:
    page = show("chat", "source=Where is it?&chat=on&step=2")
    expect(page.get_by_text("<|user|>Where is it?<|end|><|assistant|>")).to_be_visible()
    words = page.get_by_role("listbox", name="Read so far")
    template = words.locator(".template")
    expect(template).to_have_text(["<|user|>", "<|end|>", "<|assistant|>"])
    page.get_by_role("checkbox", name="as a chat").uncheck()
    expect(template).to_have_count(0)
    expect(page).not_to_have_url(re.compile("chat="))


def test_a_large_trace_brings_a_head_when_it_is_shown(
    show: Show, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service.guests, "most_whole", 0)
    text = "She put the money in the bank of the river."
    asked: list[tuple[str, ...]] = []

    def hear(request: Request) -> None:
        sent: Any = request.post_data_json if request.url.endswith("/answer") else {}
        if "heads" in sent:
            asked.append((sent["ask"], *sent["heads"]))

    page = show("decoder", "source=I%20love&decoder_self=L1H2&tables=decoder_self")
    page.on("request", hear)
    box = page.get_by_role("textbox", name="Prompt")
    box.fill(text)
    box.press("Enter")
    model, tokenizer = model_of(folders["decoder"], transformers.AutoModelForCausalLM)
    ids = tokenizer(text, return_tensors="pt").input_ids
    model.set_attn_implementation("eager")
    with torch.no_grad():
        own = model(ids, output_attentions=True).attentions
    figure = page.get_by_role("figure", name="Decoder self-attention")

    def shows(weights: Any) -> None:
        for query in (1, ids.size(1) - 1):
            row = figure.get_by_role("table").get_by_role("row").nth(query + 1)
            weight = float(weights[query, query])
            expect(row.get_by_role("cell").nth(query)).to_have_text(f"{weight:.2f}")

    def named(layer: int, *heads: int) -> tuple[str, ...]:
        return tuple(f"decoder_self.L{layer}H{head}" for head in heads)

    # What is shown comes along; then those of its layer, of another head it and its layer's.
    shows(own[0][0, 1])
    figure.get_by_role("gridcell", name="Layer 2, head 3", exact=True).click()
    shows(own[1][0, 2])
    first = asked.index(("trace", *named(1, 2)))
    assert asked[first + 1 : first + 3] == [
        ("weights", *named(1, 1, 3, 4)),
        ("weights", *named(2, 3)),
    ]
    expect(page.get_by_role("alert").filter(has_text=re.compile(r"\w"))).to_have_count(0)


def test_a_link_to_a_guest_that_is_not_here_says_what_to_start(open_page: Open) -> None:
    page = open_page(query="?model=org/other&source=I love you.")
    expect(page.locator("#problem")).to_contain_text("headlight org/other")


def test_first_page_lists_guests_and_is_what_it_was(folders: dict[str, Path]) -> None:
    answer = ask(service, {"ask": "page"})
    assert [it["name"] for it in answer["models"]][:4] == [it.name for it in folders.values()]
    assert answer["model"] == "en-zh"
    assert str(folders["pair"].parent) not in json.dumps(answer)


def test_what_an_encoder_cannot_be_asked_is_no_panel_of_the_presenter_and_said_at_once(
    show: Show,
) -> None:
    page = show("encoder", f"source={TEXT}&tab=why")
    reason = page.get_by_text("This is asked of a hidden word: hide one first.")
    expect(reason).to_be_in_viewport()
    page.get_by_role("tab", name="Model").click()
    page.get_by_role("button", name="Presenter").click()
    panels = page.get_by_role("navigation", name="Presenter").get_by_role("button")
    expect(panels.filter(has_text="Heads")).to_be_visible()
    for tab in ("Why this word", "Training"):
        expect(panels.filter(has_text=tab)).to_be_hidden()
    page.keyboard.press("8")
    expect(panels.filter(has_text="Model")).to_have_attribute("aria-pressed", "true")


def test_what_follows_a_long_prompt_is_in_sight(show: Show) -> None:
    page = show("decoder", "source=" + "The keys to the cabinet are on the table. " * 6)
    box = translation(page)
    expect(box.locator(".prompt")).not_to_be_empty()
    page.wait_for_function(
        """() => {
          const box = document.querySelector(".translated output");
          const end = [...box.querySelector(".prompt").getClientRects()].at(-1);
          const { top, bottom } = box.getBoundingClientRect();
          return box.scrollTop > 0 && end.top >= top - 1 && end.bottom <= bottom;
        }"""
    )
