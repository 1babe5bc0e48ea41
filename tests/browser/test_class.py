"""A class together: a teacher, a student on a phone, one by the keyboard, on pages of their own."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from headlight.page import rooms
from headlight.teacher import SETTING
from tests.browser.conftest import EXAMPLES, SCHOOL, Open, Visitors, Words
from tests.browser.helpers import violations
from transformer import Translator

pytestmark = pytest.mark.usefixtures("without_gradio")

PHONE = 375


@pytest.fixture(autouse=True)
def anybody_teaches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(SETTING, "1")
    yield
    rooms.stop()


def press(within: Page | Locator, name: str) -> None:
    # A page behind another one draws a frame a second, and what is pressed must lie still for two.
    (within.page if isinstance(within, Locator) else within).bring_to_front()
    within.get_by_role("button", name=name, exact=True).click()


def strip(page: Page, name: str = "Class") -> Locator:
    """The class's own, at the foot of the page."""
    return page.get_by_role("region", name=name, exact=True)


def status(page: Page) -> Locator:
    return strip(page).get_by_role("status", name="State of the class")


class Room:
    """One with its teacher, who has left the code for the picture."""

    def __init__(self, open_page: Open, query: str = "?step=2&presenter=on") -> None:
        self._open = open_page
        self.teacher = open_page(query=query)
        press(self.teacher, "Class")
        self.invitation = self.teacher.get_by_role("dialog", name="Class")
        self.code = self.invitation.locator(".letters").get_attribute("aria-label") or ""
        press(self.invitation, "Back to the page")
        expect(self.invitation).to_be_hidden()

    def student(self, width: int = PHONE, **options: Any) -> Page:
        page = self._open(width, f"?room={self.code.lower()}", **options)
        page.wait_for_function("document.querySelector('.seat [role=status]').textContent")
        return page

    def ask(self, name: str) -> None:
        press(strip(self.teacher), name)


@pytest.fixture
def room(open_page: Open) -> Room:
    return Room(open_page)


def step_of(page: Page) -> Locator:
    return page.get_by_role("status", name="Step status")


def test_a_class_follows_is_not_pulled_along_and_outlives_its_teachers_reload(room: Room) -> None:
    teacher, student = room.teacher, room.student()
    expect(status(teacher)).to_have_text("1 person is here")
    expect(status(student)).to_have_text(f"You follow class {room.code}.")
    expect(step_of(student)).to_contain_text("Step 2 of")
    teacher.keyboard.press("ArrowRight")
    expect(step_of(student)).to_contain_text("Step 3 of")
    late = room.student(1280)
    expect(step_of(late)).to_contain_text("Step 3 of")
    expect(status(teacher)).to_have_text("2 people are here")

    press(student, "Previous step")
    expect(status(student)).to_have_text("The class is at step 3.")
    teacher.keyboard.press("ArrowRight")
    expect(step_of(late)).to_contain_text("Step 4 of")
    expect(status(student)).to_have_text("The class is at step 4.")
    expect(step_of(student)).to_contain_text("Step 2 of")
    press(student, "Back to the class")
    expect(step_of(student)).to_contain_text("Step 4 of")
    expect(status(student)).to_have_text(f"You follow class {room.code}.")
    expect(student.locator("body")).not_to_have_class(re.compile("presenting"))

    teacher.bring_to_front()  # behind another page it writes its address late
    expect(teacher).to_have_url(re.compile("[?&]step=4"))
    teacher.reload()
    expect(status(teacher)).to_have_text("2 people are here")
    expect(strip(teacher).get_by_role("button", name=f"Class {room.code}")).to_be_visible()
    teacher.keyboard.press("ArrowLeft")
    expect(step_of(student)).to_contain_text("Step 3 of")


