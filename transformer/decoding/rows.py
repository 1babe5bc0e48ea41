"""Which rows of a batch are still being decoded, and how far."""

from collections.abc import Iterable


class LiveRows:
    """The rows of a batch that the model computes just now: those that have ended are left out.

    Whoever hooks into the model asks here whose numbers it sees.

    Args:
        count: how many rows the batch has.
    """

    def __init__(self, count: int) -> None:
        self.now = list(range(count))
        """The rows, in the order in which they lie in the model's tensors."""
        self.first = 0
        """The step that the decoder's pass begins with: what earlier ones read is in its cache."""

    def keep(self, places: Iterable[int]) -> None:
        """Leaves all out but those at these places of `now`."""
        self.now = [self.now[place] for place in places]

    def place(self, row: int) -> int | None:
        """Where a row lies in the model's tensors; None if it is left out."""
        return self.now.index(row) if row in self.now else None
