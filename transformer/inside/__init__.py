"""Questions put to one trace, one a file: pure functions of it and of its model.

The model's own code knows nothing of what is asked here. Each answer is a frozen record whose
docstring gives shapes, units and source; most draw themselves with Plotly (`.figure()`). Who asks
about a trace gives the translator whose model made it; whatever was changed in it stays changed.
"""

from ..ask import ANALYSES, Result
from .alignment import Alignment, alignment
from .arithmetic import WorkedOut
from .comparison import Comparison, compare
from .contributions import Contributions, contributions
from .costs import costs
from .decoder_lens import DecoderLens, decoder_lens
from .distribution import Distribution
from .effect import Effect
from .flow import Flow, flow
from .gradients import Gradients
from .heads import heads
from .induction import Induction, induction
from .learnt_from import LearntFrom, learnt_from
from .leave_one_out import LeaveOneOut
from .lens import Lens
from .patching import Patching
from .residual import Residual, residual
from .rollout import Rollout, rollout
from .statistics import Statistics, statistics, statistics_over
from .swaps import Swap, Swaps, swaps
from .sweep import Sweep
from .value_norms import ValueNorms
from .value_zeroing import ValueZeroing
from .why import Why, why
from .without_words import WithoutWords, without_words

# isort: split
# What guests answer by functions of their own. Last, since a function's name is its module's, too,
# and importing a module binds its name here.
from .any_model import (
    anatomy,
    distribution,
    effect,
    gradients,
    leave_one_out,
    lens,
    patching,
    sweep,
    value_norms,
    value_zeroing,
    work_out,
)

__all__ = [
    "ANALYSES",
    "Alignment",
    "Comparison",
    "Contributions",
    "DecoderLens",
    "Distribution",
    "Effect",
    "Flow",
    "Gradients",
    "Induction",
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
    "distribution",
    "effect",
    "flow",
    "gradients",
    "heads",
    "induction",
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
