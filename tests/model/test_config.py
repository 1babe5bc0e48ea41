import dataclasses
import json
from typing import Any

import pytest

from tests.tiny import tiny_config
from transformer import TransformerConfig


def test_the_defaults_are_the_base_model_of_the_paper() -> None:
    # Vaswani et al. 2017, table 3, row "base".
    config = TransformerConfig(src_vocab_size=37_000, tgt_vocab_size=37_000)
    assert (config.num_encoder_layers, config.num_decoder_layers) == (6, 6)
    assert (config.d_model, config.d_ff, config.num_heads, config.d_head) == (512, 2048, 8, 64)
    assert (config.dropout, config.activation, config.norm_placement) == (0.1, "relu", "post")
    assert not config.decoder_only


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"d_model": 18}, r"d_model \(18\) must be divisible by num_heads \(4\)"),
        ({"d_model": 15, "num_heads": 3}, r"d_model \(15\) must be even"),
        ({"d_model": 0}, "d_model must be at least 1, not 0"),
        ({"num_heads": -1}, "num_heads must be at least 1, not -1"),
        ({"num_decoder_layers": 0}, "num_decoder_layers must be at least 1, not 0"),
        ({"num_encoder_layers": -1}, "num_encoder_layers cannot be -1"),
        ({"d_ff": 0}, "d_ff must be at least 1"),
        ({"max_length": 0}, "max_length must be at least 1"),
        ({"max_length": 10**9}, "max_length can be 16384 at most, not 1000000000"),
        ({"src_vocab_size": 0}, "src_vocab_size cannot be 0"),
        ({"tgt_vocab_size": 0}, "tgt_vocab_size must be at least 1"),
        ({"dropout": 1.0}, r"dropout must lie in \[0, 1\), not 1.0"),
        ({"dropout": -0.1}, r"dropout must lie in \[0, 1\), not -0.1"),
        ({"dropout": float("nan")}, r"dropout must lie in \[0, 1\), not nan"),
        ({"activation": "tanh"}, "activation must be one of relu, gelu, silu, not 'tanh'"),
        ({"norm_placement": "none"}, "norm_placement must be one of post, pre, not 'none'"),
        ({"positions": "learned"}, "positions must be one of interleaved, concatenated"),
        ({"tied_embeddings": True}, "tied_embeddings must be one of none, output, all, not True"),
        ({"tied_embeddings": "all"}, "src_vocab_size is 29 and tgt_vocab_size 31"),
        ({"tied_embeddings": "all", "src_vocab_size": 31, "num_encoder_layers": 0}, "no encoder"),
        ({"d_model": "16"}, "d_model must be of type int, not '16'"),
        ({"d_model": True}, "d_model must be of type int, not True"),
        ({"d_ff": 24.0}, "d_ff must be of type int, not 24.0"),
        ({"dropout": None}, "dropout must be of type float, not None"),
        ({"final_norms": 1}, "final_norms must be of type bool, not 1"),
        ({"pad_id": 31}, r"pad_id \(31\) lies outside the vocabulary of 31 tokens"),
        ({"bos_id": -1}, r"bos_id \(-1\) lies outside"),
        ({"eos_id": 99}, r"eos_id \(99\) lies outside"),
        ({"banned_ids": (31,)}, r"banned_ids \(31\) lies outside"),
        ({"banned_ids": (0, 2)}, r"banned_ids holds eos_id \(2\): no sentence could end"),
        ({"banned_ids": [0]}, r"banned_ids must be a tuple of whole numbers, not \[0\]"),
        ({"banned_ids": ("0",)}, "banned_ids must be a tuple of whole numbers"),
    ],
)
def test_an_impossible_config_is_refused_with_a_sentence(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        tiny_config(**changes)


def test_it_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        tiny_config().d_model = 32  # pyright: ignore[reportAttributeAccessIssue]


def test_it_survives_json() -> None:
    config = tiny_config(
        activation="gelu", norm_placement="pre", dropout=0, final_norms=True, banned_ids=(0, 7)
    )
    assert TransformerConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_from_dict_names_unknown_and_missing_settings() -> None:
    with pytest.raises(ValueError, match="unknown settings: hidden_size, n_layers"):
        TransformerConfig.from_dict({**tiny_config().to_dict(), "n_layers": 2, "hidden_size": 3})
    with pytest.raises(ValueError, match="missing settings: src_vocab_size, tgt_vocab_size"):
        TransformerConfig.from_dict({})


def test_without_encoder_layers_it_is_decoder_only() -> None:
    config = tiny_config(num_encoder_layers=0, src_vocab_size=0)
    assert config.decoder_only
