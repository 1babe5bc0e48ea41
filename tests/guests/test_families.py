"""Guests of many families, against transformers' own generate and eager attention."""

import inspect
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from tests.guests.families import (
    BEHIND_PADDING,
    ENCODERS,
    FAMILIES,
    SIZES,
    UNLIKE,
    VOCAB,
    tiny,
    tokenizer,
)
from transformer.errors import HeadlightError
from transformer.guests.hugging_face import decoding
from transformer.guests.hugging_face.guest import HuggingFaceModel
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.trace import AttentionTrace

TEXT = "w1 w2 w3 w4 w5 w6 w7"
OUTPUTS: dict[Kind, str] = {
    "encoder_self": "encoder_attentions",
    "decoder_self": "decoder_attentions",
    "cross": "cross_attentions",
}


def tokens_of(model: Any) -> list[int]:
    """What the model's own generate writes, with whatever it was given."""
    ids = tokenizer()(TEXT, return_tensors="pt").input_ids
    mask = torch.ones_like(ids)
    written = model.generate(ids, attention_mask=mask, max_new_tokens=8, do_sample=False)
    return written[0].tolist()


def eager_of(
    name: str, trace: AttentionTrace, tgt: list[int], dtype: Any = torch.float32
) -> dict[Kind, Any]:
    """What a model of the same weights returns, by layer [head, query, key]."""
    model = tiny(name, attn_implementation="eager").to(dtype)
    assert trace.guest is not None
    form = trace.guest.form
    read = tgt[:-1] if form == "decoder" else tokenizer()(TEXT).input_ids
    options: dict[str, Any] = {"input_ids": torch.tensor([read])}
    options["attention_mask"] = torch.ones_like(options["input_ids"])
    if form == "encoder-decoder":
        options["decoder_input_ids"] = torch.tensor([tgt[:-1]])
    if "use_cache" in inspect.signature(model.forward).parameters:
        options["use_cache"] = False
    with torch.no_grad():
        output = model(**options, output_attentions=True)
    names = OUTPUTS
    if form != "encoder-decoder":
        names = dict.fromkeys(KINDS, "attentions")
    kinds: list[Kind] = [kind for kind in KINDS if trace.layers(kind) is not None]
    attentions: dict[Kind, Any] = {
        kind: [it[0].float().numpy() for it in getattr(output, names[kind]) if it is not None]
        for kind in kinds
    }
    return attentions


def distance(trace: AttentionTrace, eager: dict[Kind, Any]) -> float:
    layers = [(trace.layers(kind) or (), own) for kind, own in eager.items()]
    return max(
        float(np.abs(one - other).max())
        for mine, own in layers
        for one, other in zip([it for it in mine if it is not None], own, strict=True)
    )


@pytest.mark.parametrize("name", [*FAMILIES, *UNLIKE])
def test_weights_and_tokens_are_the_model_s_own(name: str) -> None:
    model = tiny(name)
    expected = [] if name in ENCODERS else tokens_of(model)
    before = model.config._attn_implementation
    with HuggingFaceModel(model, tokenizer(), name) as guest:
        trace = guest.trace(TEXT, max_steps=8)
    assert list(trace.tgt_ids) == expected[1:]
    assert distance(trace, eager_of(name, trace, expected)) <= 3e-6
    assert guest.proof.eager is not None
    assert guest.proof.eager <= 3e-6
    assert model.config._attn_implementation == before


BACKWARDS = torch.arange(6).flip(0)[None]


@pytest.mark.parametrize("name", BEHIND_PADDING)
def test_a_decoder_writes_with_the_positions_that_it_reads_with(name: str) -> None:
    """RoBERTa's family counts them behind its padding's, where `generate` counts from 0."""
    with HuggingFaceModel(tiny(name), tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=4)
        whole = guest.replay(TEXT, trace.tgt_ids).at("decoder_self", "weights")
    assert trace.decoder_self is not None
    np.testing.assert_allclose(trace.decoder_self, torch.cat(whole).numpy(), atol=3e-6)
    read = [tokenizer().vocab["w1"], *trace.tgt_ids]
    assert distance(trace, eager_of(name, trace, read)) <= 3e-6


def test_layers_with_a_softmax_are_compared_where_others_return_weights_too() -> None:
    with HuggingFaceModel(tiny("minimax"), tokenizer()) as guest:
        assert guest.heads("decoder_self") == (0, 4)
    assert guest.proof.eager is not None
    assert guest.proof.eager <= 3e-6


def test_what_writes_otherwise_than_it_reads_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "own_positions", lambda *_: {"position_ids": BACKWARDS})
    with pytest.raises(HeadlightError, match="otherwise in one pass over the finished") as refused:
        HuggingFaceModel(tiny("gpt2"), tokenizer())
    assert refused.value.code == "guest_undrawn"


LONG = " ".join(f"w{number}" for number in range(1, 30))
WIDE = {"hidden_size": 128, "head_dim": 32, "num_hidden_layers": 4}


