"""Which heads matter: each switched off in turn, and what that does to the shown translation."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from ..ask.analysis import Result, analysis
from ..ask.options import Many, OneOf
from ..ask.passes import (
    as_traced,
    chunks,
    decoder_logits,
    log_probabilities,
    row_by_row,
    src_of,
    tgt_of,
)
from ..recording.hooks import attention_modules
from ..show.maps import Figure, head_maps
from ..trace.head_names import every_head, head_name
from ..trace.kinds import KINDS, ByKind, Kind, num_layers
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator

Head = tuple[Kind, int, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sweep(ByKind[Weights], Result):
    """What switching off each head would do to a translation.

    Attributes:
        model, source, translation: of the trace.
        log_probability: Σ log p over all emitted tokens, `</s>` included, nats, nothing further
            switched off.
        encoder_self, decoder_self, cross: float32 [layer, head], nats: Σ Δ log p over the same
            tokens, teacher-forced, with the head's weights 0. Negative is harm. None if the model
            has no such heads, or they were not asked for.
        unit: of all of them.

    Source: Michel et al. 2019, "Are Sixteen Heads Really Better than One?"
    """

    schema = """
    model: text
    source: text
    translation: text
    log_probability: number nats
    unit: text
    encoder_self: number? [layer, head] nats
    decoder_self: number? [layer, head] nats
    cross: number? [layer, head] nats
    """

    packed_as = ""

    model: str
    source: str
    translation: str
    log_probability: float
    unit: str

    def ranked(self) -> list[tuple[Kind, str, float]]:
        """Every head as (kind, name, Δ log p), the most harmful to lose first."""
        heads: list[tuple[Kind, str, float]] = [
            (kind, head_name(*place), float(deltas[place]))
            for kind, deltas in self.present()
            for place in every_head(deltas)
        ]
        return sorted(heads, key=lambda head: head[2])

    def figure(self) -> Figure:
        """A map layers × heads for each kind, on one diverging scale."""
        title = "Δ log-probability with the head switched off"
        return head_maps(dict(self.present()), title, "nats")


@analysis(
    needs=("steps",),
    cost="most_heads",
    kinds=Many(OneOf(KINDS), most=len(KINDS), absent=KINDS),
)
def sweep(
    translator: Translator,
    trace: AttentionTrace,
    kinds: Collection[Kind] = KINDS,
) -> Sweep:
    """Switches off every head in turn, many at a time, and scores the trace's translation.

    Args:
        translator: whose model made the trace.
        trace: what to score; whatever was changed in it stays changed.
        kinds: whose heads; those of others are None.
    """
    config = translator.config
    deltas: dict[Kind, Weights] = {}
    heads: list[Head] = []
    for kind in KINDS:
        shape = (num_layers(config, kind) if kind in kinds else 0, config.num_heads)
        deltas[kind] = np.zeros(shape, np.float32)
        heads.extend((kind, layer, head) for layer, head in every_head(deltas[kind]))
    run = _Run(translator, trace)
    with torch.inference_mode(), as_traced(translator, trace):
        [base] = run.score([])
        # Heads of the encoder by themselves: only they need the encoder to read anew.
        ours = [[head for head in heads if (head[0] == "encoder_self") == yes] for yes in (1, 0)]
        for group in ours:
            for rows in chunks(translator, len(group), len(trace.tgt_ids)):
                batch = [group[row] for row in rows]
                for (kind, layer, head), score in zip(batch, run.score(batch), strict=True):
                    deltas[kind][layer, head] = score - base
    return Sweep(
        model=trace.model,
        source=trace.source,
        translation=trace.translation,
        log_probability=base,
        unit="nats",
        **{kind: read_only(deltas[kind]) if deltas[kind].size else None for kind in KINDS},
    )


@dataclass
class _Run:
    """The trace's pass, and what of it can be used again."""

    translator: Translator
    trace: AttentionTrace
    memory: Tensor | None = field(default=None, init=False)

    def score(self, heads: Sequence[Head]) -> list[float]:
        """Σ log p of the translation without each of these heads; without any, of it as it is."""
        translator, trace = self.translator, self.trace
        src, size = src_of(translator, trace), len(heads) or 1
        tgt_in = tgt_of(translator, trace).expand(size, -1)
        modules = attention_modules(translator.model)
        with row_by_row([(modules[kind, layer].weights, (head,)) for kind, layer, head in heads]):
            memory = self._memory(src, heads).expand(size, -1, -1)
            logits = decoder_logits(translator, tgt_in, memory)
        return log_probabilities(logits, trace.tgt_ids).sum(-1).tolist()

    def _memory(self, src: Tensor, heads: Sequence[Head]) -> Tensor:
        if any(kind == "encoder_self" for kind, _, _ in heads):
            return self.translator.model.encode(src.expand(len(heads), -1))
        if self.memory is None:
            self.memory = self.translator.model.encode(src)
        return self.memory
