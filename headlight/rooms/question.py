"""What a teacher asks, what a class answers, and how many said what."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, cast

from .problems import RoomError

KINDS = ("look", "next", "off", "without", "own", "sentence")
"""Where will it look; what comes next; what if a head is off, or a word is left out; a question of
the teacher's own; and a sentence to be translated, which is no guess and is not counted."""

MOST_OPTIONS, MOST_LABEL, MOST_TEXT = 120, 120, 300
"""Answers of a question, characters of one, and characters of a text that somebody types."""


@dataclass(frozen=True)
class Answer:
    """An answer of one person to a question of the class.

    Attributes:
        choice: which option, from 0; None if it was typed.
        text: what was typed.
        sure: whether the person says so.
    """

    choice: int | None
    text: str
    sure: bool


@dataclass
class Question:
    """A question that a room's teacher asks.

    Attributes:
        number: from 1; a room counts on.
        kind: one of `KINDS`.
        text: the question itself, if it is the teacher's own; else what it is about, a head say.
        options: to choose from; none for a sentence.
        typed: whether something else may be typed.
        source, step: where it was asked, for whoever reads of it afterwards; steps count from 1.
        answers: by person; a second one changes the first.
        outcome: None until it is revealed.
    """

    number: int
    kind: str
    text: str
    options: tuple[str, ...]
    typed: bool
    source: str
    step: int
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    outcome: dict[str, Any] | None = None

    def shown(self) -> dict[str, Any]:
        """The question as everybody is told it."""
        return {
            "number": self.number,
            "kind": self.kind,
            "text": self.text,
            "options": self.options,
            "typed": self.typed,
        }

    def past(self) -> dict[str, Any]:
        """The question as it is kept once it is over: counts, and nobody's answer."""
        outcome = self.outcome or self.count({})
        return {
            "kind": self.kind,
            "text": self.text,
            "source": self.source,
            "step": self.step,
            "revealed": self.outcome is not None,
            **outcome,
        }

    def count(self, truth: Mapping[str, Any]) -> dict[str, Any]:
        """How many said what, beside what the model does.

        Args:
            truth: `labels`, the options and whatever else the model might say; `shares` of them, if
                the model gives any; `right`, which of them it is, if one is.
        Returns:
            the same with `counts` of the labels, how many said something `else`, how many answered,
            and of these how many were `sure`, and `sure_wrong`.
        """
        labels = [str(label) for label in truth.get("labels") or self.options]
        shares, right = truth.get("shares"), truth.get("right")
        places = {_plain(label): i for i, label in reversed([*enumerate(labels)])}
        chosen = {
            person: places.get(_plain(answer.text)) if answer.choice is None else answer.choice
            for person, answer in self.answers.items()
        }
        counts = Counter(chosen.values())
        sure = [person for person, answer in self.answers.items() if answer.sure]
        return {
            "labels": labels,
            "shares": shares,
            "right": right,
            "counts": [counts[i] for i in range(len(labels))],
            "else": counts[None],
            "answered": len(self.answers),
            "sure": len(sure),
            "sure_wrong": 0 if right is None else sum(chosen[person] != right for person in sure),
        }


def read_question(message: object, number: int) -> Question:
    """A question as a teacher's page sends it.

    Raises:
        RoomError: it is none.
    """
    match message:
        case {"kind": str(kind), "options": list(), "text": str(text)} if kind in KINDS:
            pass
        case _:
            raise RoomError("unread")
    given = cast(dict[str, Any], message)
    options = tuple(read_text(label, MOST_LABEL) for label in given["options"][: MOST_OPTIONS + 1])
    if len(options) > MOST_OPTIONS or (len(options) < 2 and kind != "sentence"):
        raise RoomError("unread")
    step = given.get("step", 0)
    return Question(
        number,
        kind,
        read_text(text, MOST_TEXT),
        options,
        kind == "sentence" or given.get("typed") is True,
        read_text(given.get("source", ""), 2_000),
        step if isinstance(step, int) and 0 <= step < 10**6 else 0,
    )


def read_answer(question: Question, value: object) -> Answer:
    """An answer as a student's page sends it.

    Raises:
        RoomError: it answers no such question.
    """
    match value:
        case {"choice": int(choice), "sure": bool(sure)} if 0 <= choice < len(question.options):
            return Answer(choice, "", sure)
        case {"text": str(text), "sure": bool(sure)} if question.typed and text.strip():
            return Answer(None, read_text(text.strip(), MOST_TEXT), sure)
        case _:
            raise RoomError("unread")


def read_truth(question: Question, truth: object) -> dict[str, Any]:
    """What the model does, as a teacher's page sends it.

    Raises:
        RoomError: it is none of this question.
    """
    match truth:
        case {"labels": list(), "shares": list() | None, "right": int() | None}:
            given = cast(dict[str, Any], truth)
        case _:
            raise RoomError("unread")
    labels = [read_text(label, MOST_LABEL) for label in given["labels"][: MOST_OPTIONS + 1]]
    shares: list[Any] | None = given["shares"]
    right: int | None = given["right"]
    whole = len(question.options) <= len(labels) <= MOST_OPTIONS
    if not whole or (right is not None and not 0 <= right < len(labels)):
        raise RoomError("unread")
    if shares is not None and (len(shares) != len(labels) or not all(map(_is_share, shares))):
        raise RoomError("unread")
    return {"labels": labels, "shares": shares, "right": right}


def read_text(text: object, most: int) -> str:
    """A text of so many characters at most.

    Raises:
        RoomError: it is longer, or none.
    """
    if not isinstance(text, str):
        raise RoomError("unread")
    if len(text) > most:
        raise RoomError("long", most=most, characters=len(text))
    # A lone surrogate is no text, and nobody could be sent it.
    return text.encode(errors="replace").decode()


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and isfinite(value) and 0 <= value <= 1.001


def _plain(text: str) -> str:
    return text.replace("␣", " ").strip().casefold()
