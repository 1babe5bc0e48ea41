"""A model corrected: one sentence learnt step by step, what that changes, and what is kept."""

from .forgetting import Forgetting, forgetting
from .lesson import Lesson
from .taught import Taught
from .teach import teach

__all__ = ["Forgetting", "Lesson", "Taught", "forgetting", "teach"]