def test_where_will_it_look_is_asked_hidden_answered_and_revealed(
    room: Room, translator: Translator
) -> None:
    teacher, student = room.teacher, room.student(reduced_motion="reduce")
    other = room.student(1280)
    room.ask("Where will it look?")
    for page in (student, other):
        expect(page.get_by_role("checkbox", name="Hide what comes next")).to_be_checked()
        expect(strip(page)).to_contain_text("Where will L2H1 (Cross) look next? Choose a word.")
    assert (
        strip(student).get_by_role("group", name="Answers").inner_text().split()
        == [*("Ilove", "you.", "</s>")]
        or strip(student).get_by_role("group", name="Answers").get_by_role("button").count() > 2
    )

    buttons = strip(student).get_by_role("group", name="Answers").get_by_role("button")
    sure = strip(student).get_by_role("button", name="I am sure", exact=True)
    expect(sure).to_be_disabled()
    buttons.nth(0).click()
    expect(buttons.nth(0)).to_have_attribute("aria-pressed", "true")
    sure.click()
    expect(strip(student)).to_contain_text("and are sure.")
    expect(status(teacher)).to_have_text("2 people are here · 1 has answered")
    # By the keyboard alone.
    choose = strip(other).get_by_role("group", name="Answers").get_by_role("button").nth(1)
    choose.focus()
    other.keyboard.press("Enter")
    other.keyboard.press("Tab")
    while other.evaluate("document.activeElement.textContent") != "I am not sure":
        other.keyboard.press("Tab")
    other.keyboard.press("Enter")
    expect(status(teacher)).to_have_text("2 people are here · 2 have answered")
    assert not strip(teacher).get_by_role("table").count()
    assert violations(student, ".classroom") == []

    press(strip(teacher), "Reveal")
    for page in (teacher, student, other):
        table = strip(page).get_by_role("table", name="Answers of the class beside the model")
        expect(table).to_be_visible()
        expect(strip(page)).to_contain_text("2 answers. Of 1 who were sure,")
        expect(step_of(page)).to_contain_text("Step 3 of")
    shares = [
        float(text)
        for text in strip(student).locator(".class-bars td:last-child").all_inner_texts()
    ]
    cross = translator.trace(EXAMPLES[0]).cross
    assert cross is not None
    # Pieces of a word are one answer; their largest is the model's.
    assert sum(shares) == pytest.approx(1, abs=0.005)
    assert max(shares) >= round(float(cross[1, 0, 2].max()), 3)
    expect(strip(student)).to_contain_text("You said")
    assert violations(student, ".classroom") == []
    press(strip(teacher), "Go on")
    expect(strip(student).get_by_role("table")).to_have_count(0)


@pytest.mark.slow
def test_what_comes_next_may_be_typed_and_counts_for_what_it_spells(
    room: Room, translator: Translator
) -> None:
    student = room.student()
    room.ask("What comes next?")
    trace = translator.trace(EXAMPLES[0])
    first = [each.token.replace("␣", " ").strip() for each in trace.candidates[2][:4]]
    options = strip(student).get_by_role("group", name="Answers").get_by_role("button")
    expect(options).to_have_count(4)
    assert sorted(options.all_inner_texts()) == sorted(first)
    typed = strip(student).get_by_role("textbox", name="Or type another word")
    typed.fill(first[0])
    press(strip(student), "I am sure")
    press(strip(room.teacher), "Reveal")
    right = strip(student).locator("tr.right")
    expect(right.locator("td").first).to_have_text("1")
    expect(strip(student)).to_contain_text("Of 1 who were sure, 0 said something else")
    expect(right.locator("td").last).to_have_text(
        f"{trace.candidates[2][0].probability:.3f}", use_inner_text=True
    )


@pytest.mark.slow
def test_what_if_a_head_is_off_or_a_word_left_out(room: Room) -> None:
    student = room.student()
    room.ask("What if this head is off?")
    expect(strip(student)).to_contain_text("What happens if L2H1 (Cross) is off?")
    press(strip(student), "Another translation")
    press(strip(student), "I am not sure")
    press(strip(room.teacher), "Reveal")
    expect(strip(student).get_by_role("table")).to_be_visible()
    expect(student).to_have_url(re.compile("off=cross"))
    press(strip(room.teacher), "Go on")
    press(strip(room.teacher), "What if a word is left out?")
    press(strip(room.teacher), "love")
    expect(strip(student)).to_contain_text("What happens if “love” is left out?")
    press(strip(room.teacher), "Reveal")
    expect(student.get_by_role("textbox", name="Source sentence")).to_have_value("I you.")


