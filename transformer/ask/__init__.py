"""How anything is asked: what an analysis declares, the options it reads, the passes it makes.

A question of its own stands in `inside`, in `measure` or in `teach`.
"""

from .agreement import by_word, rank_correlation
from .analysis import ANALYSES, Result

__all__ = ["ANALYSES", "Result", "by_word", "rank_correlation"]
