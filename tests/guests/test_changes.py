"""Interventions on guests, against the same changes made by hand to the model itself."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.guests.families import tiny, tokenizer
from transformer.errors import HeadlightError
from transformer.guests.hugging_face.guest import HuggingFaceModel
from transformer.trace.trace import AttentionTrace

TEXT = "w1 w2 w3 w4 w5 w6 w7"
SIZE = 8  # of a head


def first_layer(model: Any, name: str) -> Any:
    """The first self-attention, and its projection of what heads hand on."""
    return {
        "gpt2": lambda: model.transformer.h[0].attn,
        "llama": lambda: model.model.layers[0].self_attn,
        "t5": lambda: model.encoder.block[0].layer[0].SelfAttention,
        "bert": lambda: model.bert.encoder.layer[0].attention,
        "bloom": lambda: model.transformer.h[0].self_attention,
    }[name]()


def output_of(model: Any, name: str) -> Any:
    attention = first_layer(model, name)
    part = {"gpt2": "c_proj", "llama": "o_proj", "t5": "o", "bloom": "dense"}.get(name)
    return attention.output.dense if part is None else getattr(attention, part)


def written(model: Any, **more: Any) -> list[int]:
    ids = tokenizer()(TEXT, return_tensors="pt").input_ids
    options: dict[str, Any] = {"attention_mask": torch.ones_like(ids), "max_new_tokens": 6}
    return model.generate(ids, do_sample=False, **options, **more)[0].tolist()


def by_hand(name: str, change: Callable[[Tensor], None]) -> Any:
    """A model whose first layer's heads hand on something else."""
    model = tiny(name, attn_implementation="eager")

    def hook(_module: object, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        copy = args[0].clone()
        change(copy)
        return (copy, *args[1:])

    output_of(model, name).register_forward_pre_hook(hook)
    return model


def second_head(factor: float) -> Callable[[Tensor], None]:
    def change(attended: Tensor) -> None:
        attended[..., SIZE : 2 * SIZE] *= factor

    return change


KIND = {"t5": "encoder_self", "bert": "encoder_self"}


@pytest.mark.parametrize("effect", ["zero", "double"])
@pytest.mark.parametrize("name", ["gpt2", "llama", "t5", "bert", "bloom"])
def test_a_head_off_or_doubled_is_what_it_hands_on_off_or_doubled(name: str, effect: str) -> None:
    text = f"{KIND.get(name, 'decoder_self')}.L1H2={effect}"
    changed = by_hand(name, second_head(0 if effect == "zero" else 2))
    with HuggingFaceModel(tiny(name), tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=6, interventions=[text], top_k=3)
        plain = guest.trace(TEXT, max_steps=6, top_k=3)
    ids = tokenizer()(TEXT, return_tensors="pt").input_ids
    if name == "bert":
        with torch.no_grad():
            logits = list(changed(ids).logits[0])
    else:
        options: dict[str, Any] = {"attention_mask": torch.ones_like(ids), "max_new_tokens": 6}
        options |= {"return_dict_in_generate": True, "output_logits": True, "do_sample": False}
        output = changed.generate(ids, **options)
        assert list(trace.tgt_ids) == output.sequences[0].tolist()[1:]
        logits = [it[0] for it in output.logits]
    for row, step in zip(logits, trace.candidates[-len(logits) :], strict=True):
        assert step[0].id == int(row.argmax())
        assert step[0].probability == pytest.approx(float(row.softmax(-1).max()), rel=1e-4)
    assert trace.candidates != plain.candidates
    assert str(trace.interventions[0]) == text


@pytest.mark.parametrize("name", ["fsmt", "bart"])
def test_a_head_is_off_in_every_beam(name: str) -> None:
    """FSMT's scores have batch and heads in one axis."""
    changed = tiny(name, attn_implementation="eager")

    def hook(_module: object, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return (args[0].index_fill(-1, torch.arange(SIZE, 2 * SIZE), 0), *args[1:])

    changed.model.decoder.layers[0].encoder_attn.out_proj.register_forward_pre_hook(hook)
    model = tiny(name)
    for it in (model, changed):
        it.generation_config.num_beams = 4
    with HuggingFaceModel(model, tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=6, interventions=["cross.L1H2=zero"])
    assert list(trace.tgt_ids) == written(changed)[1:]
    ids = tokenizer()(TEXT, return_tensors="pt").input_ids
    read = torch.tensor([[2, *trace.tgt_ids[:-1]]])
    with torch.no_grad():
        logits = changed(ids, decoder_input_ids=read, use_cache=False).logits[0]
    for row, step in zip(logits, trace.candidates, strict=True):
        shares = row.softmax(-1)[[it.id for it in step]]
        np.testing.assert_allclose([it.probability for it in step], shares, rtol=1e-3)


def test_uniform_is_a_head_without_queries() -> None:
    changed = tiny("llama", attn_implementation="eager")
    with torch.no_grad():
        changed.model.layers[0].self_attn.q_proj.weight[SIZE : 2 * SIZE] = 0
    with HuggingFaceModel(tiny("llama"), tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=6, interventions=["decoder_self.L1H2=uniform"])
    assert list(trace.tgt_ids) == written(changed)[1:]
    rows = len(trace.tgt_in)
    expected = np.tril(np.ones((rows, rows), np.float32)) / np.arange(1, rows + 1)[:, None]
    np.testing.assert_allclose(trace.decoder_self[0, 1], expected, atol=1e-6)


def test_a_temperature_divides_the_scores() -> None:
    changed = tiny("llama", attn_implementation="eager")
    for layer in changed.model.layers:
        layer.self_attn.scaling /= 3
    with HuggingFaceModel(tiny("llama"), tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=6, interventions=["temperature=3"])
    assert list(trace.tgt_ids) == written(changed)[1:]


def with_mask(model: Any, ids: list[int], cells: Tensor) -> Any:
    """One pass with a mask of one's own, [query, key], True = may attend."""
    least = torch.finfo(torch.float32).min
    mask = torch.where(cells, 0.0, least)[None, None]
    with torch.no_grad():
        return model(torch.tensor([ids]), attention_mask=mask, output_attentions=True)


@pytest.mark.parametrize("change", ["causal=off", "causal=inverted"])
def test_another_mask_is_a_mask_of_one_s_own(change: str) -> None:
    with HuggingFaceModel(tiny("llama"), tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=4, interventions=[change])
    ids = tokenizer()(TEXT).input_ids
    read = [ids[0], *trace.tgt_ids[:-1]]
    ones = torch.ones(len(read), len(read), dtype=torch.bool)
    cells = ones if change == "causal=off" else ones.triu()
    output = with_mask(tiny("llama", attn_implementation="eager"), read, cells)
    for mine, own in zip(trace.decoder_self, output.attentions, strict=True):
        np.testing.assert_allclose(mine, own[0].numpy(), atol=3e-6)
    assert int(output.logits[0, -1].argmax()) == trace.tgt_ids[-1]
    assert (trace.allowed("decoder_self") == cells.numpy()).all()


@pytest.mark.parametrize("name", ["gpt2", "bart", "bloom"])
def test_a_row_is_changed_with_a_cache_as_without(name: str) -> None:
    row = 9 if name != "bart" else 3  # a step that the cache's passes begin with
    changes = [f"decoder_self.L1H2@{row}=zero", f"decoder_self.L2@{row}=aim:1,2"]
    with HuggingFaceModel(tiny(name), tokenizer()) as guest:
        trace = guest.trace(TEXT, max_steps=6, interventions=changes, prefix=())
        again = guest.replay(TEXT, trace.tgt_ids, changes).weights["decoder_self"]
        plain = guest.trace(TEXT, max_steps=6)
    assert not trace.decoder_self[0, 1, row - 1].any()
    aimed = np.zeros(len(trace.tgt_in), np.float32)
    aimed[:2] = 0.5
    np.testing.assert_array_equal(trace.decoder_self[1, :, row - 1], np.tile(aimed, (4, 1)))
    np.testing.assert_array_equal(
        trace.decoder_self[:, :, : row - 1, : row - 1],
        plain.decoder_self[:, :, : row - 1, : row - 1],
    )
    for mine, other in zip(trace.decoder_self, again, strict=True):
        np.testing.assert_allclose(mine, other[0].numpy(), atol=3e-6)


def test_heads_of_cross_attention_look_where_they_are_told_to() -> None:
    with HuggingFaceModel(tiny("t5"), tokenizer()) as guest:
        trace = guest.trace(
            TEXT, max_steps=4, interventions=["cross.L2H1=first", "cross.L1@2=aim:3"]
        )
    assert trace.cross is not None
    assert (trace.cross[1, 0, :, 0] == 1).all()
    assert (trace.cross[0, :, 1, 2] == 1).all()


def test_a_mean_is_measured_first_and_then_handed_on() -> None:
    texts = ["w1 w2 w3", "w9 w8 w7 w6"]
    with HuggingFaceModel(tiny("llama"), tokenizer()) as guest:
        with pytest.raises(HeadlightError, match=r"measure\("):
            guest.trace(TEXT, interventions=["decoder_self.L1H2=mean"])
        guest.measure(texts)
        seen = [
            guest.replay(text, guest.trace(text).tgt_ids, sites=("attended",)).at(
                "decoder_self", "attended"
            )[0][0, 1]
            for text in texts
        ]
        mean = torch.cat(seen).mean(0)
        trace = guest.trace(TEXT, max_steps=6, interventions=["decoder_self.L1H2=mean"])

    def change(attended: Tensor) -> None:
        attended[..., SIZE : 2 * SIZE] = mean

    assert list(trace.tgt_ids) == written(by_hand("llama", change))[1:]


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("gpt2", "positions=off", "positions enter"),
        ("gpt2", "cross.L1=zero", "decoder_self alone"),
        ("gpt2", "decoder_self.L3=zero", "2 layers"),
        ("gpt2", "decoder_self.L1H5=zero", "4 heads"),
        ("bart", "encoder_self.L1H3=zero", "2 heads"),
        ("bart", "cross@1=aim:9", "past the end of the source"),
        ("bert", "causal=off", "no causal mask"),
        ("bloom", "causal=off", "outside transformers' interface"),
        ("bloom", "decoder_self=mean", "outside transformers' interface"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(name: str, change: str, why: str) -> None:
    with (
        HuggingFaceModel(tiny(name), tokenizer()) as guest,
        pytest.raises(HeadlightError, match=why),
    ):
        guest.trace(TEXT, interventions=[change])


def test_a_row_is_never_left_with_nothing_to_attend_to() -> None:
    with (
        HuggingFaceModel(tiny("mistral"), tokenizer()) as guest,
        pytest.raises(HeadlightError, match="outside what the layer may see"),
    ):
        guest.trace(TEXT, interventions=["decoder_self=first"])


def same(one: AttentionTrace, other: AttentionTrace) -> bool:
    return one.to_dict() == other.to_dict()


def test_nothing_stays_changed_after_a_trace() -> None:
    with HuggingFaceModel(tiny("llama"), tokenizer()) as guest:
        before = guest.trace(TEXT, max_steps=3)
        guest.trace(TEXT, max_steps=3, interventions=["causal=off", "decoder_self=uniform"])
        assert same(before, guest.trace(TEXT, max_steps=3))