@pytest.mark.slow
def test_a_question_of_the_teachers_own_and_what_is_left_and_printed(
    room: Room,
) -> None:
    teacher, student = room.teacher, room.student()
    room.ask("A question of your own")
    desk = strip(teacher)
    desk.get_by_role("textbox", name="Your question").fill("=1+1?")
    press(desk, "Ask")
    expect(desk.get_by_role("alert").filter(has_text="Write a question")).to_be_visible()
    desk.get_by_role("textbox", name="Answer 1").fill("@two")
    desk.get_by_role("textbox", name="Answer 2").fill("<b>three</b>")
    press(desk, "Ask")
    press(strip(student), "<b>three</b>")
    press(strip(student), "I am sure")
    expect(strip(student)).to_contain_text("You said “<b>three</b>”, and are sure.")
    student.reload()
    expect(strip(student)).to_contain_text("You said “<b>three</b>”, and are sure.")
    press(desk, "Reveal")
    expect(strip(student)).to_contain_text("1 answer. 1 was sure.")
    with teacher.expect_download() as downloaded:
        press(desk, "Afterwards")
        press(desk, "Save questions and counts (CSV)")
    text = downloaded.value.path().read_text(encoding="utf-8-sig")
    rows = [*csv.reader(io.StringIO(text))]
    assert [row[1] for row in rows[1:]] == ["'=1+1?"] * 3
    assert [(row[4], row[5]) for row in rows[1:]] == [
        *(("'@two", "0"), ("<b>three</b>", "1"), ("Something else", "0"))
    ]
    teacher.evaluate("window.print = () => (window.printed = true)")
    press(desk, "Afterwards")
    press(desk, "Print questions and counts")
    teacher.wait_for_function("window.printed")
    teacher.emulate_media(media="print")
    expect(teacher.get_by_role("heading", name="What the class was asked")).to_be_visible()
    expect(teacher.get_by_role("main")).to_be_hidden()
    expect(desk).to_be_hidden()
    teacher.evaluate("dispatchEvent(new Event('afterprint'))")
    teacher.emulate_media(media="screen")
    expect(desk).to_be_visible()
    press(desk, "End the class")
    expect(status(student)).to_have_text("The teacher has ended the class.")
    with teacher.expect_download():  # what was asked is still here
        press(desk, "Afterwards")
        press(desk, "Save questions and counts (CSV)")
    press(desk, "Put away")
    expect(desk).to_be_hidden()


def test_a_sentence_from_the_class_is_shown_to_nobody_before_it_is_chosen(room: Room) -> None:
    teacher, student = room.teacher, room.student()
    other = room.student(1280)
    room.ask("A sentence from the class")
    strip(student).get_by_role("textbox", name="Your sentence").fill(EXAMPLES[1])
    press(strip(student), "Send")
    here = strip(teacher).get_by_text("1 sentence has come: show the list")
    expect(here).to_be_visible()
    expect(strip(teacher).get_by_text(EXAMPLES[1])).to_be_hidden()
    expect(strip(other).get_by_text(EXAMPLES[1])).to_have_count(0)
    here.click()
    press(strip(teacher), "Show it to all")
    for page in (other, student):
        expect(page.get_by_role("textbox", name="Source sentence")).to_have_value(EXAMPLES[1])
        expect(step_of(page)).to_be_visible()


