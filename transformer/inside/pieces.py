"""Work cut into pieces, between which others have their turn: generators that yield nothing.

A piece takes about as long as a pass or two of the model.
"""

from collections.abc import Generator
from typing import TypeVar

Returned = TypeVar("Returned")
Pieces = Generator[None, None, Returned]


def finish(pieces: Pieces[Returned]) -> Returned:
    """What pieces come to, one after the other."""
    returned: list[Returned] = []

    def all_of() -> Pieces[None]:
        returned.append((yield from pieces))

    for _ in all_of():
        pass
    return returned[0]
