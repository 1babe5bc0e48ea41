"""Questions as anybody asks them: of a model of ours, or of a guest that can answer them.

What a guest cannot answer is refused with one sentence, which docs/own-models.md tells, too.
"""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from ..ask.ours_alone import ours_alone
from ..translator import Translator
from . import guest_anatomy, guest_experiments, guest_gradients, guest_states, guest_zeroing
from .anatomy import anatomy as our_anatomy
from .arithmetic import work_out as our_work_out
from .distribution import distribution as our_distribution
from .effect import effect as our_effect
from .gradients import gradients as our_gradients
from .leave_one_out import leave_one_out as our_leave_one_out
from .lens import lens as our_lens
from .patching import patching as our_patching
from .sweep import sweep as our_sweep
from .value_norms import value_norms as our_value_norms
from .value_zeroing import value_zeroing as our_value_zeroing

if TYPE_CHECKING:
    from ..guests.hugging_face.guest import HuggingFaceModel

    AnyModel = Translator | HuggingFaceModel

NO_ARITHMETIC = "every step of the arithmetic is told for our own layers alone"
"""Why a guest is not asked to work a weight out."""

OF_GUESTS: list[str] = []
"""Analyses that guests answer by functions of their own, by name."""

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def _of_any(
    ours: Callable[Concatenate[Translator, Asked], Answer],
    guests: "Callable[Concatenate[HuggingFaceModel, Asked], Answer]",
) -> "Callable[Concatenate[AnyModel, Asked], Answer]":
    """A question that our own models answer by one function, and guests by another."""
    OF_GUESTS.append(ours.__name__)

    @wraps(ours)
    def ask(model: "AnyModel", *args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        if isinstance(model, Translator):
            return ours(model, *args, **kwargs)
        return guests(model, *args, **kwargs)

    return ask


anatomy = _of_any(our_anatomy, guest_anatomy.anatomy)
distribution = _of_any(our_distribution, guest_experiments.distribution)
effect = _of_any(our_effect, guest_experiments.effect)
sweep = _of_any(our_sweep, guest_experiments.sweep)
leave_one_out = _of_any(our_leave_one_out, guest_experiments.leave_one_out)
lens = _of_any(our_lens, guest_states.lens)
patching = _of_any(our_patching, guest_states.patching)
gradients = _of_any(our_gradients, guest_gradients.gradients)
value_norms = _of_any(our_value_norms, guest_gradients.value_norms)
value_zeroing = _of_any(our_value_zeroing, guest_zeroing.value_zeroing)

work_out = ours_alone(our_work_out, NO_ARITHMETIC)
