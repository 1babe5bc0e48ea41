"""How a decode chose its tokens, and why it stopped: what a trace says of both."""

from dataclasses import dataclass
from typing import Literal

from ..errors import HeadlightError

StopReason = Literal["eos", "max_steps", "max_length"]


@dataclass(frozen=True)
class Sampling:
    """Drawing each token by its probability, instead of always taking the likeliest.

    The draw at a position depends on the seed and on that position alone, on every machine: a
    prefix of what was drawn is continued as it was, and a link to a sampled text shows that text.

    Attributes:
        temperature: above 0, at most 100. Logits are divided by it: below 1 the likely tokens
            gain, above 1 the unlikely ones.
        top_k: draw among so many likeliest tokens; 0 means among all.
        seed: where the random numbers start, from 0 to 2**63 - 1.
        top_p: draw among the fewest likeliest tokens, of those that top_k leaves, whose shares sum
            to so much, above 0; 1 means among all (the nucleus of Holtzman et al. 2020).

    Raises:
        HeadlightError: a number is out of range.
    """

    temperature: float = 1.0
    top_k: int = 0
    seed: int = 0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        fine = 0 < self.temperature <= 100 and self.top_k >= 0 and 0 <= self.seed < 2**63
        if not (fine and 0 < self.top_p <= 1):
            raise HeadlightError(
                "bad_sampling",
                "Sampling needs a temperature above 0 and at most 100, a top-k of at least 0, a "
                "seed from 0 to 2**63 - 1 and a top-p above 0 and at most 1, not "
                f"{self.temperature}, {self.top_k}, {self.seed} and {self.top_p}.",
            )
