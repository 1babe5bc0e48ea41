import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, cast

import pytest
import torch
from torch import Tensor, nn

from tests.reference import TorchTransformer, WeightsOf
from tests.tiny import (
    BOS,
    PAD,
    num_hooks,
    random_ids,
    same_weights,
    tiny_checkpoint,
    tiny_config,
    tiny_model,
)
from transformer import HeadlightError, Tokenizer, Transformer, Translator, intervene, record
from transformer.model.config import NormPlacement
from transformer.model.layers import DecoderLayer
from transformer.model.towers import DecoderCache, Model
from transformer.recording.hooks import Recording
from transformer.trace.interventions import EFFECTS, Effect, Intervention
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.trace import AttentionTrace

SRC, TGT = random_ids(1, 2, 6), random_ids(2, 2, 5)
TGT[:, 0] = BOS
PADDED_SRC, PADDED_TGT = SRC.clone(), TGT.clone()
PADDED_SRC[1, 4:] = PAD
PADDED_TGT[1, 3:] = PAD


def transformer(**changes: Any) -> Transformer:
    return cast(Transformer, tiny_model(**changes))


def test_a_recording_holds_every_layer_of_every_kind() -> None:
    model = transformer(num_encoder_layers=1, num_decoder_layers=3)
    with record(model) as recording:
        model(SRC, TGT)
    shapes = {kind: [tuple(w.shape) for w in layers] for kind, layers in recording.weights.items()}
    assert shapes == {
        "encoder_self": [(2, 4, 6, 6)],
        "decoder_self": [(2, 4, 5, 5)] * 3,
        "cross": [(2, 4, 5, 6)] * 3,
    }
    assert {kind: len(layers) for kind, layers in recording.scores.items()} == {
        "encoder_self": 1,
        "decoder_self": 3,
        "cross": 3,
    }


def test_recorded_weights_are_the_softmax_of_the_recorded_scores() -> None:
    model = transformer()
    with record(model) as recording:
        model(SRC, TGT)
    for scores, weights in zip(recording.scores["cross"], recording.weights["cross"], strict=True):
        assert torch.equal(scores.softmax(-1), weights)


def test_recorded_weights_are_nn_multihead_attentions() -> None:
    model = transformer()
    theirs = TorchTransformer(model)
    reference = WeightsOf(theirs)
    theirs(PADDED_SRC, PADDED_TGT)
    with record(model) as recording:
        model(PADDED_SRC, PADDED_TGT)
    layers = zip(recording.weights["encoder_self"], reference.weights[:2], strict=True)
    for mine, its in layers:
        torch.testing.assert_close(mine, its, atol=1e-5, rtol=0)


def test_a_decoder_only_model_has_only_decoder_self_attention() -> None:
    model = tiny_model(num_encoder_layers=0)
    with record(model) as recording:
        model(TGT)
    assert set(recording.weights) == {"decoder_self"}


def test_recording_changes_no_logit_bit_for_bit() -> None:
    model = transformer()
    before = model(SRC, TGT)
    with record(model):
        during = model(SRC, TGT)
    assert torch.equal(before, during)
    assert torch.equal(before, model(SRC, TGT))


def test_stepwise_weights_equal_the_teacher_forced_ones() -> None:
    model = transformer()
    with torch.inference_mode():
        memory = model.encode(SRC)
        with record(model) as whole:
            model.decode(TGT, memory)
        cache = DecoderCache(2, max_target=5, num_source=6)
        for step in range(5):
            with record(model) as recording:
                model.decode(TGT[:, step : step + 1], memory, cache=cache)
            for layer in range(2):
                row = recording.weights["decoder_self"][layer][:, :, 0]
                expected = whole.weights["decoder_self"][layer][:, :, step, : step + 1]
                torch.testing.assert_close(row, expected, atol=1e-5, rtol=0)
                row = recording.weights["cross"][layer][:, :, 0]
                expected = whole.weights["cross"][layer][:, :, step]
                torch.testing.assert_close(row, expected, atol=1e-5, rtol=0)


