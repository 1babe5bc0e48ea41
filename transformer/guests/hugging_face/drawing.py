"""Tokens that a guest draws: at each position by the seed's own lot there, as our models draw."""

import torch
from torch import Tensor

from ...decoding.sampling import chances, chooser
from ...trace.sampling import Sampling


class Draws:
    """The last of a `generate`'s logits processors: it leaves the token that is drawn alone.

    `generate` itself draws by PyTorch's global random numbers, the first of them for the first new
    token, so that a text would go on differently after a prefix of its own.

    Args:
        sampling: how to draw.
        longest: tokens of the longest text.
    """

    def __init__(self, sampling: Sampling, longest: int) -> None:
        self._sampling = sampling
        self._choose = chooser([sampling], longest)
        self.shares: list[Tensor] = []
        """Distributions that each step's token was drawn from, [step][vocab]."""

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores [1, vocab] of which one is left, after tokens [1, length]."""
        self.shares.append(chances(scores[0], self._sampling))
        token = self._choose(scores, input_ids.size(1) - 1)
        return torch.full_like(scores, -torch.inf).index_fill_(1, token, 0.0)