def test_a_plan_is_a_list_and_the_next_question_is_one_press_away(
    room: Room, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.md"
    plan.write_text(
        "# Hour\n## First\n[`?model=en-zh&source=I+love+you.&step=1&ask=look`]"
        "(http://127.0.0.1:7860/?model=en-zh&source=I+love+you.&step=1&ask=look)\n"
        "## Second\n- ?model=en-zh&source=Where+is+the+station?&step=2&ask=own:How?|so|or%20so\n"
    )
    desk, student = strip(room.teacher), room.student()
    with room.teacher.expect_file_chooser() as chooser:
        press(desk, "Open a plan")
    chooser.value.set_files(plan)
    press(desk, "Next: First")
    expect(strip(student)).to_contain_text("look next? Choose a word.")
    expect(step_of(student)).to_contain_text("Step 1 of")
    press(desk, "Next: Second")
    expect(strip(student)).to_contain_text("How?")
    expect(student.get_by_role("textbox", name="Source sentence")).to_have_value(EXAMPLES[1])
    desk.get_by_text("The plan", exact=True).click()
    assert desk.get_by_role("list", name="The plan").get_by_role("listitem").count() == 2


def test_what_a_student_sees_when_the_network_goes_and_when_the_server_starts_anew(
    room: Room, complaints: list[str]
) -> None:
    teacher, student = room.teacher, room.student()
    expect(status(student)).to_have_text(f"You follow class {room.code}.")
    student.route("**/headlight/class/**", lambda route: route.abort())
    student.reload()
    expect(status(student)).to_have_text("No connection to the class. It is tried again.")
    teacher.keyboard.press("ArrowRight")
    student.unroute("**/headlight/class/**")
    expect(status(student)).to_have_text(f"You follow class {room.code}.")
    expect(step_of(student)).to_contain_text("Step 3 of")
    rooms.stop()
    expect(status(student)).to_have_text("The class is over: its server has stopped.")
    press(strip(student), "Try again")
    expect(status(student)).to_have_text(re.compile("No class has this code"))
    assert all("404" in each or "ERR_FAILED" in each for each in complaints)
    complaints.clear()


def test_a_code_that_is_none_is_said_and_another_can_be_typed(
    room: Room, open_page: Open, complaints: list[str]
) -> None:
    page = open_page(PHONE, "?room=ABCDE")
    expect(status(page)).to_have_text(re.compile("No class has this code"))
    box = strip(page).get_by_role("textbox", name="The class's code")
    box.fill("what")
    press(strip(page), "Enter")
    expect(strip(page).get_by_role("alert")).to_have_text(re.compile("Check the five letters"))
    box.fill(room.code.lower())
    press(strip(page), "Enter")
    expect(status(page)).to_have_text(f"You follow class {room.code}.")
    press(strip(page), "Leave the class")
    expect(strip(page)).to_be_hidden()
    expect(page).not_to_have_url(re.compile("room="))
    assert not complaints


def test_the_invitation_says_the_code_the_address_and_a_picture_of_it(room: Room) -> None:
    press(strip(room.teacher), f"Class {room.code}")
    address = f"https://{SCHOOL}/?room={room.code}"  # the proxy's, which was named
    dialog = room.invitation
    expect(dialog.get_by_text(address)).to_be_visible()
    expect(dialog.get_by_role("img", name=f"QR code of {address}")).to_be_visible()
    zxing: Any = pytest.importorskip("zxingcpp")
    from PIL import Image

    shot = dialog.get_by_role("img", name=f"QR code of {address}").screenshot()
    [barcode] = zxing.read_barcodes(Image.open(io.BytesIO(shot)).convert("L"))
    assert barcode.text == address
    room.teacher.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_who_is_no_teacher_is_told_how_to_become_one(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SETTING)
    page = open_page(query="?presenter=on")
    press(page, "Class")
    dialog = page.get_by_role("dialog", name="Class")
    expect(dialog).to_contain_text("Only the teacher opens a class here")
    monkeypatch.delenv("HEADLIGHT_HOSTS")
    page.keyboard.press("Escape")
    press(page, "Class")
    expect(dialog).to_contain_text("headlight --host 0.0.0.0")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("locale", "scheme"),
    [pytest.param("zh-CN", "dark", marks=pytest.mark.slow), ("fr-FR", "dark")],
)
def test_in_other_languages_and_the_dark_it_is_read_and_fits(
    locale: str, scheme: str, room: Room, assets: Path
) -> None:
    t = Words(assets, locale)
    student = room.student(locale=locale, color_scheme=scheme, reduced_motion="reduce")
    expect(strip(student, t("class")).get_by_role("status")).to_have_text(
        t("class.with", code=room.code)
    )
    room.ask("Where will it look?")
    sure = strip(student, t("class")).get_by_role("button", name=t("class.am_sure"), exact=True)
    expect(sure).to_be_visible()
    assert violations(student, ".classroom") == []
    strip(student, t("class")).get_by_role("group", name=t("class.options")).get_by_role(
        "button"
    ).first.click()
    sure.click()
    press(strip(room.teacher), "Reveal")
    expect(strip(student, t("class")).get_by_role("table")).to_be_visible()
    assert violations(student, ".classroom") == []
    assert student.evaluate("document.documentElement.scrollWidth") <= PHONE


def test_the_first_screen_has_no_control_more_above_translate(open_page: Open) -> None:
    page = open_page()
    assert not page.get_by_role("button", name=re.compile("Class")).count()
    expect(page.get_by_role("region", name="Class", exact=True)).to_have_count(0)


def test_a_name_in_the_network_makes_no_secure_page_and_a_class_all_the_same(
    room: Room, address: str, visitors: Visitors
) -> None:
    page = visitors.context(locale="en-US").new_page()
    try:
        page.goto(f"{address.replace('127.0.0.1', SCHOOL)}?room={room.code}")
        assert not page.evaluate("isSecureContext")
        expect(status(page)).to_have_text(f"You follow class {room.code}.")
        room.ask("Where will it look?")
        strip(page).get_by_role("group", name="Answers").get_by_role("button").first.click()
        press(strip(page), "I am sure")
        expect(strip(page)).to_contain_text("and are sure.")
    finally:
        page.close()
