"""Questions as anybody asks them: of a model of ours, or of a guest that can answer them.

What a guest cannot answer is refused with one sentence, which docs/own-models.md tells, too.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from ..errors import HeadlightError
from ..trace.interventions import Intervention
from ..trace.kinds import KINDS, Kind
from ..trace.trace import AttentionTrace
from ..translator import Translator
from . import guest_anatomy, guest_experiments, guest_gradients, guest_states, guest_zeroing
from .anatomy import Anatomy
from .anatomy import anatomy as our_anatomy
from .arithmetic import work_out as our_work_out
from .contributions import contributions as our_contributions
from .decoder_lens import decoder_lens as our_decoder_lens
from .distribution import Distribution
from .distribution import distribution as our_distribution
from .effect import Effect
from .effect import effect as our_effect
from .flow import flow as our_flow
from .gradients import Gradients
from .gradients import gradients as our_gradients
from .heads import heads as our_heads
from .learnt_from import learnt_from as our_learnt_from
from .leave_one_out import LeaveOneOut
from .leave_one_out import leave_one_out as our_leave_one_out
from .lens import Lens
from .lens import lens as our_lens
from .patching import Patching
from .patching import patching as our_patching
from .residual import residual as our_residual
from .swaps import swaps as our_swaps
from .sweep import Sweep
from .sweep import sweep as our_sweep
from .value_norms import ValueNorms
from .value_norms import value_norms as our_value_norms
from .value_zeroing import ValueZeroing
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


def anatomy(model: "AnyModel") -> Anatomy:
    """What a model is made of: see `anatomy.anatomy`."""
    if isinstance(model, Translator):
        return our_anatomy(model)
    return guest_anatomy.anatomy(model)


def distribution(model: "AnyModel", trace: AttentionTrace) -> Distribution:
    """How likely each step's tokens would be, at every temperature: see `distribution`."""
    if isinstance(model, Translator):
        return our_distribution(model, trace)
    return guest_experiments.distribution(model, trace)


def effect(
    model: "AnyModel", trace: AttentionTrace, interventions: Sequence[Intervention | str]
) -> Effect:
    """What a change does to a trace's tokens: see `effect.effect`."""
    if isinstance(model, Translator):
        return our_effect(model, trace, interventions)
    return guest_experiments.effect(model, trace, interventions)


def sweep(model: "AnyModel", trace: AttentionTrace, kinds: Collection[Kind] = KINDS) -> Sweep:
    """Every head switched off in turn: see `sweep.sweep`."""
    if isinstance(model, Translator):
        return our_sweep(model, trace, kinds)
    return guest_experiments.sweep(model, trace, kinds)


def leave_one_out(
    model: "AnyModel", trace: AttentionTrace, instead: Mapping[int, int] | None = None
) -> LeaveOneOut:
    """Every word left out in turn: see `leave_one_out.leave_one_out`."""
    if isinstance(model, Translator):
        return our_leave_one_out(model, trace, instead)
    return guest_experiments.leave_one_out(model, trace, instead)


def lens(model: "AnyModel", trace: AttentionTrace) -> Lens:
    """What every layer would say if it were the last: see `lens.lens`."""
    if isinstance(model, Translator):
        return our_lens(model, trace)
    return guest_states.lens(model, trace)


def patching(
    model: "AnyModel", trace: AttentionTrace, donor: str, step: int | None = None
) -> Patching:
    """Patching a trace's run with another text's parts, in turn: see `patching.patching`."""
    if isinstance(model, Translator):
        return our_patching(model, trace, donor, step)
    return guest_states.patching(model, trace, donor, step)


def gradients(
    model: "AnyModel", trace: AttentionTrace, step: int, token: int | None = None
) -> Gradients:
    """What each word adds to a prediction, by gradients: see `gradients.gradients`."""
    if isinstance(model, Translator):
        return our_gradients(model, trace, step, token)
    return guest_gradients.gradients(model, trace, step, token)


def value_norms(model: "AnyModel", trace: AttentionTrace) -> ValueNorms:
    """Weights times the lengths of what they carry: see `value_norms.value_norms`."""
    if isinstance(model, Translator):
        return our_value_norms(model, trace)
    return guest_gradients.value_norms(model, trace)


def value_zeroing(model: "AnyModel", trace: AttentionTrace) -> ValueZeroing:
    """Which tokens each layer's output rests on: see `value_zeroing.value_zeroing`."""
    if isinstance(model, Translator):
        return our_value_zeroing(model, trace)
    return guest_zeroing.value_zeroing(model, trace)


def _ours_alone(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """A question that only our own models answer, and a sentence for whoever asks another."""

    @wraps(function)
    def ask(*args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        for model in args:
            if hasattr(model, "learnt"):
                name, why = function.__name__, WHY_NOT[function.__name__]
                raise HeadlightError("guest", f"{name} cannot be asked of a guest: {why}")
        return function(*args, **kwargs)

    return ask


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
