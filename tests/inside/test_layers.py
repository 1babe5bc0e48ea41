"""Lenses, rollout and the residual stream: the last layer is the model itself."""

from typing import Any

import numpy as np
import pytest
import torch

from tests.tiny import num_hooks, tiny_checkpoint
from transformer import HeadlightError, Tokenizer, Translator, inside
from transformer.inside.decoder_lens import decoder_lens
from transformer.inside.lens import lens
from transformer.inside.residual import residual
from transformer.inside.rollout import rollout

SOURCE = "The cat sleeps on the warm bed."
SHAPES: list[dict[str, Any]] = [
    {},
    {"norm_placement": "pre", "final_norms": True, "banned_ids": (0, 1, 3)},
    {"num_encoder_layers": 0, "num_decoder_layers": 3},
]


def translator_with(tokenizer: Tokenizer, changes: dict[str, Any]) -> Translator:
    return Translator(tiny_checkpoint(tokenizer, max_length=64, **changes))


@pytest.mark.parametrize("changes", SHAPES, ids=["post-norm", "pre-norm", "decoder-only"])
def test_the_last_layer_says_what_the_model_says(
    tokenizer: Tokenizer, changes: dict[str, Any]
) -> None:
    translator = translator_with(tokenizer, changes)
    trace = translator.trace(SOURCE, max_steps=6)
    readings = lens(translator, trace)
    layers = translator.config.num_decoder_layers
    assert readings.probability.shape == readings.rank.shape == (layers, len(trace.tgt_out))
    for step, candidates in enumerate(trace.candidates):
        assert readings.tokens[-1][step] == candidates[0].token
        assert readings.ids[-1, step] == candidates[0].id
        assert readings.probability[-1, step] == pytest.approx(candidates[0].probability, abs=1e-6)
        own = next(c for c in candidates if c.id == trace.tgt_ids[step])
        assert readings.emitted[-1, step] == pytest.approx(own.probability, abs=1e-6)
        if step >= trace.prefix_length:
            assert readings.rank[-1, step] == 1
        elif len(candidates) == 10:  # else the last is an emitted token that is none of the best
            assert readings.rank[-1, step] == 1 + candidates.index(own)
    assert np.abs(readings.probability[0] - readings.probability[-1]).max() > 1e-3


def test_an_earlier_layer_is_read_like_the_last(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=4)
    readings = lens(translator, trace)
    decoder: Any = translator.model.decoder
    state = translator.replay(SOURCE, trace.tgt_ids, (), ("output",)).at("decoder", "output")[0]
    with torch.inference_mode():
        probabilities = decoder.output(state).softmax(-1)[0]
    np.testing.assert_allclose(readings.probability[0], probabilities.max(-1).values, atol=1e-6)
    order = probabilities.argsort(-1, descending=True).tolist()
    ranks = [row.index(token) + 1 for row, token in zip(order, trace.tgt_ids, strict=True)]
    assert readings.rank[0].tolist() == ranks
    figure: Any = readings.figure()
    assert figure.data[0].text[1][2] == readings.tokens[1][2].replace("<", "&lt;").replace(
        ">", "&gt;"
    )


def test_from_the_last_encoder_layer_comes_the_translation_itself(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=8)
    readings = decoder_lens(translator, trace, max_steps=8)
    assert len(readings.translations) == 2
    assert readings.translations[-1] == trace.translation
    assert readings.tokens[-1] == trace.tgt_out
    assert readings.stop_reasons[-1] == trace.stop_reason
    assert readings.tokens[0] != readings.tokens[-1]
    assert num_hooks(translator.model) == 0


def test_an_earlier_encoder_layer_is_what_a_shallower_encoder_says(tokenizer: Tokenizer) -> None:
    deep = translator_with(tokenizer, {"num_encoder_layers": 2})
    trace = deep.trace(SOURCE, max_steps=8)
    readings = decoder_lens(deep, trace, max_steps=8)
    model: Any = deep.model
    del model.encoder.layers[1]
    assert deep.translate(SOURCE, max_steps=8) == readings.translations[0]


def test_a_decoder_alone_has_no_encoder_to_read(continuer: Translator) -> None:
    trace = continuer.trace(SOURCE, max_steps=2)
    with pytest.raises(HeadlightError, match="cannot be asked this: ") as refused:
        inside.decoder_lens(continuer, trace)
    assert refused.value.code == "no_encoder"
    with pytest.raises(HeadlightError, match="cannot be asked this: "):
        inside.decoder_lens(translator=continuer, trace=trace)


def test_rollout_multiplies_layers(translator: Translator, continuer: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=4)
    product = rollout(trace)
    assert trace.encoder_self is not None
    half = [0.5 * layer.mean(0) + 0.5 * np.eye(len(trace.src)) for layer in trace.encoder_self]
    np.testing.assert_allclose(product.weights[0], half[0], atol=1e-6)
    np.testing.assert_allclose(product.weights[1], half[1] @ half[0], atol=1e-6)
    np.testing.assert_allclose(product.weights.sum(-1), 1, atol=1e-6)
    alone = rollout(continuer.trace(SOURCE, max_steps=4))
    assert alone.kind == "decoder_self"
    assert not np.triu(alone.weights, 1).any()
    off = rollout(translator.trace(SOURCE, max_steps=4, interventions=["encoder_self.L1=zero"]))
    np.testing.assert_allclose(off.weights[0], np.eye(len(trace.src)))
    figure: Any = product.figure(0)
    assert figure.layout.title.text == "Rollout up to layer 1 (crude)"


@pytest.mark.parametrize("changes", SHAPES, ids=["post-norm", "pre-norm", "decoder-only"])
def test_lengths_of_the_residual_stream(tokenizer: Tokenizer, changes: dict[str, Any]) -> None:
    translator = translator_with(tokenizer, changes)
    trace = translator.trace(SOURCE, max_steps=4)
    lengths = residual(translator, trace)
    layers = translator.config.num_decoder_layers
    if trace.src:
        assert lengths.encoder_sublayers == (
            *("L1 self-attention", "L1 feed-forward", "L2 self-attention", "L2 feed-forward"),
        )
        assert lengths.encoder is not None
        assert lengths.encoder.shape == (4, len(trace.src))
        assert lengths.decoder_sublayers[:2] == ("L1 self-attention", "L1 cross-attention")
    else:
        assert lengths.encoder is None
    assert lengths.decoder.shape == (layers * (3 if trace.src else 2), len(trace.tgt_in))
    sites = ("after_feed_forward",)
    state = translator.replay(SOURCE, trace.tgt_ids, (), sites).at("decoder", sites[0])[-1]
    np.testing.assert_allclose(lengths.decoder[-1], state[0].norm(dim=-1), rtol=1e-5)
    figure: Any = lengths.figure("decoder")
    assert list(figure.layout.yaxis.ticktext) == list(lengths.decoder_sublayers)
