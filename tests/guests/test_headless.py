"""Models without a head to write with: what they read is traced, as BertViz has it of AutoModel."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import headlight
from tests.guests.families import D_MODEL, DECODERS, ENDS, GROUPED, T5, tokenizer
from transformer import inside
from transformer.errors import HeadlightError
from transformer.trace.kinds import KINDS
from transformer.trace.trace import AttentionTrace

TEXT, TARGET = "w1 w2 w3 w4 w5 w6 w7", "w9 w8 w7"
GPT2 = DECODERS["gpt2"][1]


def model(name: str, sizes: dict[str, Any], attention: str = "sdpa") -> Any:
    kind: Any = getattr(transformers, name)
    config = kind.config_class(**{"vocab_size": 60, **ENDS, **sizes})
    config._attn_implementation = attention
    torch.manual_seed(0)
    return kind(config).eval()


MODELS: dict[str, Callable[[str], Any]] = {
    "GPT2Model": lambda it: model("GPT2Model", GPT2, it),
    "LlamaForSequenceClassification": lambda it: model(
        "LlamaForSequenceClassification", GROUPED, it
    ),
    "T5EncoderModel": lambda it: model("T5EncoderModel", T5, it),
    "BartModel": lambda it: model("BartModel", D_MODEL, it),
    "an encoder of a pair": lambda it: model("BartModel", D_MODEL, it).encoder,
    "a decoder of a pair": lambda it: model("BartModel", D_MODEL, it).decoder,
}


@pytest.mark.parametrize("name", MODELS)
def test_a_text_is_traced_without_candidates(name: str) -> None:
    two = name == "BartModel"
    with headlight.load(MODELS[name]("sdpa"), tokenizer()) as guest:
        trace = guest.trace(TEXT, TARGET if two else None)
        zeroed = inside.value_zeroing(guest, trace)
    ids = tokenizer()(TEXT, return_tensors="pt").input_ids
    options = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if two:
        options["decoder_input_ids"] = torch.tensor([[2, *tokenizer()(TARGET).input_ids[:-1]]])
    with torch.no_grad():
        own = MODELS[name]("eager")(**options, output_attentions=True)
    names = [f"{it}_attentions" for it in ("encoder", "decoder", "cross")]
    for kind, field in zip(KINDS, names if two else ["attentions"] * 3, strict=True):
        for mine, theirs in zip(trace.layers(kind) or (), getattr(own, field, ()), strict=False):
            np.testing.assert_allclose(mine, theirs[0], atol=3e-6)
    assert not any(trace.candidates)
    assert (trace.src or trace.tgt_in) == tuple(TEXT.split())
    again = AttentionTrace.from_dict(trace.to_dict())
    assert again.tgt_out == trace.tgt_out
    assert any(layers is not None for layers in (zeroed.encoder_self, zeroed.decoder_self))


def test_what_needs_a_head_says_which_class_has_one() -> None:
    with headlight.load(MODELS["GPT2Model"]("sdpa"), tokenizer()) as guest:
        trace = guest.trace(TEXT)
        for options in ({"target": TARGET}, {"prefix": [3]}):
            with pytest.raises(HeadlightError, match=r"no head.*load it with AutoModelForCausalLM"):
                guest.trace(TEXT, **options)
        with pytest.raises(HeadlightError, match="says nothing of any token"):
            inside.sweep(guest, trace)
        with pytest.raises(HeadlightError, match=r"no head to write with: ask for its trace"):
            guest.translate(TEXT)
        assert guest.replay(TEXT, trace.tgt_ids).at("decoder_self", "weights")[0].size(-1) == 7
    with (
        headlight.load(MODELS["BartModel"]("sdpa"), tokenizer()) as pair,
        pytest.raises(HeadlightError, match=r"hand in target=.*AutoModelForSeq2SeqLM"),
    ):
        pair.trace(TEXT)


def test_what_a_model_s_own_code_raises_is_a_sentence() -> None:
    gpt2 = model("GPT2LMHeadModel", GPT2)
    gpt2.generation_config.assistant_early_exit = 1
    with (
        headlight.load(gpt2, tokenizer()) as guest,
        pytest.raises(HeadlightError, match=r"^GPT2LMHeadModel's own generate raised IndexError:"),
    ):
        guest.trace("w1", max_steps=2)
