"""A class's rooms: what they hold, for how long, and what they refuse."""

import json
from itertools import count
from typing import Any

import pytest

from headlight.rooms import rooms as all_rooms
from headlight.rooms.codes import (
    LETTERS,
    TRIES,
    TRIES_OF_ADDRESS,
    TRIES_OF_ONE,
    TRIES_SECONDS,
    Tries,
    read_code,
)
from headlight.rooms.problems import RoomError
from headlight.rooms.question import Answer, read_question
from headlight.rooms.room import BYTES, PEOPLE, SCREENS, Room
from headlight.rooms.rooms import HOUR, Rooms
from headlight.rooms.streams import Stream, make_room
from headlight.teacher import ADDRESS, SECRET, SETTING, addresses, may_teach, named_address
from tests.serving.asking import run

LOOK = {"kind": "look", "text": "L1H2", "options": ["I", "love", "you"], "source": "I love you."}
TRUTH = {"labels": ["I", "love", "you"], "shares": [0.1, 0.7, 0.2], "right": 1}
SENTENCE = {"kind": "sentence", "text": "", "options": []}


class Clock:
    """One that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def room_of(*people: str) -> Room:
    room = Room("BCDFG", "secret", Clock())
    for person in people:
        room.enter(Stream(person, "192.0.2.1"))
    return room


def refused(code: str) -> Any:
    return pytest.raises(RoomError, match=f"^{code}$")


async def opened(rooms: Rooms, secret: str) -> Room:
    return rooms.open(secret)


def test_the_class_is_counted_as_by_hand() -> None:
    room = room_of("a", "b", "c", "d")
    room.ask(LOOK)
    for person, choice, sure in (("a", 1, True), ("b", 0, True), ("c", 0, False), ("d", 2, False)):
        room.answer(person, 1, {"choice": choice, "sure": sure})
    room.answer("d", 1, {"choice": 1, "sure": True})  # a second one changes the first
    assert (room.desk()["answered"], room.desk()["outcome"]) == (4, None)
    room.reveal(TRUTH)
    outcome = room.desk()["outcome"]
    assert outcome["counts"] == [2, 2, 0]
    assert (outcome["answered"], outcome["sure"], outcome["sure_wrong"]) == (4, 3, 1)
    assert outcome["shares"] == TRUTH["shares"]
    with refused("no_question"):
        room.answer("a", 1, {"choice": 0, "sure": True})  # too late
    room.end_question()
    [past] = room.history
    assert past["source"] == "I love you."
    assert past["revealed"]


def test_what_was_typed_counts_for_the_label_that_it_spells() -> None:
    room = room_of("a", "b", "c")
    room.ask({"kind": "next", "text": "", "options": ["the", "a"], "typed": True})
    room.answer("a", 1, {"text": " The ", "sure": True})
    room.answer("b", 1, {"text": "an", "sure": False})
    room.answer("c", 1, {"text": "=1+1", "sure": False})
    room.reveal({"labels": ["the", "a", "␣an"], "shares": [0.5, 0.3, 0.1], "right": 0})
    outcome = room.desk()["outcome"]
    assert (outcome["counts"], outcome["else"]) == ([1, 0, 1], 1)
    assert "1+1" not in json.dumps([outcome, room.event(Stream("x", ""))])


def test_before_the_reveal_nobody_is_told_what_others_said() -> None:
    room = room_of("a", "b")
    room.ask(LOOK)
    before = room.event(Stream("b", ""))
    room.answer("a", 1, {"choice": 2, "sure": True})
    assert room.event(Stream("b", "")) == before
    assert room.own("a") == {"choice": 2, "text": "", "sure": True}
    assert room.own("b") is None
    desk = room.event(Stream("t", "", teacher=True))[1]
    assert '"answered":1' in desk
    assert '"outcome":null' in desk


def test_sentences_are_told_to_the_teacher_alone() -> None:
    room = room_of("a", "b")
    room.ask(SENTENCE)
    room.answer("a", 1, {"text": "Wir lesen.", "sure": False})
    room.answer("b", 1, {"text": "<b>x</b>", "sure": False})
    sentences = room.desk()["sentences"]
    assert [each["text"] for each in sentences] == ["Wir lesen.", "<b>x</b>"]
    assert "lesen" not in room.event(Stream("b", ""))[1]
    assert not {each["id"] for each in sentences} & {"a", "b"}
    room.take(sentences[0]["id"])
    assert [each["id"] for each in room.desk()["sentences"]] == [sentences[1]["id"]]
    room.end_question()
    assert not room.history


@pytest.mark.parametrize(
    "asked",
    [
        None,
        {"kind": "other", "text": "", "options": ["a", "b"]},
        {"kind": "own", "text": "?", "options": ["one"]},
        {"kind": "own", "text": "?", "options": ["one", 2]},
        {"kind": "own", "text": "?", "options": [str(i) for i in range(121)]},
    ],
)
def test_what_is_no_question_is_not_asked(asked: object) -> None:
    with refused("unread"):
        read_question(asked, 1)


@pytest.mark.parametrize(
    "answer",
    [
        {"choice": 3, "sure": True},
        {"choice": -1, "sure": True},
        {"choice": 1},
        {"text": "typed", "sure": True},
        "1",
    ],
)
def test_what_is_no_answer_is_not_taken(answer: object) -> None:
    room = room_of("a")
    room.ask(LOOK)
    with refused("unread"):
        room.answer("a", 1, answer)
    with refused("no_question"):
        room.answer("a", 2, {"choice": 1, "sure": True})
    with refused("not_there"):
        room.answer("b", 1, {"choice": 1, "sure": True})
    assert room.desk()["answered"] == 0


@pytest.mark.parametrize(
    "truth",
    [
        {**TRUTH, "shares": [0.1, 0.7]},
        {**TRUTH, "shares": [0.1, float("nan"), 0.2]},
        {**TRUTH, "right": 3},
        {**TRUTH, "labels": ["I"], "shares": None},
        {},
    ],
)
def test_what_is_no_truth_is_not_revealed(truth: object) -> None:
    room = room_of("a")
    room.ask(LOOK)
    with refused("unread"):
        room.reveal(truth)
    assert room.desk()["outcome"] is None


def test_ten_thousand_answers_of_one_person_are_one() -> None:
    room = room_of("a")
    room.ask({**SENTENCE})
    size = room.size
    for i in range(10_000):
        room.answer("a", 1, {"text": f"{i:05}", "sure": False})
    assert room.desk()["answered"] == 1
    assert room.size < size + 200


def test_a_room_holds_so_much_and_says_so() -> None:
    people = [f"p{i}" for i in range(PEOPLE)]
    room = room_of(*people)
    with refused("room_full"):
        room.enter(Stream("another", "192.0.2.1"))
    room.enter(Stream(people[0], "192.0.2.1"))  # the same person again
    room.ask(SENTENCE)
    with refused("room_holds"):
        for person in people:
            room.answer(person, 1, {"text": "字" * 300, "sure": False})
    assert 50 < len(room.desk()["sentences"]) < 80
    assert room.size <= BYTES
    with refused("long"):
        room.answer(people[0], 1, {"text": "x" * 100_000, "sure": False})
    with refused("long"):
        room.show("?source=" + "x" * 8_000, "me")


def test_a_second_page_of_one_person_ends_the_first_and_leaves_the_second_counted() -> None:
    room = room_of()
    first, second = Stream("a", ""), Stream("a", "")
    room.enter(first)
    room.enter(second)
    room.leave(first)
    assert (first.ended, second.ended) == (True, False)
    assert room.desk()["people"] == 1
    screens = [Stream(f"t{i}", "", teacher=True) for i in range(SCREENS + 1)]
    for each in screens:
        room.enter(each)
    assert [each.ended for each in screens] == [True] + [False] * SCREENS


def test_who_comes_late_sees_the_newest_and_who_has_it_sees_nothing_again() -> None:
    async def met() -> tuple[list[str], list[str]]:
        room = room_of()
        for step in range(1, 4):
            room.show(f"?step={step}", "me")
        late, back = Stream("a", ""), Stream("b", "")
        id, _ = room.event(late)
        messages: list[list[str]] = []
        for stream, last in ((late, ""), (back, id)):
            events = stream.events(lambda each=stream: room.event(each), lambda: None, last)
            heard = [await anext(events)]
            if stream is late:
                heard.append(await anext(events))
            stream.end("closed")
            heard += [each async for each in events]
            messages.append(heard)
        return messages[0], messages[1]

    late, back = run(met())
    assert len(late) == 3
    assert '"address":"?step=3"' in late[1]
    assert "step=2" not in "".join(late)
    assert len(back) == 2
    assert back[1] == 'event: end\ndata: {"reason": "closed"}\n\n'


def test_two_rooms_know_nothing_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = Rooms(lambda: 100, Clock())
    ours, theirs = run(opened(rooms, "s" * 20)), run(opened(rooms, "z" * 20))
    ours.enter(Stream("a", ""))
    ours.show("?source=ours", "me")
    assert ours.code != theirs.code
    assert "ours" not in theirs.event(Stream("b", ""))[1]
    assert run(opened(rooms, "s" * 20)) is ours  # a reload gives it back
    assert rooms.find(theirs.code.lower(), "192.0.2.9", "b") is theirs
    monkeypatch.setattr(all_rooms, "ROOMS", 2)
    with refused("rooms_full"):
        run(opened(rooms, "y" * 20))


def test_a_room_is_forgotten_an_hour_after_the_last_thing_that_happened() -> None:
    clock = Clock()
    rooms = Rooms(lambda: 100, clock)
    room = run(opened(rooms, "s" * 20))
    follows = Stream("a", "")
    room.enter(follows)
    clock.now = HOUR - 1
    room.show("?step=1", "me")
    clock.now = 2 * HOUR - 2
    assert len(rooms) == 1
    clock.now = 2 * HOUR
    assert len(rooms) == 0
    assert follows.ended
    with refused("no_room"):
        rooms.find(room.code, "192.0.2.1", "b")


def test_wrong_codes_alone_count() -> None:
    clock = Clock()
    rooms = Rooms(lambda: 100, clock)
    room = run(opened(rooms, "s" * 20))
    room.enter(Stream("inside", "192.0.2.1"))
    for _ in range(1_000):
        rooms.find(room.code, "192.0.2.1", "pupil")
    for _ in range(TRIES_OF_ONE):
        with refused("no_room"):
            rooms.find("ABCDE", "192.0.2.1", "pupil")
    for code in ("ABCDE", room.code):
        with refused("codes"):
            rooms.find(code, "192.0.2.1", "pupil")
    assert rooms.find(room.code, "192.0.2.1", "inside") is room
    assert rooms.find(room.code, "192.0.2.1", "neighbour") is room
    assert rooms.find(room.code, "192.0.2.2", "pupil") is room
    clock.now = TRIES_SECONDS
    assert rooms.find(room.code, "192.0.2.1", "pupil") is room


def test_of_all_addresses_together_so_many_wrong_codes_are_told() -> None:
    tries = Tries(Clock())
    addresses = (f"192.0.2.{i}" for i in count())
    total = sum(tries.note(next(addresses), "p") for _ in range(TRIES + 50))
    assert total == len(tries) == TRIES
    assert tries.may_try("198.51.100.1", "p")  # who has tried none comes in by the right one
    assert not tries.may_try("192.0.2.1", "p")


def test_persons_who_are_made_up_are_one_address() -> None:
    tries = Tries(Clock())
    assert sum(tries.note("192.0.2.1", f"p{i}") for i in range(2 * TRIES_OF_ADDRESS)) < TRIES
    assert not tries.may_try("192.0.2.1", "another")


def test_codes_are_read_as_they_are_said() -> None:
    assert len({*LETTERS}) == 20
    assert not {*LETTERS} & {*"AEIOUY0125"}
    assert read_code(" bc dfg ") == "BCDFG"
    for wrong in ("BCDF", "BCDFGH", "BCDFA", "", None, 5, "B" * 1_000):
        assert read_code(wrong) == ""


def test_a_thousand_streams_of_one_address_make_room_for_a_class() -> None:
    flood = [Stream(f"f{i}", "192.0.2.66") for i in range(200)]
    pupils: list[Stream] = []
    for i in range(60):
        there = [each for each in flood + pupils if not each.ended]
        make_room(there, "192.0.2.1", 200)
        pupils.append(Stream(f"p{i}", "192.0.2.1"))
    assert sum(each.ended for each in flood) == 60
    assert not any(each.ended for each in pupils)
    there = [each for each in flood + pupils if not each.ended]
    with refused("streams_full"):
        make_room(there, "192.0.2.66", 200)


def test_the_teachers_secret_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    assert may_teach(SECRET)
    assert not may_teach("x" * 22)
    monkeypatch.setenv(SETTING, "1")
    assert may_teach("x" * 22)
    for weak in ("", "short", "x" * 65, "x" * 19 + "ü", "x" * 21 + "\n"):
        assert not may_teach(weak)


def test_students_are_told_an_address_that_leads_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ADDRESS, raising=False)
    monkeypatch.delenv("HEADLIGHT_HOSTS", raising=False)
    monkeypatch.setattr("headlight.teacher._outward", lambda: iter(["192.168.1.20", "fe80::1%e"]))
    monkeypatch.setattr("headlight.teacher._interfaces", lambda: iter(["127.0.0.1", "10.0.0.7"]))
    monkeypatch.setattr("headlight.teacher._of_its_name", lambda: iter(["2001:db8::7"]))
    both = ["http://192.168.1.20:7860/", "http://10.0.0.7:7860/"]
    assert addresses("0.0.0.0", 7860) == both
    assert addresses("::", 7860) == [*both, "http://[2001:db8::7]:7860/"]
    assert addresses("10.0.0.7", 7860) == ["http://10.0.0.7:7860/"]
    assert addresses("127.0.0.1", 7860) == []
    monkeypatch.setenv("HEADLIGHT_HOSTS", "school.example")
    assert addresses("127.0.0.1", 7860) == ["https://school.example/"]
    monkeypatch.setenv(ADDRESS, "https://class.example/here")
    assert addresses("0.0.0.0", 7860) == ["https://class.example/here/"]
    for wrong in (
        "class.example",
        "ftp://x/",
        "http://",
        "http://x/?a=b",
        "http://x/#a",
        "http://x y",
    ):
        with pytest.raises(ValueError, match="no address of a page"):
            named_address(wrong)


def test_a_lone_surrogate_breaks_nothing() -> None:
    room = room_of("a")
    room.ask(SENTENCE)
    room.answer("a", 1, {"text": "\ud800", "sure": False})
    assert room.question
    assert room.question.answers["a"] == Answer(None, "?", False)
    room.event(Stream("t", "", teacher=True))[1].encode()
