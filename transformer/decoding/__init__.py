"""Ids to a hypothesis: choosing a token at every step. It knows neither text nor recording."""

from ..trace.sampling import Sampling, StopReason
from .decode import Hypothesis, decode
from .prefixes import check_prefix
from .rows import LiveRows

__all__ = ["Hypothesis", "LiveRows", "Sampling", "StopReason", "check_prefix", "decode"]
