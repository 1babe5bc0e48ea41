"""ALTI+ against the published formula, worked out with nothing but sums and loops."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from tests.tiny import tiny_checkpoint, tiny_model
from transformer import Tokenizer, Translator
from transformer.checkpoint import Checkpoint
from transformer.inside.contributions import contributions
from transformer.inside.decomposition import Block, blocks_of
from transformer.inside.value_norms import value_norms
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.trace import AttentionTrace

Vector = list[float]
Matrix = list[Vector]


def numbers(tensor: Any) -> Any:
    return tensor.detach().double().tolist()


def times(matrix: Matrix, vector: Vector) -> Vector:
    return [sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix]


def plus(*vectors: Vector) -> Vector:
    return [sum(parts) for parts in zip(*vectors, strict=True)]


def minus(one: Vector, other: Vector) -> Vector:
    return [a - b for a, b in zip(one, other, strict=True)]


def length(vector: Vector) -> float:
    """L1."""
    return sum(map(abs, vector))


def softmax(scores: Vector) -> Vector:
    terms = [math.exp(score) for score in scores]
    return [term / sum(terms) for term in terms]


def block(attention: Any, norm: Any, xs: Matrix, memory: Matrix | None) -> tuple[Matrix, Matrix]:
    """One post-norm attention block of one head, as the paper has it.

    Returns its outputs, and for each the shares of the tokens attended to; of cross-attention, the
    last share is the residual stream's.
    """
    d = len(xs[0])
    weight, bias = (
        numbers(attention.query_key_value.weight),
        numbers(attention.query_key_value.bias),
    )
    w_o, b_o = numbers(attention.output.weight), numbers(attention.output.bias)
    gamma, beta = numbers(norm.weight), numbers(norm.bias)
    keys_from = xs if memory is None else memory
    outputs, shares = [], []
    for i, x in enumerate(xs):
        query = plus(times(weight[:d], x), bias[:d])
        seen = keys_from[: i + 1] if memory is None and attention.causal else keys_from
        keys = [plus(times(weight[d : 2 * d], k), bias[d : 2 * d]) for k in seen]
        values = [plus(times(weight[2 * d :], k), bias[2 * d :]) for k in seen]
        alpha = softmax(
            [sum(q * k for q, k in zip(query, key, strict=True)) / math.sqrt(d) for key in keys]
        )
        parts = [[a * c for c in times(w_o, value)] for a, value in zip(alpha, values, strict=True)]
        total = plus(*parts, b_o, x)
        if memory is None:
            parts[i] = plus(parts[i], x)
        else:
            parts.append(x)
        mean = sum(total) / d
        sigma = math.sqrt(sum((u - mean) ** 2 for u in total) / d + norm.eps)
        y = [(u - mean) / sigma * g + b for u, g, b in zip(total, gamma, beta, strict=True)]
        normed = [
            [(u - sum(part) / d) / sigma * g for u, g in zip(part, gamma, strict=True)]
            for part in parts
        ]
        gained = [max(0.0, length(y) - length(minus(y, part))) for part in normed]
        row = [g / sum(gained) for g in gained]
        shares.append(row + [0.0] * (len(keys_from) - len(seen)))
        outputs.append(y)
    return outputs, shares


def feed_forward(layer: Any, xs: Matrix) -> Matrix:
    with torch.no_grad():
        x = torch.tensor(xs).float()
        return numbers(layer.feed_forward_residual(x, layer.feed_forward, layer.after_feed_forward))


def product(one: Matrix, other: Matrix) -> Matrix:
    columns = list(zip(*other, strict=True))
    return [[sum(a * b for a, b in zip(r, c, strict=True)) for c in columns] for r in one]


def test_two_tokens_by_hand(tokenizer: Tokenizer) -> None:
    size = tokenizer.vocab_size
    model: Any = tiny_model(
        seed=4,
        src_vocab_size=size,
        tgt_vocab_size=size,
        d_model=4,
        num_heads=1,
        d_ff=6,
        num_encoder_layers=2,
        num_decoder_layers=2,
    )
    translator = Translator(Checkpoint("two", model, tokenizer))
    trace = translator.trace("I", max_steps=2)
    assert len(trace.tgt_in) == 2
    result = contributions(translator, trace)

    encoded = numbers(model.encoder.embedding(torch.tensor([trace.src_ids]))[0])
    encoder = np.eye(len(encoded)).tolist()
    for layer in model.encoder.layers:
        layer.self_attention.causal = False
        encoded, shares = block(
            layer.self_attention, layer.self_attention_residual.norm, encoded, None
        )
        encoded = feed_forward(layer, encoded)
        encoder = product(shares, encoder)
    read = [translator.config.bos_id, trace.tgt_ids[0]]
    written = numbers(model.decoder.embedding(torch.tensor([read]))[0])
    source, prefix = np.zeros((2, len(encoded))).tolist(), np.eye(2).tolist()
    for layer in model.decoder.layers:
        layer.self_attention.causal = True
        written, own = block(
            layer.self_attention, layer.self_attention_residual.norm, written, None
        )
        source, prefix = product(own, source), product(own, prefix)
        written, cross = block(
            layer.cross_attention, layer.cross_attention_residual.norm, written, encoded
        )
        written = feed_forward(layer, written)
        through = product([row[:-1] for row in cross], encoder)
        for t, row in enumerate(cross):
            source[t] = plus(through[t], [row[-1] * share for share in source[t]])
            prefix[t] = [row[-1] * share for share in prefix[t]]

    assert result.source is not None
    np.testing.assert_allclose(result.source, source, atol=1e-5)
    np.testing.assert_allclose(result.prefix, prefix, atol=1e-5)
    assert result.encoder is not None
    np.testing.assert_allclose(result.encoder, encoder, atol=1e-5)


SHAPES: list[dict[str, Any]] = [{}, {"norm_placement": "pre", "final_norms": True}]


@pytest.mark.parametrize("changes", SHAPES, ids=["post-norm", "pre-norm"])
def test_shares_sum_to_one_and_nothing_comes_from_the_future(
    tokenizer: Tokenizer, changes: dict[str, Any]
) -> None:
    translator = Translator(tiny_checkpoint(tokenizer, max_length=64, **changes))
    shares = contributions(translator, translator.trace("The cat sleeps.", max_steps=6))
    assert shares.source is not None
    assert shares.encoder is not None
    rows = shares.source.sum(-1) + shares.prefix.sum(-1)
    np.testing.assert_allclose(rows, 1, atol=1e-6)
    np.testing.assert_allclose(shares.encoder.sum(-1), 1, atol=1e-6)
    assert not np.triu(shares.prefix, 1).any()
    assert (shares.source >= 0).all()
    np.testing.assert_allclose(shares.from_source, shares.source.sum(-1))
    assert ((shares.from_source > 0) & (shares.from_source < 1)).all()


def test_a_decoder_alone_has_only_what_it_wrote(continuer: Translator) -> None:
    trace = continuer.trace("I love you.", max_steps=4)
    shares = contributions(continuer, trace)
    assert shares.source is shares.encoder is None
    np.testing.assert_allclose(shares.prefix.sum(-1), 1, atol=1e-6)
    assert not shares.from_source.any()
    figure: Any = shares.figure()
    assert len(figure.layout.xaxis.ticktext) == len(trace.tgt_in)


def test_without_cross_attention_nothing_comes_from_the_source(translator: Translator) -> None:
    trace = translator.trace("I love you.", max_steps=4, interventions=["cross=zero"])
    shares = contributions(translator, trace)
    assert shares.from_source.max() < 1e-6


@pytest.mark.parametrize("changes", SHAPES, ids=["post-norm", "pre-norm"])
def test_the_parts_of_a_block_are_the_block(tokenizer: Tokenizer, changes: dict[str, Any]) -> None:
    translator = Translator(tiny_checkpoint(tokenizer, max_length=64, **changes))
    trace = translator.trace("I love you.", max_steps=4)
    model: Any = translator.model
    blocks_by_kind = blocks_of(translator, trace)
    for kind, blocks in blocks_by_kind.items():
        assert len(blocks) == 2
        check_block(model, trace, kind, blocks[0])


@torch.inference_mode()
def check_block(model: Any, trace: AttentionTrace, kind: Kind, first: Block) -> None:
    _, stream = first.parts()
    tower = model.encoder if kind == "encoder_self" else model.decoder
    if kind != "cross":
        read = trace.src_ids if kind == "encoder_self" else (1, *trace.tgt_ids[:-1])
        embedded = tower.embedding(torch.tensor([read]))[0]
        torch.testing.assert_close(stream, embedded, atol=1e-5, rtol=0)
    # The linear part of LayerNorm, its shift aside, gives the whole from the parts.
    whole = first.through_norm(first.total)
    shift = 0 if first.residual.pre_norm else first.residual.norm.bias
    torch.testing.assert_close(whole + shift, first.output(), atol=1e-5, rtol=0)


@torch.inference_mode()
def test_value_norms_are_the_lengths_of_what_heads_move(translator: Translator) -> None:
    trace = translator.trace("I love you.", max_steps=4)
    norms = value_norms(translator, trace)
    attention: Any = translator.model.decoder.layers[1].cross_attention
    recording = translator.replay(trace.source, trace.tgt_ids, (), ("weights", "value"))
    value, weights = recording.at("cross", "value")[1][0], recording.at("cross", "weights")[1][0]
    for head in range(4):
        output = attention.output.weight[:, head * 4 : head * 4 + 4]
        for query in range(len(trace.tgt_in)):
            for key in range(len(trace.src)):
                moved = weights[head, query, key] * (output @ value[head, key])
                assert norms.cross is not None
                assert norms.cross[1, head, query, key] == pytest.approx(
                    float(moved.norm()), abs=1e-6
                )
    for kind in KINDS:
        shown, whole = norms.of(kind), trace.weights(kind)
        assert shown is not None
        assert whole is not None
        assert shown.shape == whole.shape
        assert (shown[whole == 0] == 0).all()
    figure: Any = norms.figure("cross", 1, 2)
    assert figure.data[0].z.shape == (len(trace.tgt_in), len(trace.src))
    assert "L2H3" in figure.layout.title.text
