"""Codes of rooms, which are read off a projector, and the tries of those who guess them."""

import secrets
from collections import Counter, deque
from collections.abc import Callable, Container
from time import monotonic

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Consonants: five of them spell no word, and none is taken for a digit or for a vowel."""

LENGTH = 5

TRIES_OF_ONE, TRIES, TRIES_SECONDS = 60, 600, 60
"""Wrong codes of one address, and of all, within so many seconds."""


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
        self._wrong: deque[tuple[float, str]] = deque()
        self._by_address: Counter[str] = Counter()

    def __len__(self) -> int:
        self._forget()
        return len(self._wrong)

    def may_try(self, address: str) -> bool:
        """Whether an address may try another code; where all have tried too many, only one that
        has tried no wrong one.
        """
        self._forget()
        own = self._by_address[address]
        return own < TRIES_OF_ONE and (own == 0 or len(self._wrong) < TRIES)

    def note(self, address: str) -> bool:
        """Counts a wrong code.

        Returns:
            Whether the address may be told that it was wrong.
        """
        told = self.may_try(address) and len(self._wrong) < TRIES
        if told:
            self._wrong.append((self._clock(), address))
            self._by_address[address] += 1
        return told

    def _forget(self) -> None:
        while self._wrong and self._clock() - self._wrong[0][0] >= TRIES_SECONDS:
            _, address = self._wrong.popleft()
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]
