"""Answers of programs that are there, and that their listeners have not fetched yet."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sized
from dataclasses import dataclass
from typing import TypeVar

from transformer.serving.sharing.client import Client

UNREAD_OF_ONE, UNREAD = 16_000_000, 128_000_000
"""Bytes of one page's answers, and of everybody's."""

LOST = '{"error": "The answer was not read in time: ask again."}'

Held = TypeVar("Held", bound=Sized)
Owner = TypeVar("Owner", bound=Hashable)


@dataclass(eq=False)
class Answer:
    """What a program has said.

    Attributes:
        client: who asked.
        went_well: whether it is no error.
        output: JSON.
    """

    client: Client
    went_well: bool
    output: str

    def __len__(self) -> int:
        """Bytes of memory, about."""
        return len(self.output)


class Unread:
    """Answers that their clients have not read, oldest first."""

    def __init__(self) -> None:
        self._answers: dict[Answer, None] = {}
        self.size = 0

    def add(self, answer: Answer) -> None:
        """Keeps one until it is left.

        Where there is too much, the oldest is lost of the page that has most, at the address that
        has most; whoever listens for it is told.
        """
        self._answers[answer] = None
        self.size += len(answer)
        own = [each for each in self._answers if each.client == answer.client]
        while sum(map(len, own)) > UNREAD_OF_ONE and len(own) > 1:
            self._lose(own.pop(0))
        while self.size > UNREAD:
            address = most(self._answers, lambda each: each.client.address)
            here = [each for each in self._answers if each.client.address == address]
            page = most(here, lambda each: each.client)
            self._lose(next(each for each in here if each.client == page))

    def leave(self, answer: Answer) -> None:
        """Counts one no more; twice is once."""
        if answer in self._answers:
            del self._answers[answer]
            self.size -= len(answer)

    def has_much(self) -> bool:
        """Whether nobody should ask for many at once."""
        return self.size > UNREAD / 2

    def _lose(self, answer: Answer) -> None:
        self.leave(answer)
        answer.went_well, answer.output = False, LOST


def most(items: Iterable[Held], whose: Callable[[Held], Owner]) -> Owner:
    """The owner of most bytes of what is kept."""
    bytes_of = Counter[Owner]()
    for each in items:
        bytes_of[whose(each)] += len(each)
    [(owner, _)] = bytes_of.most_common(1)
    return owner
