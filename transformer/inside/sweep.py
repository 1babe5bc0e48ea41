"""Which heads matter: each switched off in turn, and what that does to the shown translation."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import torch
from torch import Tensor, nn

from ..ask.analysis import Result, analysis
from ..ask.options import Many, OneOf
from ..ask.passes import (
    as_traced,
    chunks,
    log_probabilities,
    row_by_row,
    src_of,
    tgt_of,
    without_banned,
)
from ..model.masks import causal_mask
from ..recording.hooks import attention_modules
from ..show.maps import Figure, head_maps
from ..trace.head_names import every_head, head_name
from ..trace.kinds import KINDS, ByKind, Kind, num_layers
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator

Head = tuple[Kind, int, int]
Layers = Sequence[nn.Module]
Rest = tuple[Tensor | None, ...]


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
    with torch.inference_mode(), as_traced(translator, trace):
        run = _Run(translator, trace)
        [base] = run.score([])
        # Heads of the encoder by themselves: only they need the encoder to read anew.
        ours = [[head for head in heads if (head[0] == "encoder_self") == yes] for yes in (1, 0)]
        for group in ours:
            group.sort(key=lambda head: head[1])
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


class _Run:
    """The trace's pass, and passes without a head, which are the same up to the head's layer.

    There a row joins the batch, with what enters that layer in the trace's pass: [1, length,
    d_model], one for each layer, and what leaves the last.
    """

    def __init__(self, translator: Translator, trace: AttentionTrace) -> None:
        self._translator, self._ids = translator, trace.tgt_ids
        model, self._modules = translator.model, attention_modules(translator.model)
        src, tgt = src_of(translator, trace), tgt_of(translator, trace)
        self._memory = None
        if model.encoder is not None:
            self._encoder = _entering(model.encoder.layers, model.encoder.embedding(src), ())
            self._memory = model.encoder.norm(self._encoder[-1])
        self._mask = causal_mask(tgt.size(1), tgt.size(1), tgt.device)
        x, rest = model.decoder.embedding(tgt), (self._mask, self._memory)
        self._decoder = _entering(model.decoder.layers, x, rest)

    def score(self, heads: Sequence[Head]) -> list[float]:
        """Σ log p without each of these heads, all the encoder's or all the decoder's, by layer."""
        changes = [(self._modules[kind, layer].weights, (head,)) for kind, layer, head in heads]
        with row_by_row(changes):
            state = self._without(heads) if heads else self._decoder[-1]
        decoder = self._translator.model.decoder
        logits = without_banned(self._translator, decoder.output(decoder.norm(state)))
        return log_probabilities(logits, self._ids).sum(-1).tolist()

    def _without(self, heads: Sequence[Head]) -> Tensor:
        """What leaves the decoder's last layer, [head, tgt, d_model]."""
        encoder, decoder = self._translator.model.encoder, self._translator.model.decoder
        layers = [layer for _, layer, _ in heads]
        memory = self._memory
        if encoder is not None and heads[0][0] == "encoder_self":
            memory = encoder.norm(_joined(encoder.layers, self._encoder, layers, ()))
            layers = [0] * len(heads)
        return _joined(decoder.layers, self._decoder, layers, (self._mask, memory))


def _entering(layers: Layers, x: Tensor, rest: Rest) -> list[Tensor]:
    """What enters each layer, and what leaves the last; `rest` are a layer's other arguments."""
    return [*accumulate(layers, lambda x, layer: layer(x, *rest), initial=x)]


def _joined(layers: Layers, entering: list[Tensor], joins: Sequence[int], rest: Rest) -> Tensor:
    """What leaves the last layer, of rows that join the batch at layers in ascending order."""
    x = entering[0][:0]
    for number, layer in enumerate(layers):
        x = torch.cat((x, entering[number].expand(joins.count(number), -1, -1)))
        x = layer(x, *rest) if len(x) else x
    return x
