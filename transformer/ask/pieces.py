"""Work cut into pieces, between which others have their turn: generators that yield nothing.

A piece takes about as long as a pass or two of the model.
"""

from collections.abc import Generator
from typing import TypeVar

Returned = TypeVar("Returned")
Pieces = Generator[None, None, Returned]


def finish(pieces: Pieces[Returned]) -> Returned:
    """The result of pieces, done one after the other."""
    try:
        while True:
            next(pieces)
    except StopIteration as end:
        return end.value