def zero_all() -> list[Intervention]:
    return [Intervention(kind, 0, None, "zero") for kind in KINDS]


@pytest.mark.parametrize("enter", [record, lambda model: intervene(model, zero_all())])
def test_no_hook_is_left_even_when_the_block_raises(enter: Callable[[Model], Any]) -> None:
    model = transformer()
    with enter(model):
        assert num_hooks(model) > 0
    assert num_hooks(model) == 0
    with pytest.raises(ZeroDivisionError), enter(model):
        raise ZeroDivisionError
    assert num_hooks(model) == 0
    with pytest.raises(ValueError, match="maximum length"), enter(model):
        model(SRC, random_ids(0, 2, 25))  # the decoder raises after the encoder has run
    assert num_hooks(model) == 0


def test_no_hook_is_left_when_an_intervention_is_refused() -> None:
    model = transformer()
    wrong = Intervention("cross", 9, 0, "zero")
    with pytest.raises(HeadlightError), intervene(model, [*zero_all(), wrong]):
        pass
    assert num_hooks(model) == 0


def test_recordings_nest_and_each_keeps_the_last_pass_of_its_block() -> None:
    model = transformer()
    other = random_ids(3, 2, 6)
    with record(model) as outer:
        model(SRC, TGT)
        with record(model) as inner:
            model(other, TGT)
        assert same(outer, inner)
        model(SRC, TGT)
    assert not same(outer, inner)
    with record(model) as expected:
        model(other, TGT)
    assert same(inner, expected)


def same(one: Recording, other: Recording) -> bool:
    return all(
        torch.equal(a, b)
        for kind in KINDS
        for a, b in zip(one.weights[kind], other.weights[kind], strict=True)
    )


def test_three_hundred_traces_in_eight_threads_never_mix(tokenizer: Tokenizer) -> None:
    translator = Translator(tiny_checkpoint(tokenizer, num_encoder_layers=1, num_decoder_layers=1))
    sentences = [f"{first} {second}" for first in "abcde" for second in "我爱你天好"]

    def run(sentence: str) -> AttentionTrace:
        return translator.trace(sentence, max_steps=2, top_k=0)

    expected = {sentence: run(sentence) for sentence in sentences}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)  # switch between threads fifty times as often as usual
    try:
        with ThreadPoolExecutor(8) as pool:
            traces = list(pool.map(run, sentences * 12))
    finally:
        sys.setswitchinterval(interval)
    assert len(traces) == 300
    for sentence, trace in zip(sentences * 12, traces, strict=True):
        assert trace.source == sentence
        assert trace.tgt_ids == expected[sentence].tgt_ids
        assert same_weights(trace, expected[sentence])
    assert num_hooks(translator.model) == 0


