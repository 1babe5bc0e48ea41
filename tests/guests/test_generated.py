"""What transformers' `generate` returned, against one pass over the finished text."""

from typing import Any

import numpy as np
import pytest
import torch
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

import headlight

EAGER: dict[str, Any] = {"attn_implementation": "eager", "vocab_size": 60}
ENDS: dict[str, Any] = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}


def gpt2() -> Any:
    return GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=2, n_head=4, **EAGER, **ENDS))


def llama() -> Any:
    sizes: dict[str, Any] = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 3}
    heads: dict[str, Any] = {"num_attention_heads": 4, "num_key_value_heads": 2}
    return LlamaForCausalLM(LlamaConfig(**sizes, **heads, **EAGER, **ENDS))


def bart() -> Any:
    sizes: dict[str, Any] = {
        "d_model": 32,
        "encoder_layers": 2,
        "decoder_layers": 3,
        "encoder_ffn_dim": 32,
    }
    heads: dict[str, Any] = {
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 4,
        "decoder_ffn_dim": 32,
    }
    ends: dict[str, Any] = {**ENDS, "decoder_start_token_id": 2, "forced_eos_token_id": 2}
    return BartForConditionalGeneration(BartConfig(**sizes, **heads, **EAGER, **ends))


def t5() -> Any:
    sizes: dict[str, Any] = {"d_model": 32, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 4}
    ends: dict[str, Any] = {"eos_token_id": 2, "pad_token_id": 0, "decoder_start_token_id": 0}
    return T5ForConditionalGeneration(T5Config(**sizes, **EAGER, **ends))


def seeded(make: Any) -> Any:
    torch.manual_seed(0)
    model = make().eval()
    # Wide weights, so that beams differ and no two tokens are alike.
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return model


def generated(model: Any, ids: Any, **settings: Any) -> Any:
    options: dict[str, Any] = {
        "return_dict_in_generate": True,
        "output_attentions": True,
        "output_logits": True,
    }
    steps: dict[str, Any] = {"max_new_tokens": 6, "min_new_tokens": 6, "do_sample": False}
    return model.generate(ids, **steps, **options, **settings)


IDS = torch.tensor([[5, 6, 7, 8, 9], [9, 8, 7, 5, 4]])
ONES = torch.ones_like(IDS)


def stacked(attentions: Any, row: int = 0) -> Any:
    return np.stack([layer[row].detach().numpy() for layer in attentions])


@pytest.mark.parametrize("make", [gpt2, llama])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"num_beams": 3},
        {"use_cache": False},
        {"cache_implementation": "static", "disable_compile": True},
    ],
    ids=["greedy", "beams", "no cache", "static"],
)
def test_a_decoder_is_stitched(make: Any, settings: dict[str, Any]) -> None:
    model = seeded(make)
    output = generated(model, IDS, attention_mask=ONES, **settings)
    trace = headlight.view(output, row=1)
    ids = [int(number) for number in output.sequences[1]]
    full = model(torch.tensor([ids[:-1]]), output_attentions=True)
    np.testing.assert_allclose(trace.decoder_self, stacked(full.attentions), atol=3e-6)
    assert [*trace.tgt_ids] == ids[1:]
    assert trace.prefix_length == 4
    assert [len(row) > 0 for row in trace.candidates] == [False] * 4 + [True] * 6
    last = full.logits[0, -1].softmax(-1).detach()
    for candidate in trace.candidates[-1]:
        assert candidate.probability == pytest.approx(float(last[candidate.id]), abs=1e-5)
    if not settings:
        labels = [f"▁{number}" for number in ids]
        bare = headlight.view(output.attentions, labels, row=1)
        np.testing.assert_array_equal(bare.decoder_self, trace.decoder_self)
        assert bare.tgt_out[-1] == f"␣{ids[-1]}"


@pytest.mark.parametrize("make", [bart, t5])
@pytest.mark.parametrize("beams", [1, 3])
def test_an_encoder_decoder_is_stitched(make: Any, beams: int) -> None:
    model = seeded(make)
    output = generated(model, IDS, attention_mask=ONES, num_beams=beams)
    trace = headlight.view(output, source=IDS, row=1)
    ids = [int(number) for number in output.sequences[1]][: len(trace.tgt_in) + 1]
    assert [*map(int, trace.tgt_in)] == ids[:-1]
    full = model(IDS[1:], decoder_input_ids=torch.tensor([ids[:-1]]), output_attentions=True)
    for mine, theirs in (
        (trace.encoder_self, full.encoder_attentions),
        (trace.decoder_self, full.decoder_attentions),
        (trace.cross, full.cross_attentions),
    ):
        np.testing.assert_allclose(mine, stacked(theirs), atol=3e-6)
    assert trace.src_ids == (9, 8, 7, 5, 4)


def test_the_parts_of_what_was_generated_come_under_bertviz_s_names() -> None:
    """Tuples by step of tuples by layer, as people hand them to `head_view`."""
    output = generated(seeded(bart), IDS, attention_mask=ONES)
    whole = headlight.view(output, source=IDS, row=1)
    ids = [str(number) for number in output.sequences[1].tolist()]
    parts = headlight.view(
        encoder_attention=output.encoder_attentions,
        decoder_attention=output.decoder_attentions,
        cross_attention=output.cross_attentions,
        encoder_tokens=[*map(str, IDS[1].tolist())],
        decoder_tokens=ids[: len(whole.tgt_in)],
        row=1,
    )
    assert (parts.src, parts.tgt_in) == (whole.src, whole.tgt_in)
    for kind in ("encoder_self", "decoder_self", "cross"):
        np.testing.assert_array_equal(getattr(parts, kind), getattr(whole, kind))
    listed = headlight.view([list(step) for step in output.decoder_attentions], row=1)
    np.testing.assert_array_equal(listed.decoder_self, whole.decoder_self)
    assert listed.translation == " ".join(map(str, range(1, 8)))
    with pytest.raises(ValueError, match="is it cross-attention"):
        headlight.view(output.cross_attentions)


