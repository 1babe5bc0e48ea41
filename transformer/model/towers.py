"""The Transformer of Vaswani et al. 2017, and its decoder-only sibling.

Shapes: src [batch, src] and tgt [batch, tgt] are token ids (int64); memory, the encoder's output,
is [batch, src, d_model].
"""

import math
from collections.abc import Sequence
from typing import Literal, cast

import torch
from torch import Tensor, nn

from .config import TransformerConfig
from .layer_norm import LayerNorm
from .layers import DecoderLayer, EncoderLayer, LayerCache, PositionalEncoding
from .masks import causal_mask, padding_mask, target_mask
from .module import Module

Tower = Literal["encoder", "decoder"]


class Embedding(Module):
    """Token ids → vectors with positions added: what the first layer reads."""

    def __init__(self, vocab_size: int, config: TransformerConfig) -> None:
        super().__init__()
        c = config
        self.token = nn.Embedding(vocab_size, c.d_model)
        self.position = PositionalEncoding(c.max_length, c.d_model, c.dropout, c.positions)
        self.scale = math.sqrt(c.d_model) if c.scale_embeddings else 1.0

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """[batch, length] → [batch, length, d_model]; the first token stands at `start`."""
        return self.position(self.token(ids) * self.scale, start)


class Encoder(Module):
    """A stack of encoder layers."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.embedding = Embedding(config.src_vocab_size, config)
        layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.num_encoder_layers))
        self.layers = cast(Sequence[EncoderLayer], layers)
        self.norm = LayerNorm(config.d_model) if config.final_norms else nn.Identity()

    def forward(self, src: Tensor, mask: Tensor | None = None) -> Tensor:
        """[batch, src] → [batch, src, d_model]; `mask` broadcasts to [batch, head, src, src]."""
        x = self.embedding(src)
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)


class DecoderCache:
    """What a decoder keeps between the steps of one decode, so that each step is one row's work."""

    def __init__(self, num_layers: int, max_target: int, num_source: int = 0) -> None:
        self.layers = [LayerCache(max_target, num_source) for _ in range(num_layers)]

    @property
    def length(self) -> int:
        """Number of target tokens already decoded."""
        return self.layers[0].self_attention.length

    def keep(self, rows: Sequence[int]) -> None:
        """Forgets all rows of the batch but these, which move together in this order."""
        for layer in self.layers:
            layer.self_attention.keep(rows)
            layer.cross_attention.keep(rows)


