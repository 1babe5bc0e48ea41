"""Questions put to one trace, one a file: pure functions of it and of its model.

The model's own code knows nothing of what is asked here. Each answer is a frozen record whose
docstring gives shapes, units and source; most draw themselves with Plotly (`.figure()`). Who asks
about a trace gives the translator whose model made it; whatever was changed in it stays changed.
"""

from ..ask import ANALYSES, Result
from .alignment import Alignment, alignment
from .anatomy import anatomy
from .arithmetic import WorkedOut, work_out
from .comparison import Comparison, compare
from .contributions import Contributions, contributions
from .costs import costs
from .decoder_lens import DecoderLens, decoder_lens
from .effect import Effect, effect
from .flow import Flow, flow
from .gradients import Gradients, gradients
from .heads import heads
from .learnt_from import LearntFrom, learnt_from
from .leave_one_out import LeaveOneOut, leave_one_out
from .lens import Lens, lens
from .patching import Patching, patching
from .residual import Residual, residual
from .rollout import Rollout, rollout
from .statistics import Statistics, statistics, statistics_over
from .swaps import Swap, Swaps, swaps
from .sweep import Sweep, sweep
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
    "Gradients",
    "LearntFrom",
    "LeaveOneOut",
    "Lens",
    "Patching",
    "Residual",
    "Result",
    "Rollout",
    "Statistics",
    "Swap",
    "Swaps",
    "Sweep",
    "ValueNorms",
    "ValueZeroing",
    "Why",
    "WithoutWords",
    "WorkedOut",
    "alignment",
    "anatomy",
    "compare",
    "contributions",
    "costs",
    "decoder_lens",
    "effect",
    "flow",
    "gradients",
    "heads",
    "learnt_from",
    "leave_one_out",
    "lens",
    "patching",
    "residual",
    "rollout",
    "statistics",
    "statistics_over",
    "swaps",
    "sweep",
    "value_norms",
    "value_zeroing",
    "why",
    "without_words",
    "work_out",
]
