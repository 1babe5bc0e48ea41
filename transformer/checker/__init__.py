"""A stranger's `nn.Module`, judged by its behaviour: here belongs what calls, records and judges
it, and the words for what was found; nothing here may know our own model, its names or files.
"""

from .check import check
from .report import Report
from .results import Finding

__all__ = ["Finding", "Report", "check"]
