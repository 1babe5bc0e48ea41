"""Which weight of a Marian model goes where in ours."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from ...errors import CheckpointError
from ...model.config import TransformerConfig
from ...model.layers import sinusoids
from ...model.towers import Model, Transformer
from ..family import place
from .tokenizers import has_two, source_order

# Ours → theirs; the longer names come before those that they contain.
NAMES = {
    "self_attention_residual.norm": ("self_attn_layer_norm",),
    "cross_attention_residual.norm": ("encoder_attn_layer_norm",),
    "feed_forward_residual.norm": ("final_layer_norm",),
    "self_attention.query_key_value": tuple(f"self_attn.{p}_proj" for p in "qkv"),
    "self_attention.output": ("self_attn.out_proj",),
    "cross_attention.query_key_value": tuple(f"encoder_attn.{p}_proj" for p in "qkv"),
    "cross_attention.output": ("encoder_attn.out_proj",),
    "feed_forward.inner": ("fc1",),
    "feed_forward.outer": ("fc2",),
}
TOWERS = ("encoder", "decoder")
SHARED = "model.shared.weight"
OUTPUT, OUTPUT_BIAS = "lm_head.weight", "final_logits_bias"
SRC_EMBEDDING, TGT_EMBEDDING = (f"model.{tower}.embed_tokens.weight" for tower in TOWERS)
POSITIONS = tuple(f"model.{tower}.embed_positions.weight" for tower in TOWERS)


def check(config: TransformerConfig, weights: Mapping[str, Tensor], path: Path) -> None:
    """Refuses weights, in whatever shapes their file has, that contradict the configuration.

    Raises:
        CheckpointError: positions are learned, or what is one matrix differs.
    """
    for name in POSITIONS:
        if name in weights and not _are_sinusoids(weights[name]):
            raise CheckpointError(path, f"{name} is learned, but our positions are sinusoids")
    first, *others = [name for name in _tied(config) if name in weights] or [""]
    for other in others:
        if not torch.equal(weights[first], weights[other]):
            raise CheckpointError(
                path, f"config.json says that {first} and {other} are one matrix, but they differ"
            )


def place_weights(model: Model, weights: Mapping[str, Tensor], path: Path) -> None:
    """Puts every weight in its place, whose shape it has: see `place`."""
    config = model.config
    for name in POSITIONS:
        if name in weights and list(weights[name].shape[1:]) != [config.d_model]:
            raise CheckpointError(
                path,
                f"{name} has shape {list(weights[name].shape)}, but config.json asks for a width "
                f"of {config.d_model}",
            )
    # A model without one adds nothing.
    bias = weights.get(OUTPUT_BIAS, torch.zeros(1, config.tgt_vocab_size)).flatten()
    place(model, {**weights, OUTPUT_BIAS: bias}, partial(_names, config), POSITIONS, path)
    if has_two(path.parent) and isinstance(model, Transformer) and bias.device.type != "meta":
        table = model.encoder.embedding.token.weight
        table.copy_(table[source_order(path.parent, config)])


def _are_sinusoids(table: Tensor) -> bool:
    """Old files hold the positions too, which must be the ones that we compute."""
    length, d_model = table.shape
    # float16 leaves them this exact.
    return torch.allclose(table, sinusoids(length, d_model, "concatenated"), atol=1e-3)


def _names(config: TransformerConfig, ours: str) -> list[tuple[str, ...]]:
    if ours == "encoder.embedding.token.weight":
        return [(SRC_EMBEDDING, SHARED, *_tied(config))]
    if ours == "decoder.embedding.token.weight":
        return [(TGT_EMBEDDING, SHARED, *_tied(config))]
    if ours == "decoder.output.weight":
        return [(OUTPUT,)]
    if ours == "decoder.output.bias":
        return [(OUTPUT_BIAS,)]
    mine = next(mine for mine in NAMES if mine in ours)
    return [(f"model.{ours.replace(mine, part)}",) for part in NAMES[mine]]


def _tied(config: TransformerConfig) -> tuple[str, ...]:
    """Names, in a file of Marian's, of what is one matrix."""
    groups = {"all": (SHARED, SRC_EMBEDDING, TGT_EMBEDDING, OUTPUT)}
    groups |= {"output": (TGT_EMBEDDING, OUTPUT), "none": ()}
    return groups[config.tied_embeddings]
