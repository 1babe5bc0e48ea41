"""Where in our models each kind of attention is."""

from collections.abc import Sequence
from typing import NamedTuple

from ..model.attention import MultiHeadAttention
from ..model.layers import DecoderLayer, EncoderLayer, Residual
from ..model.module import HookPoint
from ..model.towers import Model
from ..trace.kinds import Kind


def layers_of(model: Model, kind: Kind) -> Sequence[EncoderLayer | DecoderLayer]:
    """The layers that have this kind of attention; none, if the model has no such."""
    if kind == "decoder_self":
        return model.decoder.layers
    if model.encoder is None:
        return ()
    return model.encoder.layers if kind == "encoder_self" else model.decoder.layers


class AttentionBlock(NamedTuple):
    """An attention module, the connection around it, and the point that sees their sum."""

    attention: MultiHeadAttention
    residual: Residual
    after: HookPoint


def block_of(layer: EncoderLayer | DecoderLayer, kind: Kind) -> AttentionBlock:
    """The block of a layer that has this kind of attention."""
    if kind == "cross" and isinstance(layer, DecoderLayer):
        return AttentionBlock(
            layer.cross_attention, layer.cross_attention_residual, layer.after_cross_attention
        )
    return AttentionBlock(
        layer.self_attention, layer.self_attention_residual, layer.after_self_attention
    )