def test_in_half_precision_no_pass_afterwards_is_what_was_computed() -> None:
    """So wide and long a text tells both apart: 0.02 of a weight, where bfloat16 is multiplied."""
    model = tiny("llama", **WIDE).to(torch.bfloat16)
    with HuggingFaceModel(model, tokenizer(), "llama") as guest:
        trace = guest.trace(LONG, max_steps=8)
    eager = tiny("llama", attn_implementation="eager", **WIDE).to(torch.bfloat16)
    computed = eager_while_it_writes(eager, LONG)["decoder_self"]
    rounded = torch.from_numpy(np.array(trace.decoder_self)).bfloat16().float()
    np.testing.assert_array_equal(rounded, computed)


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["llama", "gpt2", "t5", "bart", "bert", "bloom"])
def test_in_half_precision_weights_are_what_the_decode_computed(name: str, precision: Any) -> None:
    """A step's row is what eager attention returns of that step, not of a pass afterwards.

    Some families round what their softmax gives in float32, which is recorded as it is.
    """
    dtype = getattr(torch, precision)
    model = tiny(name).to(dtype)
    expected = [] if name in ENCODERS else tokens_of(model)
    with HuggingFaceModel(model, tokenizer(), name) as guest:
        trace = guest.trace(TEXT, max_steps=8)
        assert trace.guest is not None
        assert trace.guest.origin.dtype == precision
    assert list(trace.tgt_ids) == expected[1:]
    if name in ENCODERS:
        assert distance(trace, eager_of(name, trace, expected, dtype)) == 0
        return
    computed = eager_while_it_writes(tiny(name, attn_implementation="eager").to(dtype))
    for kind, layers in computed.items():
        rounded = torch.from_numpy(np.array(getattr(trace, kind))).to(dtype).float()
        np.testing.assert_array_equal(rounded, layers)


def eager_while_it_writes(model: Any, text: str = TEXT) -> dict[str, Any]:
    """By kind [layer, head, query, key], put together from what `generate` returns of each step."""
    ids = torch.tensor([tokenizer()(text).input_ids])
    output = model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=8,
        do_sample=False,
        num_beams=1,
        output_attentions=True,
        return_dict_in_generate=True,
    )
    two_towers = model.config.is_encoder_decoder
    of_steps = {"decoder_self": output.decoder_attentions if two_towers else output.attentions}
    if two_towers:
        of_steps["cross"] = output.cross_attentions
    keys = sum(step[0].size(-2) for step in of_steps["decoder_self"])
    attentions: dict[str, Any] = {}
    for kind, steps in of_steps.items():
        width = keys if kind == "decoder_self" else ids.size(1)
        rows = [torch.stack([*step])[:, 0].float() for step in steps]
        padded = [torch.nn.functional.pad(row, (0, width - row.size(-1))) for row in rows]
        attentions[kind] = torch.cat(padded, -2).numpy()
    if two_towers:
        attentions["encoder_self"] = torch.stack(output.encoder_attentions)[:, 0].float().numpy()
    return attentions


def test_a_row_of_gpt_oss_gives_the_rest_to_its_sink() -> None:
    with HuggingFaceModel(tiny("gpt_oss"), tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=4)
        off = guest.trace(TEXT, max_steps=4, interventions=["decoder_self.L1H2=zero"])
    assert trace.guest is not None
    sink = trace.guest.sink["decoder_self"][0]
    assert sink is not None
    assert (sink > 0).all()
    np.testing.assert_allclose(trace.decoder_self[0].sum(-1) + sink, 1, atol=1e-5)
    assert not off.decoder_self[0, 1].any()


def test_windows_are_told_layer_by_layer() -> None:
    with HuggingFaceModel(tiny("gemma2"), tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=8)
    near = trace.allowed("decoder_self", 0)
    assert near.sum(1).max() == 5
    assert trace.allowed("decoder_self", 1).sum(1).max() == len(trace.tgt_in)
    assert not trace.decoder_self[0][:, ~near].any()


def test_keys_and_values_have_fewer_heads_and_that_is_told() -> None:
    with HuggingFaceModel(tiny("llama"), tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=2)
    assert trace.guest is not None
    assert trace.guest.key_value_heads["decoder_self"] == (2, 2)


@pytest.mark.parametrize("groups", [1, 2])
def test_a_layer_that_is_shared_has_a_number_for_each_of_its_calls(groups: int) -> None:
    model = tiny("albert", num_hidden_layers=5, num_hidden_groups=groups)
    with HuggingFaceModel(model, tokenizer()) as guest:
        assert guest.heads("encoder_self") == (4,) * 5
        weights = guest.trace(TEXT).encoder_self
    assert weights is not None
    assert len({layer.tobytes() for layer in weights}) == 5


def test_heads_that_are_mixed_before_they_meet_the_values_are_refused() -> None:
    model = tiny("deberta", talking_head=True)
    with pytest.raises(HeadlightError, match=r"differs by .* from the weights that its own eager"):
        HuggingFaceModel(model, tokenizer())


def test_big_bird_is_refused_for_its_windows_alone() -> None:
    kind: Any = transformers.BigBirdForMaskedLM
    config = {"vocab_size": VOCAB, **SIZES, "attention_type": "original_full"}
    with HuggingFaceModel(kind(kind.config_class(**config)), tokenizer()) as guest:
        assert guest.trace(TEXT).encoder_self is not None
        assert guest.proof.eager == 0
    with pytest.raises(HeadlightError, match="windows that are cut"):
        HuggingFaceModel(kind(kind.config_class(vocab_size=VOCAB, **SIZES)), tokenizer())


def test_a_stack_that_is_run_through_again_has_a_layer_for_each_call() -> None:
    model = tiny("hrm_text")
    with HuggingFaceModel(model, tokenizer()) as guest:
        assert guest.heads("decoder_self") == (4,) * model.config.num_hidden_layers
        plain = guest.trace(TEXT, max_steps=2)
        off = guest.trace(TEXT, max_steps=2, interventions=["decoder_self.L5H2=zero"])
    assert off.decoder_self is not None
    assert plain.decoder_self is not None
    layers = zip(off.decoder_self, plain.decoder_self, strict=True)
    assert [np.array_equal(one, other) for one, other in layers].index(False) == 4
