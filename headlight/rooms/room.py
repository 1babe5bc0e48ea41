"""A room: one class, its newest state, and everybody who is there."""

import json
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from .problems import RoomError
from .question import Question, read_answer, read_question, read_text, read_truth
from .streams import Stream

BYTES, PEOPLE, SCREENS = 64_000, 250, 8
"""A room's bytes, the people who follow, and the teacher's screens, at most."""

MOST_ADDRESS = 8_000
"""Characters of what is shown, as an address."""


class Room:
    """What one class sees; for the server's event loop alone.

    Args:
        code: five letters.
        secret: what its teacher knows.
        clock: in seconds, from any beginning.
    """

    def __init__(self, code: str, secret: str, clock: Callable[[], float]) -> None:
        self.code, self.secret = code, secret
        self.streams: dict[str, Stream] = {}  # of students, by person
        self.screens: list[Stream] = []  # of the teacher
        self.question: Question | None = None
        self.history: list[dict[str, Any]] = []
        self._clock = clock
        self._view: dict[str, Any] | None = None
        self._numbers = 0
        self._nonce = secrets.token_hex(4)  # no other room's events are taken for these
        self._shown = self._changed = 0
        self._text = ""
        self.since = clock()

    @property
    def size(self) -> int:
        """Bytes of what it holds, as JSON has it."""
        answers = self.question.answers.values() if self.question else ()
        text = json.dumps([self.history, self._state()], ensure_ascii=False)
        return len(text.encode()) + sum(40 + len(each.text.encode()) for each in answers)

    def enter(self, stream: Stream) -> None:
        """Lets a stream in; a person's older one ends, and so does a teacher's screen too many.

        Raises:
            RoomError: the room is full.
        """
        if stream.teacher:
            self.screens.append(stream)
            if len(self.screens) > SCREENS:
                self.screens[0].end("elsewhere")
        else:
            older = self.streams.get(stream.person)
            if not older and len(self.streams) >= PEOPLE:
                raise RoomError("room_full", most=PEOPLE)
            if older:
                older.end("elsewhere")
            self.streams[stream.person] = stream
        self._touch()

    def leave(self, stream: Stream) -> None:
        """Counts a stream no more; twice is once."""
        if stream in self.screens:
            self.screens.remove(stream)
        elif self.streams.get(stream.person) is stream:
            del self.streams[stream.person]
        self._wake(self.screens)

    def show(self, address: object, by: str) -> None:
        """Shows everybody what an address shows; `by` is the screen that shows it."""
        before, address = self._view, read_text(address, MOST_ADDRESS)
        number = before["number"] + 1 if before else 1
        self._view = {"address": address, "number": number, "by": by}
        self._bounded(lambda: setattr(self, "_view", before))
        self._tell()

    def ask(self, message: object) -> None:
        """Asks a question; what was asked before is over."""
        question = read_question(message, self._numbers + 1)
        before = self.question
        past = self.now()
        self.question = question
        self.history += past
        self._bounded(lambda: self._unask(before, len(past)))
        self._numbers += 1
        self._tell()

    def answer(self, person: str, number: object, value: object) -> None:
        """Takes an answer of somebody who is there."""
        question = self.question
        if person not in self.streams:
            raise RoomError("not_there")
        if not question or question.number != number or question.outcome:
            raise RoomError("no_question")
        before = question.answers.get(person)
        if not before and len(question.answers) >= PEOPLE:
            raise RoomError("room_full", most=PEOPLE)
        question.answers[person] = read_answer(question, value)

        def undo() -> None:
            question.answers.pop(person)
            if before:
                question.answers[person] = before

        # Whoever has typed nothing adds a few bytes, which the bound on people bounds.
        if question.answers[person].text:
            self._bounded(undo)
        self._touch()

    def reveal(self, truth: object) -> None:
        """Shows everybody what the class has said, and what the model does."""
        question = self.question
        if not question or question.kind == "sentence":
            raise RoomError("no_question")
        question.outcome = question.count(read_truth(question, truth))
        self._bounded(lambda: setattr(question, "outcome", None))
        self._tell()

    def end_question(self) -> None:
        """The question is over."""
        self.history += self.now()
        self.question = None
        self._tell()

    def now(self) -> list[dict[str, Any]]:
        """The question that is asked now, as it will be kept."""
        question = self.question
        counted = question and question.kind != "sentence" and question.answers
        return [question.past()] if question and counted else []

    def take(self, id: object) -> None:
        """A sentence that the teacher has chosen, or passed over, is on the list no more."""
        if not self.question or not isinstance(id, str):
            raise RoomError("no_question")
        self.question.answers.pop(self._persons().get(id, ""), None)
        self._touch()

    def end(self, reason: str) -> None:
        """Closes every stream, with the reason."""
        for stream in [*self.screens, *self.streams.values()]:
            stream.end(reason)

    def all_streams(self) -> list[Stream]:
        """Everybody's."""
        return [*self.screens, *self.streams.values()]

    def event(self, stream: Stream) -> tuple[str, str]:
        """The newest state: its id, and what a stream is told."""
        if stream.teacher:
            id = f"{self._nonce}-{self._changed}"
            return id, _event("desk", id, self.desk())
        id = f"{self._nonce}-{self._shown}"
        if not self._text:
            self._text = _event("room", id, self._state())
        return id, self._text

    def own(self, person: str) -> dict[str, Any] | None:
        """A person's answer to what is asked now."""
        answer = self.question.answers.get(person) if self.question else None
        return (
            {"choice": answer.choice, "text": answer.text, "sure": answer.sure} if answer else None
        )

    def desk(self) -> dict[str, Any]:
        """The state as the teacher is told it: how many have answered, not what."""
        question = self.question
        sentences = [
            {"id": id, "text": question.answers[person].text}
            for id, person in self._persons().items()
            if question and question.kind == "sentence" and person in question.answers
        ]
        return {
            **self._state(),
            "people": len(self.streams),
            "answered": len(question.answers) if question else 0,
            "sentences": sentences,
            "asked": len(self.history),
        }

    def _persons(self) -> dict[str, str]:
        """The token of each person who has answered, by a name that says nothing of it."""
        persons = self.question.answers if self.question else ()
        return {
            sha256(f"{self._nonce} {person}".encode()).hexdigest()[:12]: person
            for person in persons
        }

    def _state(self) -> dict[str, Any]:
        question = self.question
        return {
            "room": self.code,
            "view": self._view,
            "question": question.shown() if question else None,
            "outcome": question.outcome if question else None,
        }

    def _unask(self, before: Question | None, past: int) -> None:
        self.question = before
        del self.history[len(self.history) - past :]

    def _bounded(self, undo: Callable[[], None]) -> None:
        if self.size > BYTES:
            undo()
            raise RoomError("room_holds", most=BYTES)

    def _tell(self) -> None:
        self._shown += 1
        self._text = ""
        self._wake(self.streams.values())
        self._touch()

    def _touch(self) -> None:
        self.since = self._clock()
        self._wake(self.screens)

    def _wake(self, streams: Any) -> None:
        self._changed += 1
        for stream in streams:
            stream.wake()


def _event(name: str, id: str, data: object) -> str:
    return f"id: {id}\nevent: {name}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n"
