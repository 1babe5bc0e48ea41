"""Which weight of a Marian model goes where in ours."""

from pathlib import Path

import torch
from torch import Tensor

from ...model.config import TransformerConfig
from ...model.layers import sinusoids
from ...model.towers import Transformer
from ...model.unfilled import NothingDrawn
from .. import CheckpointError

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


def check_shapes(config: TransformerConfig, stored: dict[str, list[int]], path: Path) -> None:
    """Compares what a file holds with what `config` asks for, before any of it has a memory.

    Args:
        config: of the model.
        stored: shapes by name.
        path: of the file, for the sentence.
    Raises:
        CheckpointError: a weight is missing, unknown, or of another shape.
    """
    if config.num_encoder_layers + config.num_decoder_layers > len(stored):
        raise CheckpointError(path, "config.json asks for more layers than there are weights")
    for name in POSITIONS:
        if name in stored and stored[name][1:] != [config.d_model]:
            raise CheckpointError(
                path,
                f"{name} has shape {stored[name]}, but config.json asks for a width of "
                f"{config.d_model}",
            )
    # Shapes, and no memory for what they would hold.
    with torch.device("meta"), NothingDrawn(), torch.no_grad():
        weights = {name: torch.empty(shape) for name, shape in stored.items()}
        _place(Transformer(config), weights, path)


def fill(model: Transformer, weights: dict[str, Tensor], path: Path) -> None:
    """Puts every weight in its place.

    Raises:
        CheckpointError: weights contradict the configuration.
    """
    for name in POSITIONS:
        if name in weights and not _are_sinusoids(weights[name]):
            raise CheckpointError(path, f"{name} is learned, but our positions are sinusoids")
    _check_tied(model, weights, path)
    with torch.no_grad():
        _place(model, weights, path)


def _place(model: Transformer, weights: dict[str, Tensor], path: Path) -> None:
    # A model without one adds nothing.
    weights = {OUTPUT_BIAS: torch.zeros(1, model.config.tgt_vocab_size), **weights}
    known = {*POSITIONS}
    for ours, parameter in model.named_parameters():
        parts: list[Tensor] = []
        for names in _their_names(ours, model):
            known.update(names)
            found = next((name for name in names if name in weights), None)
            if found is None:
                raise CheckpointError(path, f"the weights of {names[0]} are missing")
            parts.append(weights[found])
        shape = _joint_shape([list(part.shape) for part in parts])
        if ours == "decoder.output.bias":
            parts, shape = [parts[0].flatten()], [parts[0].numel()]
        if shape != list(parameter.shape):
            raise CheckpointError(
                path,
                f"{ours} would have shape {shape}, but config.json asks for "
                f"{list(parameter.shape)}",
            )
        parameter.copy_(torch.cat(parts))
    if unknown := sorted(weights.keys() - known):
        raise CheckpointError(path, f"a Marian model has no weights named {unknown[0]}")


def _joint_shape(shapes: list[list[int]]) -> list[int]:
    """The shape of parts on top of one another; empty if they do not fit."""
    widths = {tuple(shape[1:]) for shape in shapes}
    if len(widths) > 1 or not all(shapes):
        return []
    return [sum(shape[0] for shape in shapes), *widths.pop()]


def _are_sinusoids(table: Tensor) -> bool:
    """Old files hold the positions too, which must be the ones that we compute."""
    length, d_model = table.shape
    # float16 leaves them this exact.
    return torch.allclose(table, sinusoids(length, d_model, "concatenated"), atol=1e-3)


def _their_names(ours: str, model: Transformer) -> list[tuple[str, ...]]:
    """The parts of one of our parameters; each has one name, or is whichever comes first."""
    if ours == "encoder.embedding.token.weight":
        return [(SRC_EMBEDDING, SHARED, *_tied(model))]
    if ours == "decoder.embedding.token.weight":
        return [(TGT_EMBEDDING, SHARED, *_tied(model))]
    if ours == "decoder.output.weight":
        return [(OUTPUT,)]
    if ours == "decoder.output.bias":
        return [(OUTPUT_BIAS,)]
    mine = next(mine for mine in NAMES if mine in ours)
    return [(f"model.{ours.replace(mine, part)}",) for part in NAMES[mine]]


def _tied(model: Transformer) -> tuple[str, ...]:
    """Their names of what is one matrix."""
    groups = {"all": (SHARED, SRC_EMBEDDING, TGT_EMBEDDING, OUTPUT)}
    groups |= {"output": (TGT_EMBEDDING, OUTPUT), "none": ()}
    return groups[model.config.tied_embeddings]


def _check_tied(model: Transformer, weights: dict[str, Tensor], path: Path) -> None:
    first, *others = [name for name in _tied(model) if name in weights] or [""]
    for other in others:
        if not torch.equal(weights[first], weights[other]):
            raise CheckpointError(
                path, f"config.json says that {first} and {other} are one matrix, but they differ"
            )