def in_another_thread(run: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def test_another_threads_pass_is_neither_recorded_nor_changed() -> None:
    model = transformer()
    before = model(SRC, TGT)
    with record(model) as recording, intervene(model, zero_all()):
        assert torch.equal(in_another_thread(lambda: model(SRC, TGT)), before)
        assert not recording.weights
        assert not torch.equal(model(SRC, TGT), before)
        assert recording.weights


def run(model: Transformer, interventions: list[Intervention], padded: bool) -> Recording:
    src, tgt = (PADDED_SRC, PADDED_TGT) if padded else (SRC, TGT)
    with torch.inference_mode(), record(model) as recording, intervene(model, interventions):
        assert model(src, tgt).isfinite().all()
    return recording


def allowed(kind: Kind, padded: bool) -> Tensor:
    """Which keys each query may attend to, [batch, query, key]."""
    queries, keys = {"encoder_self": (6, 6), "decoder_self": (5, 5), "cross": (5, 6)}[kind]
    mask = torch.ones(2, queries, keys)
    if kind == "decoder_self":
        mask = mask.tril()
    if padded:
        mask[1, :, 3 if kind == "decoder_self" else 4 :] = 0
    return mask


def expected_weights(kind: Kind, effect: Effect, padded: bool) -> Tensor:
    mask = allowed(kind, padded)
    if effect == "zero":
        return torch.zeros_like(mask)
    if effect == "uniform":
        return mask / mask.sum(-1, keepdim=True)
    first = torch.zeros_like(mask)
    first[..., 0] = 1
    return first


@pytest.mark.parametrize("padded", [False, True], ids=["", "padded"])
@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_intervention_does_what_it_says_to_its_head_alone(
    kind: Kind, effect: Effect, padded: bool
) -> None:
    model = transformer()
    before = run(model, [], padded).weights
    after = run(model, [Intervention(kind, 1, 2, effect)], padded).weights
    changed = after[kind][1][:, 2]
    torch.testing.assert_close(changed, expected_weights(kind, effect, padded), atol=1e-6, rtol=0)
    others = [0, 1, 3]
    assert torch.equal(after[kind][1][:, others], before[kind][1][:, others])
    assert torch.equal(after[kind][0], before[kind][0])


def test_a_star_means_every_head() -> None:
    model = transformer()
    weights = run(model, [Intervention("cross", 0, None, "uniform")], padded=False).weights
    assert torch.allclose(weights["cross"][0], torch.tensor(1 / 6))


def test_a_head_switched_off_adds_nothing_to_the_output() -> None:
    # By hand: without its value, a head's columns of the output projection are of no use.
    model, surgery = transformer(), transformer()
    with torch.inference_mode(), intervene(model, [Intervention.parse("cross.L2H4=zero")]):
        changed = model(SRC, TGT)
    surgery.decoder.layers[1].get_submodule("cross_attention.output").get_parameter("weight").data[
        :, 12:16
    ] = 0
    torch.testing.assert_close(changed, surgery(SRC, TGT), atol=1e-5, rtol=1e-5)
    assert not torch.allclose(changed, model(SRC, TGT), atol=1e-2)


@pytest.mark.parametrize("record_first", [True, False])
def test_a_recording_shows_what_the_model_used_whichever_began_first(record_first: bool) -> None:
    model = transformer()
    interventions = intervene(model, [Intervention("cross", 0, 0, "zero")])
    with ExitStack() as stack:
        if not record_first:
            stack.enter_context(interventions)
        recording = stack.enter_context(record(model))
        if record_first:
            stack.enter_context(interventions)
        model(SRC, TGT)
    assert recording.weights["cross"][0][:, 0].eq(0).all()


def test_several_interventions_work_together() -> None:
    model = transformer()
    texts = ["cross.L1H1=zero", "cross.L1H2=first", "decoder_self.L2=uniform"]
    weights = run(model, [Intervention.parse(text) for text in texts], padded=False).weights
    assert weights["cross"][0][:, 0].eq(0).all()
    assert weights["cross"][0][:, 1, :, 0].eq(1).all()
    torch.testing.assert_close(weights["decoder_self"][1][0, 0, 3], torch.tensor([0.25] * 4 + [0]))


@pytest.mark.parametrize(
    ("text", "intervention"),
    [
        ("cross.L2H4=zero", Intervention("cross", 1, 3, "zero")),
        ("decoder_self.L1H12=uniform", Intervention("decoder_self", 0, 11, "uniform")),
        ("encoder_self.L3=first", Intervention("encoder_self", 2, None, "first")),
        ("cross=zero", Intervention("cross", None, None, "zero")),
    ],
)
def test_the_text_form_goes_both_ways(text: str, intervention: Intervention) -> None:
    assert Intervention.parse(text) == intervention
    assert str(intervention) == text
    assert Intervention.parse(f"  {text}\n") == intervention


@pytest.mark.parametrize(
    "text",
    [
        *("", "cross", "cross.L2H4", "cross.1=zero", "cross.*.1=zero", "cross.L2H4=ZERO"),
        *("self.L2H4=zero", "cross.L2H4=one", "cross.-1.3=zero", "cross.L1=zero,cross.L2=zero"),
        *("cross.L2H4 = zero", "cross.L٢=zero", "cross.L2H4=zero\0", "cross.L1H9999999999=zero"),
        *("cross.L0H1=zero", "cross.L1H0=zero", "cross.H2=zero", "cross.=zero", "cross.l2h4=zero"),
    ],
)
def test_another_text_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(HeadlightError, match=r"write kind\.head=effect, such as") as caught:
        Intervention.parse(text)
    assert caught.value.code == "bad_intervention"
    assert caught.value.details == {"intervention": text}


@pytest.mark.parametrize(
    ("intervention", "layers"),
    [
        (Intervention("cross", 2, 0, "zero"), 2),
        (Intervention("encoder_self", 0, 4, "zero"), 2),
        (Intervention("decoder_self", -1, 0, "zero"), 2),
        (Intervention("decoder_self", 0, -1, "zero"), 2),
        (Intervention("cross", 0, 0, "zero"), 0),
        (Intervention("encoder_self", 0, None, "zero"), 0),
    ],
)
def test_a_head_that_the_model_lacks_is_refused(intervention: Intervention, layers: int) -> None:
    sentence = f"has {layers} layers of {intervention.kind} with 4 heads each"
    with pytest.raises(HeadlightError, match=sentence):
        intervention.check(tiny_config(num_encoder_layers=layers))


def test_a_head_of_no_layer_is_refused() -> None:
    with pytest.raises(ValueError, match="head 3 of which layer"):
        Intervention("cross", None, 3, "zero")


def test_a_whole_kind_is_its_layers_together() -> None:
    model = transformer()
    layers = [Intervention("cross", layer, None, "zero") for layer in range(2)]
    with torch.inference_mode():
        with intervene(model, [Intervention.parse("cross=zero")]):
            whole = model(SRC, TGT)
        with intervene(model, layers):
            assert torch.equal(whole, model(SRC, TGT))
        assert not torch.allclose(whole, model(SRC, TGT), atol=1e-2)


def test_hook_points_see_what_the_next_step_is_computed_from() -> None:
    model = transformer()
    sites = ("query", "key", "value", "scores", "weights", "attended")
    with torch.inference_mode(), record(model, sites) as recording:
        model(SRC, TGT)
    for kind in KINDS:
        layers = zip(*(recording.at(kind, site) for site in sites), strict=True)
        assert len(recording.at(kind, "query")) == 2
        for query, key, value, scores, weights, attended in layers:
            expected = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
            torch.testing.assert_close(scores, expected)
            torch.testing.assert_close(attended, weights @ value)


@torch.inference_mode()
@pytest.mark.parametrize("norm_placement", ["post", "pre"])
def test_hook_points_see_the_residual_stream(norm_placement: NormPlacement) -> None:
    model = transformer(norm_placement=norm_placement)
    sites = ("after_self_attention", "after_cross_attention", "after_feed_forward", "output")
    with record(model, sites) as recording:
        logits = model(SRC, TGT)
    assert not recording.at("encoder", "after_cross_attention")
    post = norm_placement == "post"
    for index, layer in enumerate(model.decoder.layers):
        assert isinstance(layer, DecoderLayer)
        crossed, fed, output = (recording.at("decoder", site)[index] for site in sites[1:])
        x = layer.cross_attention_residual.norm(crossed) if post else crossed
        inner = x if post else layer.feed_forward_residual.norm(x)
        torch.testing.assert_close(fed, x + layer.feed_forward(inner))
        torch.testing.assert_close(output, layer.feed_forward_residual.norm(fed) if post else fed)
    torch.testing.assert_close(logits, model.decoder.output(recording.at("decoder", "output")[-1]))
    torch.testing.assert_close(recording.at("encoder", "output")[-1], model.encode(SRC))


def test_a_recording_needs_no_walk_over_the_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    model = transformer()

    def walk(*_args: object, **_options: object) -> None:
        raise AssertionError("a walk over all modules")

    monkeypatch.setattr(nn.Module, "named_modules", walk)
    off = [Intervention.parse("cross.L1H1=zero")]
    with torch.inference_mode(), intervene(model, off), record(model) as recording:
        model(SRC, TGT)
    assert len(recording.weights["cross"]) == 2
