"""What an encoder and a decoder are made of: positions, feed-forward network, layers."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .attention import KeyValueCache, MultiHeadAttention
from .config import Activation, Positions, TransformerConfig
from .dropout import Dropout
from .layer_norm import LayerNorm
from .module import HookPoint, Module

ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "silu": F.silu,
}


def sinusoids(max_length: int, d_model: int, positions: Positions) -> Tensor:
    """The sine and cosine of every position at d_model / 2 wavelengths from 2π to 10000 · 2π.

    Args:
        max_length: number of positions.
        d_model: width; even.
        positions: "interleaved", sin cos sin cos …; "concatenated", all sines, then all cosines.
    Returns:
        [max_length, d_model], each value in [-1, 1].
    Source: Vaswani et al. 2017, section 3.5.
    """
    # To count on the meta device, PyTorch would import its compiler, for seconds.
    if torch.empty(0).is_meta:
        return torch.empty(max_length, d_model)
    # In float32 the angle of position 500 would be off by 3e-5.
    frequencies = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.arange(max_length)[:, None] * frequencies
    pairs = torch.stack((angles.sin(), angles.cos()), dim=-1).float()  # [length, d_model / 2, 2]
    return (pairs if positions == "interleaved" else pairs.transpose(1, 2)).flatten(1)


class PositionalEncoding(Module):
    """Adds to each token's vector where it stands, and drops some of the sum in training."""

    if TYPE_CHECKING:
        encoding: Tensor

    def __init__(self, max_length: int, d_model: int, dropout: float, positions: Positions) -> None:
        super().__init__()
        self.register_buffer(
            "encoding", sinusoids(max_length, d_model, positions), persistent=False
        )
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """`x` is [batch, length, d_model]; its first token stands at position `start`.

        Raises:
            ValueError: the last position lies past the model's maximum length.
        """
        end = start + x.size(1)
        if end > self.encoding.size(0):
            raise ValueError(
                f"{end} tokens are more than this model's maximum length, {self.encoding.size(0)}"
            )
        return self.dropout(x + self.encoding[start:end])


class FeedForward(Module):
    """The position-wise network: each token's vector, widened, bent, and narrowed again."""

    def __init__(self, d_model: int, d_ff: int, dropout: float, activation: Activation) -> None:
        super().__init__()
        self.inner = nn.Linear(d_model, d_ff)
        self.outer = nn.Linear(d_ff, d_model)
        self.activation = ACTIVATIONS[activation]
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, length, d_model] → the same shape."""
        return self.outer(self.dropout(self.activation(self.inner(x))))


class Residual(Module):
    """Wraps a sublayer: residual connection, dropout, and LayerNorm after it or before it."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.norm = LayerNorm(config.d_model)
        self.dropout = Dropout(config.dropout)
        self.pre_norm = config.norm_placement == "pre"

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor], after: HookPoint) -> Tensor:
        """[batch, length, d_model] → the same shape; `after` sees the sum, before a post-norm."""
        if self.pre_norm:
            return after(x + self.dropout(sublayer(self.norm(x))))
        return self.norm(after(x + self.dropout(sublayer(x))))


class EncoderLayer(Module):
    """Self-attention, then feed-forward.

    The hook points `after_self_attention` and `after_feed_forward` see the sum of a sublayer and
    its input, before a post-norm; `output` sees what the layer hands on: [batch, src, d_model].
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        c = config
        self.self_attention = MultiHeadAttention(c.d_model, c.num_heads, c.dropout)
        self.feed_forward = FeedForward(c.d_model, c.d_ff, c.dropout, c.activation)
        self.self_attention_residual = Residual(c)
        self.feed_forward_residual = Residual(c)
        self.after_self_attention = HookPoint()
        self.after_feed_forward = HookPoint()
        self.output = HookPoint()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """`x` is [batch, src, d_model]; `mask` broadcasts to [batch, head, src, src]."""
        x = self.self_attention_residual(
            x, lambda x: self.self_attention(x, mask=mask), self.after_self_attention
        )
        x = self.feed_forward_residual(x, self.feed_forward, self.after_feed_forward)
        return self.output(x)


class LayerCache:
    """What one decoder layer keeps from step to step."""

    def __init__(self, max_target: int, num_source: int) -> None:
        self.self_attention = KeyValueCache(max_target)
        self.cross_attention = KeyValueCache(num_source)


class DecoderLayer(Module):
    """Masked self-attention, cross-attention to the encoder's memory, then feed-forward.

    A decoder-only model's layers have no cross-attention. Hook points as in an `EncoderLayer`, and
    `after_cross_attention`.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        c = config
        self.self_attention = MultiHeadAttention(c.d_model, c.num_heads, c.dropout)
        self.self_attention_residual = Residual(c)
        if not c.decoder_only:
            self.cross_attention = MultiHeadAttention(c.d_model, c.num_heads, c.dropout)
            self.cross_attention_residual = Residual(c)
            self.after_cross_attention = HookPoint()
        self.feed_forward = FeedForward(c.d_model, c.d_ff, c.dropout, c.activation)
        self.feed_forward_residual = Residual(c)
        self.after_self_attention = HookPoint()
        self.after_feed_forward = HookPoint()
        self.output = HookPoint()

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        memory: Tensor | None = None,
        src_mask: Tensor | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """One layer of the decoder.

        Args:
            x: [batch, tgt, d_model]
            mask: causal and padding mask, broadcastable to [batch, head, tgt, tgt].
            memory: [batch, src, d_model], the encoder's output; None in a decoder-only model.
            src_mask: padding mask of the memory, broadcastable to [batch, head, tgt, src].
            cache: what earlier steps computed; `x` then holds only the new tokens.
        Returns:
            [batch, tgt, d_model]
        """
        own_cache = cache and cache.self_attention
        x = self.self_attention_residual(
            x,
            lambda x: self.self_attention(x, mask=mask, cache=own_cache),
            self.after_self_attention,
        )
        if memory is not None:
            cross_cache = cache and cache.cross_attention
            x = self.cross_attention_residual(
                x,
                lambda x: self.cross_attention(x, memory, src_mask, cross_cache),
                self.after_cross_attention,
            )
        x = self.feed_forward_residual(x, self.feed_forward, self.after_feed_forward)
        return self.output(x)
