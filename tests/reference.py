"""PyTorch's own Transformer, given our weights: what our numbers are checked against.

Its masks have the opposite sense of ours (True = may not attend), so nothing is shared.
"""

import math
from typing import Any, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer import LanguageModel, Transformer
from transformer.model.attention import MultiHeadAttention
from transformer.model.config import TransformerConfig
from transformer.model.layers import DecoderLayer, EncoderLayer

Module = TypeVar("Module", bound=nn.Module)


def torch_attention(ours: MultiHeadAttention, d_model: int) -> nn.MultiheadAttention:
    theirs = nn.MultiheadAttention(d_model, ours.num_heads, batch_first=True)
    return _copy(ours, theirs, _ATTENTION).eval()


def torch_encoder_layer(
    ours: EncoderLayer, config: TransformerConfig
) -> nn.TransformerEncoderLayer:
    theirs = nn.TransformerEncoderLayer(**_options(config))
    return _copy(ours, theirs, _ENCODER_LAYER).eval()


def torch_decoder_layer(
    ours: DecoderLayer, config: TransformerConfig
) -> nn.TransformerDecoderLayer:
    theirs = nn.TransformerDecoderLayer(**_options(config))
    return _copy(ours, theirs, _DECODER_LAYER).eval()


class TorchTransformer(nn.Module):
    """`nn.Transformer` with embeddings, positions and output projection around it."""

    def __init__(self, ours: Transformer) -> None:
        super().__init__()
        self.config = config = ours.config
        self.ours = [ours]  # in a list, so that it is no submodule
        encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(**_options(config)),
            config.num_encoder_layers,
            norm=nn.LayerNorm(config.d_model) if config.final_norms else None,
            enable_nested_tensor=False,
        )
        decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(**_options(config)),
            config.num_decoder_layers,
            norm=nn.LayerNorm(config.d_model) if config.final_norms else None,
        )
        self.transformer = nn.Transformer(
            config.d_model,
            config.num_heads,
            custom_encoder=encoder,
            custom_decoder=decoder,
            batch_first=True,
        )
        # Only now: nn.Transformer initialises even the towers that it is given.
        for layer, mine in zip(encoder.layers, ours.encoder.layers, strict=True):
            _copy(mine, layer, _ENCODER_LAYER)
        for layer, mine in zip(decoder.layers, ours.decoder.layers, strict=True):
            _copy(mine, layer, _DECODER_LAYER)
        if encoder.norm is not None and decoder.norm is not None:
            encoder.norm.load_state_dict(ours.encoder.norm.state_dict())
            decoder.norm.load_state_dict(ours.decoder.norm.state_dict())
        self.eval()

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        ours, length = self.ours[0], tgt.size(1)
        padding = src == self.config.pad_id
        target_padding = tgt == self.config.pad_id
        target_padding[:, 0] = False
        x = self.transformer(
            embed(src, ours.encoder.embedding.token.weight, self.config),
            embed(tgt, ours.decoder.embedding.token.weight, self.config),
            tgt_mask=torch.ones(length, length, dtype=torch.bool).triu(1),
            src_key_padding_mask=padding,
            tgt_key_padding_mask=target_padding,
            memory_key_padding_mask=padding,
        )
        return F.linear(x, ours.decoder.output.weight, ours.decoder.output.bias)


class TorchLanguageModel(nn.Module):
    """A decoder without an encoder is, in PyTorch's terms, an encoder with a causal mask."""

    def __init__(self, ours: LanguageModel) -> None:
        super().__init__()
        self.config = ours.config
        self.ours = [ours]
        self.layers = nn.ModuleList()
        for mine in ours.decoder.layers:
            layer = nn.TransformerEncoderLayer(**_options(ours.config))
            self.layers.append(_copy(mine, layer, _ENCODER_LAYER))
        self.norm = nn.LayerNorm(ours.config.d_model) if ours.config.final_norms else nn.Identity()
        self.norm.load_state_dict(ours.decoder.norm.state_dict())
        self.eval()

    def forward(self, tgt: Tensor) -> Tensor:
        decoder, length = self.ours[0].decoder, tgt.size(1)
        x = embed(tgt, decoder.embedding.token.weight, self.config)
        for layer in self.layers:
            x = layer(x, src_mask=torch.ones(length, length, dtype=torch.bool).triu(1))
        return F.linear(self.norm(x), decoder.output.weight, decoder.output.bias)


class WeightsOf:
    """Makes PyTorch's attention modules give their per-head weights, which layers never ask for."""

    def __init__(self, theirs: nn.Module) -> None:
        self.weights: list[Tensor] = []
        modules = [m for m in theirs.modules() if isinstance(m, nn.MultiheadAttention)]
        for module in modules:
            module.register_forward_pre_hook(self._ask, with_kwargs=True)
            module.register_forward_hook(lambda _module, _args, out: self.weights.append(out[1]))

    @staticmethod
    def _ask(_module: nn.Module, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        return args, kwargs | {"need_weights": True, "average_attn_weights": False}


def embed(ids: Tensor, weight: Tensor, config: TransformerConfig) -> Tensor:
    scale = math.sqrt(config.d_model) if config.scale_embeddings else 1.0
    return F.embedding(ids, weight) * scale + positions(ids.size(1), config)


def positions(length: int, config: TransformerConfig) -> Tensor:
    """Equation by equation, in double precision."""
    table = torch.zeros(length, config.d_model, dtype=torch.float64)
    half = config.d_model // 2
    for position in range(length):
        for i in range(half):
            angle = position / 10_000 ** (2 * i / config.d_model)
            sine, cosine = (
                (2 * i, 2 * i + 1) if config.positions == "interleaved" else (i, half + i)
            )
            table[position, sine], table[position, cosine] = math.sin(angle), math.cos(angle)
    return table.float()


def _options(config: TransformerConfig) -> dict[str, Any]:
    return {
        "d_model": config.d_model,
        "nhead": config.num_heads,
        "dim_feedforward": config.d_ff,
        "dropout": 0.0,
        "activation": getattr(F, config.activation),
        "norm_first": config.norm_placement == "pre",
        "batch_first": True,
    }


_ATTENTION = {"in_proj_": "query_key_value.", "out_proj.": "output."}
_ENCODER_LAYER = {
    **{f"self_attn.{theirs}": f"self_attention.{ours}" for theirs, ours in _ATTENTION.items()},
    "linear1.": "feed_forward.inner.",
    "linear2.": "feed_forward.outer.",
    "norm1.": "self_attention_residual.norm.",
    "norm2.": "feed_forward_residual.norm.",
}
_DECODER_LAYER = {
    **_ENCODER_LAYER,
    **{
        f"multihead_attn.{theirs}": f"cross_attention.{ours}" for theirs, ours in _ATTENTION.items()
    },
    "norm2.": "cross_attention_residual.norm.",
    "norm3.": "feed_forward_residual.norm.",
}


def _copy(ours: nn.Module, theirs: Module, names: dict[str, str]) -> Module:
    values = ours.state_dict()
    renamed = {
        name + kind: values.pop(mine + kind)
        for name, mine in names.items()
        for kind in ("weight", "bias")
    }
    assert not values, f"not copied: {', '.join(values)}"
    theirs.load_state_dict(renamed)
    return theirs
