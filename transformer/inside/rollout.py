"""Attention followed through the layers: a crude answer to what a layer has read from where."""

from dataclasses import dataclass

import numpy as np

from ..ask.analysis import Result
from ..show.maps import Figure, token_map
from ..trace.kinds import Kind, key_tokens
from ..trace.packing import Weights, read_only
from ..trace.trace import AttentionTrace


@dataclass(frozen=True, kw_only=True, eq=False)
class Rollout(Result):
    """Attention rollout. Crude: it takes heads as equal, values as equally long, and the residual
    stream as half of everything; `contributions` measures what this assumes.

    Attributes:
        kind: "encoder_self", or "decoder_self" of a decoder-only model.
        tokens: the labels of rows and columns.
        weights: float32 [layer, query, key], shares; each row sums to 1: from the model's input up
            to and with this layer.

    Source: Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers".
    """

    packed_as = "float16"

    kind: Kind
    tokens: tuple[str, ...]
    weights: Weights

    def figure(self, layer: int = -1) -> Figure:
        """The matrix query × key up to one layer, from 0; by default all of them."""
        layers = range(len(self.weights))[layer] + 1
        title = f"Rollout up to layer {layers} (crude)"
        axes = ("made of", "token")
        return token_map(self.weights[layer], self.tokens, self.tokens, title, "share", axes)


def rollout(trace: AttentionTrace) -> Rollout:
    """Multiplies the layers' mean attention, each mixed half and half with the residual stream."""
    kind: Kind = "decoder_self" if trace.encoder_self is None else "encoder_self"
    weights = trace.weights(kind)
    assert weights is not None
    tokens = key_tokens(trace, kind)
    identity = np.eye(len(tokens))
    reached, layers = identity, list[Weights]()
    for layer in weights.astype(np.float64):
        mixed = layer.mean(0) + identity
        # Heads that are switched off attend to nothing: the rest shares what there is.
        reached = (mixed / mixed.sum(-1, keepdims=True)) @ reached
        layers.append(reached.astype(np.float32))
    return Rollout(kind=kind, tokens=tokens, weights=read_only(np.stack(layers)))
