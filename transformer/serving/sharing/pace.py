"""The size of a batch that keeps nobody waiting long for its end.

Tokens alone do not tell: a machine that others use, or a larger model, takes several times as long
for as many.
"""

SECONDS = 0.2
"""Seconds of a batch: a request waits for the one in hand, and for the next, which has its own."""

START, TOKEN = 0.025, 0.00022
"""Seconds that a batch of `en-zh` takes, and each token with what pads it, on a core of its own."""

LEAST = 120
"""Tokens of a batch, however long it takes: one by one short sentences would take far longer. Of
sentences of sixty tokens two take twice as long as one."""

LATEST = 0.5
"""What the latest batch counts for: what slows a machine comes and goes."""


class Pace:
    """The time that batches take here, lately.

    Args:
        seconds: of the longest batch.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._times = 1.0  # as long as expected

    def took(self, tokens: int, seconds: float) -> None:
        """Notes how long a batch has taken."""
        times = seconds / (START + TOKEN * tokens)
        self._times += LATEST * (times - self._times)

    def most_tokens(self) -> float:
        """The most tokens of the next batch."""
        return max(LEAST, (self._seconds / self._times - START) / TOKEN)
