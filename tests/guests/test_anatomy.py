"""A guest's picture has the blocks of its own family, as their papers tell them, or none."""

from typing import Any

import pytest

from scripts.protocol import protocol
from tests.guests.families import tiny, tokenizer
from tests.serving.declared import check_leaf
from transformer.errors import HeadlightError
from transformer.guests.hugging_face.loading import load
from transformer.inside import anatomy

DECLARED = protocol()["analyses"]["anatomy"]["answer"]

KNOWN = {
    # Radford et al. 2019: norms before each part and one at the end, learnt positions.
    "gpt2": ("pre", "layer", "learned", False, False, True),
    # Devlin et al. 2019: as Vaswani et al. 2017, with learnt positions, and a norm before them all.
    "bert": ("post", "layer", "learned", False, True, False),
    "distilbert": ("post", "layer", "learned", False, True, False),
    # Touvron et al. 2023: RMSNorm, rotary positions, SwiGLU.
    "llama": ("pre", "rms", "rotary", True, False, True),
    "phi3": ("pre", "rms", "rotary", True, False, True),  # gate and values in one matrix
    # Zhang et al. 2022; its layers lay all tokens in one row.
    "opt": ("pre", "layer", "learned", False, False, True),
    # Raffel et al. 2020: relative positions; without its first release's gate.
    "t5": ("pre", "rms", "relative", False, False, True),
    "mt5": ("pre", "rms", "relative", True, False, True),
    # Lewis et al. 2020, Junczys-Dowmunt et al. 2018, Fan et al. 2021 (NLLB is one).
    "bart": ("post", "layer", "learned", False, True, False),
    "marian": ("post", "layer", "sinusoidal", False, False, False),
    "m2m_100": ("pre", "layer", "sinusoidal", False, False, True),
}
"""What each of these is: placement and kind of norms, positions, a gate, a norm before the first
layer, and one after the last."""


@pytest.mark.parametrize("name", KNOWN)
def test_blocks_are_those_that_the_family_is_known_for(name: str) -> None:
    alike = {"encoder_attention_heads": 4} if name in ("bart", "marian", "m2m_100") else {}
    module = tiny(name, **alike)
    with load(module, tokenizer()) as guest:
        parts = anatomy(guest)
    check_leaf(parts.payload()["config"], DECLARED["config"], {})
    names = ("norm_placement", "norm", "position_kind", "gated", "embedding_norm", "final_norms")
    assert tuple(parts.config[it] for it in names) == KNOWN[name]
    assert parts.total == module.num_parameters()
    # Blocks hold every parameter once; a table that is shared is in each of its blocks.
    table = module.get_input_embeddings().weight
    embeds = sum(f"{tower}.embedding" in parts.parameters for tower in ("encoder", "decoder"))
    head: Any = module.get_output_embeddings()
    # What guesses a hidden word stands behind an encoder alone.
    guesses = "encoder.output" in parts.parameters
    assert guesses == (name in ("bert", "distilbert"))
    tied = (guesses or "decoder.output" in parts.parameters) and head.weight is table
    shared = (embeds + tied - 1) * table.numel()
    assert parts.total == sum(parts.parameters.values()) - shared


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("gpt_neox", "add up in another way"),  # attention and feed-forward side by side
        ("gemma2", "other norms"),  # before and after each part
        ("mixtral", "multiplies with"),  # several feed-forwards, of which some are chosen
        ("modernbert", "other norms"),  # none before the first
        ("granite", "add up in another way"),  # what is added is made smaller
    ],
)
def test_what_is_put_together_otherwise_is_not_drawn(name: str, why: str) -> None:
    more: dict[str, Any] = {"residual_multiplier": 0.5} if name == "granite" else {}
    if name == "modernbert":
        more = {"cls_token_id": 1, "sep_token_id": 2}
    with load(tiny(name, **more), tokenizer()) as guest, pytest.raises(HeadlightError, match=why):
        anatomy(guest)
