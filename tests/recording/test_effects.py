"""Parts of the model taken away, against the same computed by other means."""

import math
from typing import Any, cast

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.tiny import num_hooks, random_ids, tiny_checkpoint, tiny_config, tiny_model
from transformer import (
    HeadlightError,
    Tokenizer,
    Transformer,
    Translator,
    inside,
    intervene,
    record,
)
from transformer.model.attention import MultiHeadAttention
from transformer.model.masks import causal_mask
from transformer.model.towers import Model
from transformer.recording.hooks import attention_modules
from transformer.trace.interventions import Intervention
from transformer.trace.kinds import KINDS
from transformer.trace.trace import AttentionTrace

SRC, TGT = random_ids(1, 2, 6), random_ids(2, 2, 5)
SOURCE = "The cat sleeps on the warm bed."


def changed(model: Model, *texts: str, **options: Any) -> Tensor:
    changes = [Intervention.parse(text) for text in texts]
    with torch.inference_mode(), intervene(model, changes, **options):
        return model(SRC, TGT) if isinstance(model, Transformer) else model(TGT)


def transformer(**changes: Any) -> Transformer:
    return cast(Transformer, tiny_model(**changes))


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("cross.L2H4=mean", Intervention("cross", 1, 3, "mean")),
        ("cross.L2=double", Intervention("cross", 1, None, "double")),
        ("decoder_self.L2.residual=off", Intervention("decoder_self", 1, None, "residual")),
        ("encoder_self.residual=off", Intervention("encoder_self", None, None, "residual")),
        ("scale=off", Intervention(None, None, None, "scale")),
        ("causal=off", Intervention(None, None, None, "causal")),
        ("positions=off", Intervention(None, None, None, "positions")),
        ("temperature=2", Intervention(None, None, None, "temperature", 2)),
        ("temperature=0.25", Intervention(None, None, None, "temperature", 0.25)),
        ("causal=inverted", Intervention(None, None, None, "inverted")),
        ("heads=mixed", Intervention(None, None, None, "mixed")),
    ],
)
def test_the_text_form_goes_both_ways(text: str, change: Intervention) -> None:
    assert Intervention.parse(text) == change
    assert str(change) == text


@pytest.mark.parametrize(
    "text",
    [
        *("scale", "scale=on", "cross.scale=off", "temperature=0", "temperature=-1"),
        *("temperature=off", "temperature=1e3", "residual=off", "cross.L2H4.residual=off"),
        *("cross.L0.residual=off", "temperature=nan", "causal=zero", "cross=off"),
        *("heads=off", "mixed=off", "inverted=off", "scale=inverted", "cross.heads=mixed"),
    ],
)
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(HeadlightError) as caught:
        Intervention.parse(text)
    assert caught.value.code == "bad_intervention"


def test_a_part_of_no_kind_and_a_kind_without_its_part_are_refused() -> None:
    with pytest.raises(ValueError, match="scale of cross"):
        Intervention("cross", None, None, "scale")
    with pytest.raises(ValueError, match="zero of None"):
        Intervention(None, None, None, "zero")
    with pytest.raises(HeadlightError):
        Intervention.parse("cross.L3.residual=off").check(tiny_config())


def test_no_hook_is_left() -> None:
    model = transformer()
    parts = ("scale=off", "temperature=2", "causal=off", "positions=off", "cross.residual=off")
    parts = (*parts, "causal=inverted", "heads=mixed")
    changed(model, *parts, "cross.L1H1=double")
    assert num_hooks(model) == 0


def test_scale_and_temperature_are_factors_of_the_query_projection() -> None:
    d_head = 4
    for text, factor in (("scale=off", math.sqrt(d_head)), ("temperature=2", 0.5)):
        model, surgery = transformer(), transformer()
        for name, parameter in surgery.named_parameters():
            if "query_key_value" in name:
                parameter.data[:16] *= factor  # weights and biases of the queries
        expected = surgery(SRC, TGT)
        torch.testing.assert_close(changed(model, text), expected, atol=1e-5, rtol=1e-5)
        assert not torch.allclose(expected, model(SRC, TGT), atol=1e-2)
    torch.testing.assert_close(changed(transformer(), "temperature=1"), transformer()(SRC, TGT))


