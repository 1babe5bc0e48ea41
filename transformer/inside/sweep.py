"""Which heads matter: each switched off in turn, and what that does to the shown translation."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import torch
from torch import Tensor, nn

from ..ask.analysis import Result, analysis
from ..ask.options import Many, OneOf
from ..ask.passes import (
    Logs,
    as_traced,
    chunks,
    log_probabilities,
    src_of,
    tgt_of,
    without_banned,
)
from ..model.masks import causal_mask
from ..recording.hooks import attached, attention_modules
from ..show.maps import Figure, head_maps
from ..trace.head_names import every_head, head_name
from ..trace.kinds import KINDS, ByKind, Kind, num_layers
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace
from ..translator import Translator


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
    with torch.inference_mode(), as_traced(translator, trace):
        run = _Run(translator, trace)
        base = run.base()
        for kind in KINDS:
            shape = (num_layers(config, kind) if kind in kinds else 0, config.num_heads)
            deltas[kind] = np.zeros(shape, np.float32)
            for layer in range(len(deltas[kind])):
                for heads in chunks(translator, config.num_heads, len(trace.tgt_ids)):
                    deltas[kind][layer, heads] = run.without(kind, layer, heads) - base
    return Sweep(
        model=trace.model,
        source=trace.source,
        translation=trace.translation,
        log_probability=base,
        unit="nats",
        **{kind: read_only(deltas[kind]) if deltas[kind].size else None for kind in KINDS},
    )


class _Run:
    """The trace's pass, and what is left of it without some heads of a layer.

    Up to those heads' weights all passes are the same: one row enters the layer, and becomes a row
    for each head where that head's weights are set to 0.
    """

    def __init__(self, translator: Translator, trace: AttentionTrace) -> None:
        self._translator, self._ids = translator, trace.tgt_ids
        model, self._modules = translator.model, attention_modules(translator.model)
        src, tgt = src_of(translator, trace), tgt_of(translator, trace)
        self._memory = None
        if model.encoder is not None:
            self._encoder = _states(model.encoder.layers, model.encoder.embedding(src), ())
            self._memory = model.encoder.norm(self._encoder[-1])
        self._mask = causal_mask(tgt.size(1), tgt.size(1), tgt.device)
        x, rest = model.decoder.embedding(tgt), (self._mask, self._memory)
        self._decoder = _states(model.decoder.layers, x, rest)

    def base(self) -> float:
        """Σ log p with every head."""
        return float(self._scores(self._decoder[-1])[0])

    def without(self, kind: Kind, layer: int, heads: range) -> Logs:
        """Σ log p without each of these heads: [head], nats."""

        def each_without_one(_module: object, _args: object, weights: Tensor) -> Tensor:
            rows = weights.repeat(len(heads), 1, 1, 1)
            rows[range(len(heads)), heads] = 0
            return rows

        encoder, decoder = self._translator.model.encoder, self._translator.model.decoder
        memory = self._memory
        with attached([(self._modules[kind, layer].weights, each_without_one)]):
            if encoder is not None and kind == "encoder_self":
                states = _states(encoder.layers[layer:], self._encoder[layer], ())
                memory, layer = encoder.norm(states[-1]), 0
            rest = (self._mask, memory)
            return self._scores(_states(decoder.layers[layer:], self._decoder[layer], rest)[-1])

    def _scores(self, state: Tensor) -> Logs:
        """Σ log p from what leaves the last layer, [head, tgt, d_model] → [head]."""
        decoder = self._translator.model.decoder
        logits = without_banned(self._translator, decoder.output(decoder.norm(state)))
        return log_probabilities(logits, self._ids).sum(-1)


def _states(
    layers: Iterable[nn.Module], x: Tensor, rest: tuple[Tensor | None, ...]
) -> list[Tensor]:
    """What enters each layer, and what leaves the last; `rest` are a layer's other arguments."""
    return [*accumulate(layers, lambda x, layer: layer(x, *rest), initial=x)]
