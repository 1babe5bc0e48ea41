"""Codes of rooms, which are read off a projector, and the tries of those who guess them."""

import secrets
from collections import Counter, deque
from collections.abc import Callable, Container
from time import monotonic
from typing import TypeVar

Counted = TypeVar("Counted")

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Consonants: five of them spell no word, and none is taken for a digit or for a vowel."""

LENGTH = 5

TRIES_OF_ONE, TRIES_OF_ADDRESS, TRIES, TRIES_SECONDS = 60, 300, 600, 60
"""Wrong codes of one person at an address, of an address, and of all, within so many seconds."""


def new_code(taken: Container[str]) -> str:
    """Five letters that no other room has."""
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        if code not in taken:
            return code


def read_code(text: object) -> str:
    """A code as somebody typed it, in capitals and without blanks; "" where it can be none."""
    code = "".join(text.split()).upper() if isinstance(text, str) and len(text) <= 20 else ""
    return code if len(code) == LENGTH and {*code} <= {*LETTERS} else ""


class Tries:
    """Wrong codes, oldest first. Right ones count nothing: a school is one address.

    Args:
        clock: in seconds, from any beginning.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._wrong: deque[tuple[float, str, str]] = deque()
        self._by_address: Counter[str] = Counter()
        self._by_person: Counter[tuple[str, str]] = Counter()

    def __len__(self) -> int:
        self._forget()
        return len(self._wrong)

    def may_try(self, address: str, person: str) -> bool:
        """Whether a person may try another code. A school is one address, so that a pupil who
        guesses shuts nobody else out; where all have tried too many, who comes from an address of
        no wrong one may.
        """
        self._forget()
        here = self._by_address[address]
        if self._by_person[address, person] >= TRIES_OF_ONE or here >= TRIES_OF_ADDRESS:
            return False
        return here == 0 or len(self._wrong) < TRIES

    def note(self, address: str, person: str) -> bool:
        """Counts a wrong code.

        Returns:
            Whether the person may be told that it was wrong.
        """
        counts = self.may_try(address, person) and len(self._wrong) < TRIES
        if counts:
            self._wrong.append((self._clock(), address, person))
            self._by_address[address] += 1
            self._by_person[address, person] += 1
        return counts

    def _forget(self) -> None:
        while self._wrong and self._clock() - self._wrong[0][0] >= TRIES_SECONDS:
            _, address, person = self._wrong.popleft()
            _once_less(self._by_address, address)
            _once_less(self._by_person, (address, person))


def _once_less(counted: Counter[Counted], what: Counted) -> None:
    counted[what] -= 1
    if not counted[what]:
        del counted[what]