def test_without_positions_the_encoding_is_nothing() -> None:
    model, surgery = transformer(), transformer()
    for tower in (surgery.encoder, surgery.decoder):
        tower.embedding.position.encoding.zero_()
    assert torch.equal(changed(model, "positions=off"), surgery(SRC, TGT))
    # Then an encoder cannot tell one order from another.
    with torch.inference_mode(), intervene(model, [Intervention.parse("positions=off")]):
        order = torch.tensor([3, 1, 5, 0, 2, 4])
        there, back = model.encode(SRC)[:, order], model.encode(SRC[:, order])
    torch.testing.assert_close(there, back, atol=1e-5, rtol=1e-5)


def test_without_the_causal_mask_the_decoder_reads_all() -> None:
    model = transformer()
    everything = torch.ones(1, 1, 5, 5, dtype=torch.bool)
    with torch.inference_mode():
        expected = model.decode(TGT, model.encode(SRC), tgt_mask=everything)
    torch.testing.assert_close(changed(model, "causal=off"), expected, atol=1e-5, rtol=1e-5)
    # What is done to a head's weights stays done.
    with torch.inference_mode(), record(model) as recording:
        changed(model, "causal=off", "decoder_self.L1H2=zero", "decoder_self.L1H3=uniform")
    first = recording.weights["decoder_self"][0]
    assert first[:, 1].eq(0).all()
    torch.testing.assert_close(first[:, 2], torch.full((2, 5, 5), 0.2))


def test_the_inverted_mask_shows_itself_and_what_comes_later() -> None:
    model = transformer()
    with torch.inference_mode():
        future = torch.ones(1, 1, 5, 5, dtype=torch.bool).triu()
        expected = model.decode(TGT, model.encode(SRC), tgt_mask=future)
        with record(model) as recording:
            got = changed(model, "causal=inverted")
    torch.testing.assert_close(got, expected, atol=1e-5, rtol=1e-5)
    for weights in recording.weights["decoder_self"]:
        assert weights.tril(-1).eq(0).all()
        assert weights.triu().gt(0).sum() == 2 * 4 * 15
    # Of two changes to the mask, the last acts.
    assert torch.equal(
        changed(model, "causal=inverted", "causal=off"), changed(model, "causal=off")
    )
    assert torch.equal(changed(model, "causal=off", "causal=inverted"), got)


