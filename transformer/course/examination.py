"""Looking at a student's folder: one exercise at a time, or all of them, in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import HeadlightError
from ..texts import Language
from . import process
from .exercises import EXERCISES
from .exercises.exercise import Remark
from .wording import Words

TIME_LIMIT = 10.0
"""Seconds of computing for one exercise; a right answer takes less than one."""


@dataclass(frozen=True)
class Verdict:
    """What is said of one exercise.

    Attributes:
        exercise: its name.
        title: what it is called.
        remarks: what is wrong, nothing if it is right; `code` is for programs.
        sentences: the same for people.
        printed: what the student's code printed, the beginning of it.
        text: all that is said, with what was printed.
    """

    exercise: str
    title: str
    remarks: tuple[Remark, ...]
    sentences: tuple[str, ...]
    printed: str
    text: str

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return not self.remarks

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class Examiner:
    """Looks at a folder as it now stands; nothing in it is run twice.

    Args:
        folder: a student's, as `python -m transformer course FOLDER` made it.
        language: "en" or "zh"; by default the one that the folder was made in.
        time_limit: seconds for one exercise.
    """

    def __init__(
        self, folder: str | Path, language: Language | None = None, time_limit: float = TIME_LIMIT
    ) -> None:
        self._folder = Path(folder)
        self._limit = time_limit
        self._answers: dict[str, process.Answer] = {}
        self.words = Words(language, self._folder)

    def verdict(self, exercise: str) -> Verdict:
        """What is right or wrong with one exercise."""
        needs = EXERCISES[exercise].needs
        wrong = next((needed for needed in needs if self._answer(needed).remarks), None)
        if wrong:
            first = Remark("first", {"exercise": self.words.title(wrong)})
            answer = process.Answer((first,))
        else:
            answer = self._answer(exercise)
        sentences = tuple(map(self.words.remark, answer.remarks))
        sentences = sentences or (self.words.text("right", exercise),)
        text = "\n".join(sentences)
        if answer.printed:
            text += f"\n{self.words.text('printed')}\n{answer.printed.rstrip()}"
        title = self.words.title(exercise)
        return Verdict(exercise, title, answer.remarks, sentences, answer.printed, text)

    def _answer(self, exercise: str) -> process.Answer:
        if exercise not in self._answers:
            self._answers[exercise] = process.run("judge", self._folder, exercise, self._limit)
        return self._answers[exercise]


def examine(
    exercise: str,
    folder: str | Path = ".",
    language: Language | None = None,
    time_limit: float = TIME_LIMIT,
) -> Verdict:
    """Runs one exercise's functions and says what is right or wrong with them.

    They run in a process of their own, so that nothing in them can end or hang this one.

    Args:
        exercise: such as "attention": the name of a file in the folder.
        folder: a student's, as `python -m transformer course FOLDER` made it.
        language: "en" or "zh"; by default the one that the folder was made in.
        time_limit: seconds for it, and for each that it is built on.
    Raises:
        HeadlightError: there is no such exercise.
    """
    if exercise not in EXERCISES:
        names = ", ".join(EXERCISES)
        raise HeadlightError("unknown_exercise", f"No exercise {exercise!r}; there are {names}.")
    return Examiner(folder, language, time_limit).verdict(exercise)


def examine_all(
    folder: str | Path = ".", language: Language | None = None, time_limit: float = TIME_LIMIT
) -> Iterator[Verdict]:
    """`examine` for all exercises, in the order of the course, each run once."""
    examiner = Examiner(folder, language, time_limit)
    for exercise in EXERCISES:
        yield examiner.verdict(exercise)
