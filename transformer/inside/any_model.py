"""Questions as anybody asks them: of a model of ours, or of a guest that can answer them.

What a guest cannot answer is refused with one sentence, which docs/own-models.md tells, too.
"""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from ..ask.analysis import ANALYSES
from ..ask.needs import check_needs
from ..errors import GuestError
from ..translator import Translator
from . import guest_anatomy, guest_experiments, guest_gradients, guest_states, guest_zeroing
from .anatomy import anatomy as our_anatomy
from .arithmetic import work_out as our_work_out
from .contributions import contributions as our_contributions
from .decoder_lens import decoder_lens as our_decoder_lens
from .distribution import distribution as our_distribution
from .effect import effect as our_effect
from .flow import flow as our_flow
from .gradients import gradients as our_gradients
from .heads import heads as our_heads
from .learnt_from import learnt_from as our_learnt_from
from .leave_one_out import leave_one_out as our_leave_one_out
from .lens import lens as our_lens
from .patching import patching as our_patching
from .residual import residual as our_residual
from .swaps import swaps as our_swaps
from .sweep import sweep as our_sweep
from .value_norms import value_norms as our_value_norms
from .value_zeroing import value_zeroing as our_value_zeroing
from .why import why as our_why
from .without_words import without_words as our_without_words

if TYPE_CHECKING:
    from ..guests.hugging_face.guest import HuggingFaceModel

    AnyModel = Translator | HuggingFaceModel

WHY_NOT = {
    "work_out": "every step of the arithmetic is told for our own layers alone",
    "contributions": "taking an attention's sum apart needs norms that only our own models tell",
    "flow": "taking an attention's sum apart needs norms that only our own models tell",
    "learnt_from": "no text that it was trained on has come along",
    "why": "which words a choice rests on is asked of our own models; leave_one_out and gradients "
    "with token= say as much of this one",
    "decoder_lens": "a decoder that reads the encoder half-way is built for our own models alone",
    "residual": "what enters and leaves a layer's parts is known of our own models alone",
    "without_words": "leave_one_out says what every token loses without a word",
    "heads": "what heads do over a corpus is stored with our own checkpoints alone",
    "swaps": "words that fit in another's place are looked for in our own lexicons",
}
"""Why a guest is not asked, by question."""

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def _of_any(
    ours: Callable[Concatenate[Translator, Asked], Answer],
    guests: "Callable[Concatenate[HuggingFaceModel, Asked], Answer]",
) -> "Callable[Concatenate[AnyModel, Asked], Answer]":
    """A question that our own models answer by one function, and guests by another."""

    @wraps(ours)
    def ask(model: "AnyModel", *args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        if isinstance(model, Translator):
            return ours(model, *args, **kwargs)
        return guests(model, *args, **kwargs)

    return ask


def _ours_alone(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """A question that only our own models answer, and a sentence for whoever asks another."""
    name = function.__name__

    @wraps(function)
    def ask(*args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        for model in (*args, *kwargs.values()):
            if hasattr(model, "learnt"):
                why = f"{name} cannot be asked of a guest: {WHY_NOT[name]}"
                raise GuestError(why, "ours_alone")
            if isinstance(model, Translator) and name in ANALYSES:
                check_needs(ANALYSES[name].needs, model)
        return function(*args, **kwargs)

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

work_out = _ours_alone(our_work_out)
contributions = _ours_alone(our_contributions)
decoder_lens = _ours_alone(our_decoder_lens)
flow = _ours_alone(our_flow)
heads = _ours_alone(our_heads)
learnt_from = _ours_alone(our_learnt_from)
residual = _ours_alone(our_residual)
swaps = _ours_alone(our_swaps)
why = _ours_alone(our_why)
without_words = _ours_alone(our_without_words)
