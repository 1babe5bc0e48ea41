"""What a Marian model's config.json says, in our terms."""

import re
from pathlib import Path
from typing import Any

from ...errors import CheckpointError
from ...model.config import Activation, TransformerConfig
from ..folder import CONFIG
from ..json_object import read_json
from .generation import Generation, read_generation

ACTIVATIONS: dict[str, Activation] = {
    "relu": "relu",
    "gelu": "gelu",
    "silu": "silu",
    "swish": "silu",
}

# What our Transformer, or Marian's own code in Hugging Face Transformers, computes in no other way.
REQUIRED = {
    "normalize_before": False,
    "normalize_embedding": False,
    "add_final_layer_norm": False,
    "static_position_embeddings": True,
}

# Both towers have the same; OPUS-MT's models all do.
SAME = ("attention_heads", "ffn_dim")

LONGEST = 10_000
"""Positions are computed, not stored, so no file's size bounds them; OPUS-MT has 512 or 1,024."""


THEIRS = {
    "src_vocab_size": "vocab_size",
    "tgt_vocab_size": "decoder_vocab_size",
    "num_heads": "encoder_attention_heads",
    "num_encoder_layers": "encoder_layers",
    "num_decoder_layers": "decoder_layers",
    "d_ff": "encoder_ffn_dim",
    "max_length": "max_position_embeddings",
    "scale_embeddings": "scale_embedding",
    "pad_id": "pad_token_id",
    "bos_id": "decoder_start_token_id",
    "eos_id": "eos_token_id",
    "banned_ids": "bad_words_ids",
}
"""What the files call our settings, for a sentence about them."""


def marian_config(folder: Path) -> TransformerConfig:
    """The configuration of the Marian model in `folder`.

    Raises:
        CheckpointError: the file is missing or broken, or describes what our Transformer cannot be.
    """
    path = folder / CONFIG
    values = read_json(path)
    generation = read_generation(folder, values)
    try:
        return _convert(values, generation)
    except KeyError as error:
        raise CheckpointError(path, f"it does not say {error.args[0]}") from error
    except (TypeError, ValueError, OverflowError) as error:
        names = "|".join(THEIRS)
        sentence = re.sub(rf"\b({names})\b", lambda match: THEIRS[match[0]], str(error))
        raise CheckpointError(path, sentence) from error


def _convert(values: dict[str, Any], generation: Generation) -> TransformerConfig:
    for name, required in REQUIRED.items():
        if values.get(name, required) != required:
            raise ValueError(f"{name} is {values[name]}, which our Transformer cannot be")
    for name in SAME:
        if values[f"encoder_{name}"] != values[f"decoder_{name}"]:
            raise ValueError(
                f"encoder_{name} ({values[f'encoder_{name}']}) and decoder_{name} "
                f"({values[f'decoder_{name}']}) differ, but our Transformer has one number"
            )
    if type(longest := values["max_position_embeddings"]) is int and longest > LONGEST:
        raise ValueError(f"max_position_embeddings is {longest}; ours end at {LONGEST}")
    activation = str(values["activation_function"])
    if activation not in ACTIVATIONS:
        raise ValueError(
            f"activation_function is {activation!r}; ours are {', '.join(ACTIVATIONS)}"
        )
    shared = values.get("share_encoder_decoder_embeddings", True)
    return TransformerConfig(
        src_vocab_size=values["vocab_size"],
        tgt_vocab_size=(not shared and values.get("decoder_vocab_size")) or values["vocab_size"],
        d_model=values["d_model"],
        num_heads=values["encoder_attention_heads"],
        num_encoder_layers=values["encoder_layers"],
        num_decoder_layers=values["decoder_layers"],
        d_ff=values["encoder_ffn_dim"],
        dropout=float(values.get("dropout", 0.1)),
        max_length=values["max_position_embeddings"],
        activation=ACTIVATIONS[activation],
        norm_placement="post",
        final_norms=False,
        scale_embeddings=values.get("scale_embedding", False),
        # If the output alone is free, the towers' shared embedding is simply stored twice.
        tied_embeddings=("all" if shared else "output")
        if values.get("tie_word_embeddings", True)
        else "none",
        positions="concatenated",
        output_bias=True,
        pad_id=values["pad_token_id"],
        bos_id=generation.bos_id,
        eos_id=generation.eos_id,
        banned_ids=generation.banned_ids,
        longest_target=generation.longest_target,
        ends_longest=generation.ends_longest,
    )