def test_padding_before_a_prompt_is_cut_away() -> None:
    model = seeded(gpt2)
    ids = torch.tensor([[0, 0, 7, 8, 9], [9, 8, 7, 5, 4]])
    mask = torch.tensor([[0, 0, 1, 1, 1], [1] * 5])
    output = generated(model, ids, attention_mask=mask)
    trace = headlight.view(output, attention_mask=mask)
    tokens = [int(number) for number in output.sequences[0]][2:]
    last_first = headlight.view(output.attentions, row=1, attention_mask=mask)
    assert len(last_first.tgt_in) == len(trace.tgt_in) + 2
    full = model(torch.tensor([tokens[:-1]]), output_attentions=True)
    np.testing.assert_allclose(trace.decoder_self, stacked(full.attentions), atol=3e-6)
    assert trace.prefix_length == 2


def test_padding_of_a_source_is_cut_away() -> None:
    model = seeded(t5)
    ids = torch.tensor([[7, 8, 9, 0, 0], [9, 8, 7, 5, 4]])
    mask = (ids != 0).long()
    trace = headlight.view(
        generated(model, ids, attention_mask=mask), source=ids, attention_mask=mask
    )
    assert trace.src == ("7", "8", "9")
    assert trace.cross.shape[-1] == 3


def test_without_attentions_it_says_how_to_get_them() -> None:
    model = seeded(gpt2)
    output = model.generate(
        IDS, attention_mask=ONES, max_new_tokens=2, return_dict_in_generate=True
    )
    with pytest.raises(ValueError, match="output_attentions=True"):
        headlight.view(output)


def test_a_static_cache_is_read_with_padding_before_a_prompt() -> None:
    """Rows of padding attend to all of it, which is longer than the text."""
    model = seeded(llama)
    ids = torch.tensor([[0, 0, 7, 8, 9], [9, 8, 7, 5, 4]])
    mask = (ids != 0).long()
    how: dict[str, Any] = {"cache_implementation": "static", "disable_compile": True}
    output = generated(model, ids, attention_mask=mask, **how)
    tokens = output.sequences[:1, 2:-1]
    labels = [str(number) for number in tokens[0].tolist()]
    trace = headlight.view(output, labels, attention_mask=mask)
    full = model(tokens, output_attentions=True)
    np.testing.assert_allclose(trace.decoder_self, stacked(full.attentions), atol=3e-6)
    assert [*trace.tgt_in] == labels


def test_padding_behind_a_prompt_is_cut_away() -> None:
    model = seeded(gpt2)
    ids = torch.tensor([[7, 8, 9, 0, 0]])
    mask = (ids != 0).long()
    output = generated(model, ids, attention_mask=mask)
    trace = headlight.view(output, attention_mask=mask)
    assert [*trace.tgt_ids[:2]] == [8, 9]
    assert (trace.prefix_length, trace.decoder_self.shape[-1]) == (2, 8)
    last = output.attentions[-1][1][0, :, 0]
    np.testing.assert_array_equal(trace.decoder_self[1, :, -1], last[:, [0, 1, 2, *range(5, 10)]])
    with pytest.raises(ValueError, match="attention_mask has 9 tokens, but the prompt has 5"):
        headlight.view(output, attention_mask=[1] * 9)


def test_an_encoder_decoder_without_a_cache_is_read() -> None:
    model = seeded(bart)
    how: dict[str, Any] = {"attention_mask": ONES[:1], "use_cache": False}
    trace = headlight.view(generated(model, IDS[:1], **how), include_layers=[2], include_heads=[3])
    ids = torch.tensor([[*map(int, trace.tgt_in)]])
    full = model(IDS[:1], decoder_input_ids=ids, output_attentions=True)
    for kind, theirs in (
        ("cross", full.cross_attentions),
        ("decoder_self", full.decoder_attentions),
    ):
        np.testing.assert_allclose(trace.layers(kind)[2], theirs[2][0].detach(), atol=3e-6)
    assert trace.encoder_self is None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"tokenizer": "gpt2"}, "tokenizer is str; expected one of transformers"),
        ({"source": {"input_ids": IDS}}, "source is dict; expected its input_ids"),
        ({"source": [[5, 6], [7]]}, "source is list whose rows are of unlike length"),
    ],
)
def test_what_names_tokens_is_checked(options: Any, why: str) -> None:
    output = generated(seeded(bart), IDS, attention_mask=ONES)
    with pytest.raises(ValueError, match=why):
        headlight.view(output, **options)


def test_assisted_generation_is_read_where_transformers_tells_it_apart() -> None:
    model = seeded(gpt2)
    output = generated(model, IDS[:1], attention_mask=ONES[:1], prompt_lookup_num_tokens=2)
    trace = headlight.view(output)
    full = model(output.sequences[:, :-1], output_attentions=True)
    np.testing.assert_allclose(trace.decoder_self, stacked(full.attentions), atol=3e-6)
    output = generated(model, IDS[:1], attention_mask=ONES[:1], assistant_model=seeded(gpt2))
    with pytest.raises(ValueError, match="not their tokens' own: assisted generation"):
        headlight.view(output)
    several = (
        output.attentions[0],
        tuple(layer.repeat(1, 1, 2, 1) for layer in output.attentions[1]),
    )
    with pytest.raises(ValueError, match="assisted generation"):
        headlight.view(several)
