"""A model corrected: one sentence learnt step by step, what that changes, and what is kept."""

from .correction import Correction
from .forgetting import Forgetting, forgetting
from .taught import Taught
from .teach import teach

__all__ = ["Correction", "Forgetting", "Taught", "forgetting", "teach"]