class Decoder(Module):
    """A stack of decoder layers and the projection from its output to the vocabulary."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.embedding = Embedding(config.tgt_vocab_size, config)
        layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_decoder_layers))
        self.layers = cast(Sequence[DecoderLayer], layers)
        self.norm = LayerNorm(config.d_model) if config.final_norms else nn.Identity()
        self.output = nn.Linear(config.d_model, config.tgt_vocab_size, bias=config.output_bias)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor | None = None,
        mask: Tensor | None = None,
        src_mask: Tensor | None = None,
        cache: DecoderCache | None = None,
    ) -> Tensor:
        """What each position knows about the token after it, for `output` to say.

        Args:
            tgt: [batch, tgt]; with a cache, only the tokens that it has not seen.
            memory: [batch, src, d_model]; None in a decoder-only model.
            mask: broadcastable to [batch, head, tgt, all tgt]; by default the causal mask.
            src_mask: broadcastable to [batch, head, tgt, src]; by default everything is read.
            cache: of earlier steps; this call adds to it.
        Returns:
            [batch, tgt, d_model]
        """
        start = cache.length if cache else 0
        length = tgt.size(1)
        # A single newest row may attend to everything before it: nothing is masked.
        if mask is None and length > 1:
            mask = causal_mask(length, start + length, tgt.device)
        x = self.embedding(tgt, start)
        for index, layer in enumerate(self.layers):
            x = layer(x, mask, memory, src_mask, cache.layers[index] if cache else None)
        return self.norm(x)


class Model(Module):
    """What a `Transformer` and a `LanguageModel` are both asked: to encode, and to decode."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = None if config.decoder_only else Encoder(config)
        self.decoder = Decoder(config)
        if self.encoder is not None and config.tied_embeddings == "all":
            self.encoder.embedding.token.weight = self.decoder.embedding.token.weight
        for tower in reversed(self.towers().values()):
            _initialise(tower, config)

    def encode(self, src: Tensor, src_mask: Tensor | None = None) -> Tensor:
        """[batch, src] → memory [batch, src, d_model]; `src_mask` is by default the padding mask.

        Raises:
            ValueError: there is a source, but no encoder.
        """
        if self.encoder is not None:
            return self.encoder(src, self.source_mask(src) if src_mask is None else src_mask)
        if src.size(1):
            raise ValueError(f"{src.size(1)} source tokens, but no encoder to read them")
        return torch.empty(*src.shape, self.config.d_model, device=src.device)

    def decode(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        src_mask: Tensor | None = None,
        cache: DecoderCache | None = None,
    ) -> Tensor:
        """Logits [batch, tgt, vocab] for the token after each of `tgt`; see `Decoder.forward`.

        A padded batch needs its `src_mask` here, as the memory does not tell what is padding.
        """
        return self.decoder.output(self.states(tgt, memory, tgt_mask, src_mask, cache))

    def states(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        src_mask: Tensor | None = None,
        cache: DecoderCache | None = None,
    ) -> Tensor:
        """`decode` without the projection to the vocabulary: [batch, tgt, d_model]."""
        read = None if self.encoder is None else memory
        return self.decoder(tgt, read, tgt_mask, src_mask, cache)

    def towers(self) -> dict[Tower, Encoder | Decoder]:
        """The encoder, if there is one, and the decoder, in the order of the flow."""
        first: dict[Tower, Encoder] = {} if self.encoder is None else {"encoder": self.encoder}
        return {**first, "decoder": self.decoder}

    def source_mask(self, src: Tensor) -> Tensor:
        """The padding mask [batch, 1, 1, src] of a source."""
        return padding_mask(src, self.config.pad_id)


class Transformer(Model):
    """An encoder reads the source, a decoder writes the target.

    Raises:
        ValueError: the config describes a decoder-only model.
    """

    encoder: Encoder

    def __init__(self, config: TransformerConfig) -> None:
        if config.decoder_only:
            raise ValueError("num_encoder_layers is 0: this config describes a LanguageModel")
        super().__init__(config)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Teacher forcing: logits [batch, tgt, vocab] at every position at once."""
        src_mask = self.source_mask(src)
        memory = self.encode(src, src_mask)
        return self.decode(tgt, memory, target_mask(tgt, self.config.pad_id), src_mask)


class LanguageModel(Model):
    """A decoder alone: GPT-style, it continues its own text. Its sources are empty, [batch, 0].

    Raises:
        ValueError: the config describes a model with an encoder.
    """

    def __init__(self, config: TransformerConfig) -> None:
        if not config.decoder_only:
            raise ValueError(
                "a LanguageModel has no encoder: num_encoder_layers must be 0, "
                f"not {config.num_encoder_layers}"
            )
        super().__init__(config)

    def forward(self, tgt: Tensor) -> Tensor:
        """Teacher forcing: logits [batch, tgt, vocab] for the token after each of `tgt`."""
        return self.decoder.output(self.decoder(tgt, mask=target_mask(tgt, self.config.pad_id)))


def build_model(config: TransformerConfig) -> Model:
    """The freshly initialised model that `config` describes."""
    return LanguageModel(config) if config.decoder_only else Transformer(config)


def _initialise(tower: Encoder | Decoder, config: TransformerConfig) -> None:
    """Xavier-uniform matrices, zero biases, and embeddings of variance 1 / d_model."""
    for name, parameter in tower.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(parameter)
        elif parameter.dim() > 1:
            # The three projections are stored as one matrix, but each has a fan-out of its own.
            for projection in parameter.chunk(3 if "query_key_value" in name else 1):
                nn.init.xavier_uniform_(projection)
    nn.init.normal_(tower.embedding.token.weight, std=config.d_model**-0.5)
    if isinstance(tower, Decoder) and config.tied_embeddings != "none":
        tower.output.weight = tower.embedding.token.weight