def test_mixed_heads_are_a_view_without_its_transpose() -> None:
    class WrongSplit(MultiHeadAttention):
        def _split_heads(self, projected: Tensor) -> Tensor:
            batch, length, width = projected.shape
            apart = projected.view(batch, length, -1, self.num_heads * self.d_head)
            shape = (width // (self.num_heads * self.d_head), batch, self.num_heads, length, -1)
            return apart.permute(2, 0, 1, 3).reshape(shape)

    model, surgery = transformer(), transformer()
    for module in attention_modules(surgery).values():
        module.__class__ = WrongSplit
    expected = surgery(SRC, TGT)
    torch.testing.assert_close(changed(model, "heads=mixed"), expected, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(expected, model(SRC, TGT), atol=1e-2)


def test_without_its_residual_a_sublayer_hands_on_itself_alone() -> None:
    model = transformer()
    sites = ("after_self_attention", "output")
    layer = model.decoder.layers[1]
    with torch.inference_mode():
        with record(model, sites) as recording:
            changed(model, "decoder_self.L2.residual=off")
        [_, after] = recording.at("decoder", "after_self_attention")
        [x, _] = recording.at("decoder", "output")
        expected = layer.self_attention(x, mask=causal_mask(5, 5, x.device))
    torch.testing.assert_close(after, expected, atol=1e-6, rtol=1e-5)


def test_double_is_twice_the_columns_of_the_output_projection() -> None:
    model, surgery = transformer(), transformer()
    name = "cross_attention.output"
    surgery.decoder.layers[1].get_submodule(name).get_parameter("weight").data[:, 12:16] *= 2
    expected = surgery(SRC, TGT)
    torch.testing.assert_close(changed(model, "cross.L2H4=double"), expected, atol=1e-5, rtol=1e-5)


def test_a_head_at_its_mean_adds_a_constant() -> None:
    model, surgery = transformer(), transformer()
    means = {"cross": torch.randn(2, 4, 4, generator=torch.Generator().manual_seed(0))}
    output = surgery.decoder.layers[1].get_submodule("cross_attention.output")
    weight, bias = output.get_parameter("weight"), output.get_parameter("bias")
    bias.data += F.linear(means["cross"][1, 3], weight[:, 12:16]).detach()
    weight.data[:, 12:16] = 0
    got = changed(model, "cross.L2H4=mean", means=means)
    torch.testing.assert_close(got, surgery(SRC, TGT), atol=1e-5, rtol=1e-5)
    # A layer's heads each get their own.
    layer = changed(model, "cross.L2=mean", means=means)
    each = changed(model, *[f"cross.L2H{head}=mean" for head in (1, 2, 3, 4)], means=means)
    assert torch.equal(layer, each)
    with pytest.raises(HeadlightError, match="mean output"):
        changed(model, "cross.L2H4=mean")


def test_its_weights_are_drawn_as_computed(translator: Translator) -> None:
    plain, mean = (translator.replay(SOURCE, translator.trace(SOURCE).tgt_ids, changes)
                   for changes in ((), ("encoder_self.L2H1=mean",)))  # fmt: skip
    assert torch.equal(plain.weights["encoder_self"][1], mean.weights["encoder_self"][1])
    assert not torch.equal(plain.weights["cross"][0], mean.weights["cross"][0])


def test_means_that_were_not_shipped_are_those_of_the_examples(
    translator: Translator, tokenizer: Tokenizer
) -> None:
    [example] = translator.card["examples"]
    trace = translator.trace(example)
    recording = translator.replay(example, trace.tgt_ids, (), ("attended",))
    for kind in KINDS:
        expected = torch.cat(recording.at(kind, "attended")).mean(2)
        torch.testing.assert_close(translator.means[kind], expected, atol=1e-5, rtol=1e-4)
    nobody = tiny_checkpoint(tokenizer, max_length=40)
    nobody.card["examples"] = []
    with pytest.raises(HeadlightError) as caught:
        Translator(nobody).trace(SOURCE, interventions=["cross.L1H1=mean"])
    assert caught.value.code == "no_means"


@pytest.mark.parametrize("name", ["translator", "continuer"])
@pytest.mark.parametrize("change", ["causal=off", "causal=inverted", "heads=mixed"])
def test_what_needs_the_whole_text_is_shown_over_the_tokens_of_the_plain_trace(
    name: str, change: str, request: pytest.FixtureRequest
) -> None:
    translator: Translator = request.getfixturevalue(name)
    plain = translator.trace(SOURCE, max_steps=7)
    trace = translator.trace(SOURCE, max_steps=7, interventions=[change])
    assert trace.tgt_ids == plain.tgt_ids
    replayed = translator.replay(SOURCE, plain.tgt_ids, [change])
    for kind, layers in replayed.weights.items():
        shown = trace.weights(kind)
        assert shown is not None
        for layer, weights in enumerate(layers):
            torch.testing.assert_close(
                torch.from_numpy(shown[layer].copy()), weights[0], atol=1e-5, rtol=0
            )
    future = trace.decoder_self[..., 0, 1:].any()
    assert future == (change != "heads=mixed"), "whether the first row reads the future"
    # Its candidates are what it says with the future before its eyes.
    effect = inside.effect(translator, plain, [change])
    for step, (candidates, others) in enumerate(
        zip(trace.candidates, plain.candidates, strict=True)
    ):
        [now] = [c.probability for c in candidates if c.id == trace.tgt_ids[step]]
        [then] = [c.probability for c in others if c.id == trace.tgt_ids[step]]
        delta = float(effect.log_probability[step])
        assert math.log(now) - math.log(then) == pytest.approx(delta, abs=1e-4)
    back = AttentionTrace.from_dict(trace.to_dict())
    assert back.interventions == trace.interventions
    if future:
        with pytest.raises(ValueError, match="attends to the future"):
            AttentionTrace.from_dict({**trace.to_dict(), "interventions": []})
        if change == "causal=off":
            with pytest.raises(ValueError, match="attends to the past"):
                AttentionTrace.from_dict({**trace.to_dict(), "interventions": ["causal=inverted"]})


def test_beside_others_each_keeps_its_own_mask(translator: Translator) -> None:
    alone = translator.trace(SOURCE, interventions=["causal=off"], max_steps=5)
    from transformer.translator import TraceRequest

    requests = [
        TraceRequest("I love you."),
        TraceRequest(SOURCE, interventions=("causal=off",)),
        TraceRequest(SOURCE, interventions=("cross.L1H1=double",)),
    ]
    traces = translator.traces(requests, max_steps=5)
    assert isinstance(traces[1], AttentionTrace)
    torch.testing.assert_close(
        torch.from_numpy(traces[1].decoder_self.copy()),
        torch.from_numpy(alone.decoder_self.copy()),
        atol=1e-5,
        rtol=0,
    )
    assert traces[1].tgt_ids == alone.tgt_ids
