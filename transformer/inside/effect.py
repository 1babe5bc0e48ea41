"""What a change to the model does to a translation that it made before: the same tokens, forced."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..ask.analysis import Result, analysis
from ..ask.options import INTERVENTIONS
from ..ask.passes import Logs, decoder_logits, log_probabilities, src_of, tgt_of
from ..trace.changes import read_interventions
from ..trace.interventions import Intervention
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator


@dataclass(frozen=True, kw_only=True, eq=False)
class Effect(Result):
    """How a change moves each step of a trace.

    Attributes:
        interventions: what was changed, beyond what the trace had changed already.
        log_probability: float32 [tgt], nats: log p of each emitted token with the change − without.
        divergence: float32 [tgt], nats, ≥ 0: KL(without ‖ with) of what each step would say.
    """

    schema = """
    interventions: text [change]
    log_probability: number_or_null [tgt] nats
    divergence: number [tgt] nats
    """

    interventions: tuple[Intervention, ...]
    log_probability: Weights
    divergence: Weights

    @property
    def total(self) -> float:
        """Σ Δ log p over all tokens, `</s>` included, nats; negative is harm."""
        return float(self.log_probability.sum(dtype="float64"))


@analysis(needs=("steps",), interventions=INTERVENTIONS)
def effect(
    translator: Translator, trace: AttentionTrace, interventions: Sequence[Intervention | str]
) -> Effect:
    """Scores a trace's tokens with a change and without it.

    What would be decoded anew with the change, `translator.trace` tells.

    Args:
        translator: whose model made the trace.
        trace: what to score; whatever was changed in it stays changed.
        interventions: the change, such as "cross.L2H4=zero".
    Raises:
        HeadlightError: an intervention cannot be read, or names a head that is not there.
    """
    changes = read_interventions(interventions)
    with torch.inference_mode():
        before = _logits(translator, trace, trace.interventions)
        after = _logits(translator, trace, (*trace.interventions, *changes))
        logs = log_probabilities(after, trace.tgt_ids) - log_probabilities(before, trace.tgt_ids)
        return effect_of(changes, logs[0], before, after)


def effect_of(
    interventions: tuple[Intervention, ...], logs: Logs, before: Tensor, after: Tensor
) -> Effect:
    """What a change does, by the logits without it and with it.

    Args:
        interventions: the change.
        logs: [tgt], what it adds to each token's log-probability.
        before: [1, tgt, vocabulary], logits without it.
        after: the same with it.
    """
    p, q = before.double().log_softmax(-1), after.double().log_softmax(-1)
    # A token that is never emitted has p = 0, and adds nothing.
    divergence = (p.exp() * (p - q).nan_to_num()).sum(-1).clamp(min=0)
    return Effect(
        interventions=interventions,
        log_probability=read_only(logs),
        divergence=read_only(divergence[0].cpu().numpy()),
    )


def _logits(
    translator: Translator, trace: AttentionTrace, interventions: Sequence[Intervention]
) -> Tensor:
    with translator.intervene(interventions):
        memory = translator.model.encode(src_of(translator, trace))
        return decoder_logits(translator, tgt_of(translator, trace), memory)
