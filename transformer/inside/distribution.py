"""How likely each step's tokens would be, at every temperature."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..ask.analysis import Result, analysis
from ..ask.passes import without_banned
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator

BEST = 50
TEMPERATURES = tuple(round(0.1 + 0.05 * i, 2) for i in range(39))
"""0.1 to 2, of which 1 is the model's own."""

AT_ONCE = 16
"""Steps whose logits are taken in float64 at once: a large vocabulary's are a megabyte each."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Distribution(Result):
    """The likeliest tokens of every step, and what makes probabilities of their logits.

    At a temperature T a token's probability is exp(logit ÷ T − log_sum), with T's own log_sum: of
    the whole vocabulary, so it is exact although only the best are told.

    Attributes:
        ids: int64 [tgt, best]: fifty, or the vocabulary where that is smaller, best first.
        tokens: [tgt][best]: their labels.
        logits: float32 [tgt, best]
        temperatures: 0.1 to 2 by 0.05.
        log_sum: float32 [tgt, temperature]: log Σ exp(logit ÷ T) over the whole vocabulary.
    """

    schema = """
    ids: integer [tgt, best]
    tokens: text [tgt, best]
    logits: float32 [tgt, best]
    temperatures: number [temperature]
    log_sum: float32 [tgt, temperature]
    """

    ids: npt.NDArray[np.int64]
    tokens: tuple[tuple[str, ...], ...]
    logits: Weights
    temperatures: tuple[float, ...]
    log_sum: Weights


@analysis(needs=("states",))
def distribution(translator: Translator, trace: AttentionTrace) -> Distribution:
    """The fifty best logits of every step of a trace, and the sums over all of them.

    Args:
        translator: whose model made the trace.
        trace: whatever was changed in it stays changed.
    """
    recording = translator.replay(trace.source, trace.tgt_ids, trace.interventions, ("output",))
    decoder = translator.model.decoder
    with torch.inference_mode():
        state = recording.at("decoder", "output")[-1]
        logits = without_banned(translator, decoder.output(decoder.norm(state)))[0]
    return distribution_of(logits, translator.tgt_tokenizer.pieces)


def distribution_of(
    logits: Tensor, labels: Callable[[Sequence[int]], Sequence[str]]
) -> Distribution:
    """What logits [step, vocab] say at every temperature; `labels` are those of ids."""
    best = logits.topk(min(BEST, logits.size(-1)))
    sums: list[Tensor] = []
    for start in range(0, len(logits), AT_ONCE):
        part = logits[start : start + AT_ONCE].double()
        sums.append(torch.stack([(part / each).logsumexp(-1) for each in TEMPERATURES], dim=-1))
    ids: npt.NDArray[np.int64] = best.indices.cpu().numpy()
    return Distribution(
        ids=ids,
        tokens=tuple(tuple(labels(step)) for step in ids.tolist()),
        logits=read_only(best.values.float().cpu().numpy()),
        temperatures=TEMPERATURES,
        log_sum=read_only(torch.cat(sums).float().cpu().numpy()),
    )
