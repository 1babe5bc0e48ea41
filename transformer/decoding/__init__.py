"""Ids to a hypothesis: choosing a token at every step. It knows neither text nor recording."""

from .decode import Hypothesis, StopReason, decode
from .prefixes import check_prefix
from .rows import LiveRows
from .sampling import Sampling

__all__ = ["Hypothesis", "LiveRows", "Sampling", "StopReason", "check_prefix", "decode"]
