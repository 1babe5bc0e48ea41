"""Which rows of a batch are still being decoded, and what their prefixes make them emit."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor


class LiveRows:
    """The rows of a batch that the model computes just now: those that have ended are left out.

    Whoever hooks into the model asks here whose numbers it sees.

    Args:
        count: how many rows the batch has.
    """

    def __init__(self, count: int) -> None:
        self.now = list(range(count))
        """The rows, in the order in which they lie in the model's tensors."""

    def keep(self, places: Iterable[int]) -> None:
        """Leaves all out but those at these places of `now`."""
        self.now = [self.now[place] for place in places]

    def place(self, row: int) -> int | None:
        """Where a row lies in the model's tensors; None if it is left out."""
        return self.now.index(row) if row in self.now else None


class Forced:
    """Puts the tokens of the prefixes in the place of those that were chosen."""

    def __init__(self, prefixes: Sequence[Sequence[int]], device: torch.device) -> None:
        self._longest = max(map(len, prefixes))
        filled = [[*ids, *[0] * (self._longest - len(ids))] for ids in prefixes]
        self.tokens = torch.tensor(filled, dtype=torch.long, device=device)
        self._lengths = torch.tensor([len(ids) for ids in prefixes], device=device)

    def keep(self, places: Sequence[int]) -> None:
        """Leaves all rows out but those at these places."""
        self.tokens, self._lengths = self.tokens[places], self._lengths[places]

    def __call__(self, chosen: Tensor, position: int) -> Tensor:
        """`chosen` [batch], but for rows whose prefix reaches as far as `position`."""
        if position >= self._longest:
            return chosen
        return torch.where(self._lengths > position, self.tokens[:, position], chosen)
