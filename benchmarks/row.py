"""One line of the table."""

from typing import NamedTuple


class Row(NamedTuple):
    """A measurement; `budget` is the most it may be, in the figure's own unit."""

    what: str
    figure: float
    unit: str
    budget: float | None = None
    detail: str = ""
