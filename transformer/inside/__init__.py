"""Questions put to traces and models, one a file: pure functions of them.

The model's own code knows nothing of what is asked here. Each answer is a frozen record whose
docstring gives shapes, units and source; most draw themselves with Plotly (`.figure()`). Who asks
about a trace gives the translator whose model made it; whatever was changed in it stays changed.
"""

from .agreement import by_word, rank_correlation
from .alignment import Alignment, alignment
from .analysis import ANALYSES, Result
from .arithmetic import WorkedOut, work_out
from .blocks import anatomy
from .comparison import Comparison, compare
from .contributions import Contributions, contributions
from .costs import costs
from .decoder_lens import DecoderLens, decoder_lens
from .effect import Effect, effect
from .flow import Flow, flow
from .forgetting import Forgetting, forgetting
from .gradients import Gradients, gradients
from .learnt_from import LearntFrom, learnt_from
from .leave_one_out import LeaveOneOut, leave_one_out
from .lens import Lens, lens
from .lesson import Lesson
from .patching import Patching, patching
from .residual import Residual, residual
from .rollout import Rollout, rollout
from .shipped import heads
from .statistics import Statistics, statistics, statistics_over
from .swaps import Swap, Swaps, swaps
from .sweep import Sweep, sweep
from .taught import Taught
from .teach import teach
from .telling import telling_heads, telling_heads_over
from .value_norms import ValueNorms, value_norms
from .value_zeroing import ValueZeroing, value_zeroing
from .why import Why, why
from .without_words import WithoutWords, without_words

__all__ = [
    "ANALYSES",
    "Alignment",
    "Comparison",
    "Contributions",
    "DecoderLens",
    "Effect",
    "Flow",
    "Forgetting",
    "Gradients",
    "LearntFrom",
    "LeaveOneOut",
    "Lens",
    "Lesson",
    "Patching",
    "Residual",
    "Result",
    "Rollout",
    "Statistics",
    "Swap",
    "Swaps",
    "Sweep",
    "Taught",
    "ValueNorms",
    "ValueZeroing",
    "Why",
    "WithoutWords",
    "WorkedOut",
    "alignment",
    "anatomy",
    "by_word",
    "compare",
    "contributions",
    "costs",
    "decoder_lens",
    "effect",
    "flow",
    "forgetting",
    "gradients",
    "heads",
    "learnt_from",
    "leave_one_out",
    "lens",
    "patching",
    "rank_correlation",
    "residual",
    "rollout",
    "statistics",
    "statistics_over",
    "swaps",
    "sweep",
    "teach",
    "telling_heads",
    "telling_heads_over",
    "value_norms",
    "value_zeroing",
    "why",
    "without_words",
    "work_out",
]
