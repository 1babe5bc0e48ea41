"""What flows through blocks: each hands on what the next takes, and the end is the trace."""

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.tiny import num_hooks, tiny_checkpoint
from transformer import HeadlightError, Tokenizer, Translator
from transformer.inside import anatomy, costs, flow

SOURCE = "The cat sleeps on the warm bed."
SHAPES: list[dict[str, Any]] = [
    {"tied_embeddings": "output"},
    {"norm_placement": "pre", "final_norms": True, "banned_ids": (0, 1, 3)},
    {"num_encoder_layers": 0, "num_decoder_layers": 3},
]


@pytest.mark.parametrize("changes", SHAPES, ids=["post-norm", "pre-norm", "decoder-only"])
def test_each_block_takes_what_the_one_before_hands_on(
    tokenizer: Tokenizer, changes: dict[str, Any]
) -> None:
    translator = Translator(tiny_checkpoint(tokenizer, max_length=64, **changes))
    trace = translator.trace(SOURCE, max_steps=6, interventions=["decoder_self.L1H2=zero"])
    stream: dict[str, Any] = {}  # what runs along a tower, by what is added to it
    for name in anatomy(translator).parameters:
        parts = flow(translator, trace, name).parts
        tower, *_, last = name.split(".")
        if last == "embedding":
            ids = trace.src_ids if tower == "encoder" else [1, *trace.tgt_ids[:-1]]
            table = getattr(translator.model, tower).embedding.token.weight.detach()
            np.testing.assert_array_equal(parts["looked_up"], table[list(ids)])
            np.testing.assert_allclose(parts["leaves"], parts["looked_up"] * 4, rtol=1e-6)
        elif last == "position":
            assert parts["added"][1, 0] == pytest.approx(np.sin(1), abs=1e-6)
            assert parts["added"][0, 1] == pytest.approx(1, abs=1e-6)
        elif last == "add":
            np.testing.assert_array_equal(parts["added"], stream["sublayer"])
            np.testing.assert_allclose(parts["leaves"], parts["enters"] + parts["added"], atol=1e-6)
        # What enters is what the stream has: before a norm or a sublayer, or around it.
        if "enters" in parts and last != "output":
            around = last == "add" or (last == "norm" and changes.get("norm_placement") == "pre")
            expected = stream["x"] if around or name.endswith("position") else stream["last"]
            np.testing.assert_array_equal(parts["enters"], expected)
        if "memory" in parts:
            np.testing.assert_array_equal(parts["memory"], stream["encoder"])
        if last in ("self_attention", "cross_attention", "feed_forward"):
            stream["sublayer"] = parts["leaves"]
        elif last != "output":
            stream["last"] = parts["leaves"]
            inside = name.count(".") == 3 and last == "norm"
            if not (inside and changes.get("norm_placement") == "pre"):
                stream["x"] = parts["leaves"]
        if tower == "encoder":
            stream["encoder"] = stream["x"]
    parts = flow(translator, trace, "decoder.output").parts
    np.testing.assert_array_equal(parts["enters"], stream["x"])
    for step, candidates in enumerate(trace.candidates):
        computed = np.exp(parts["logits"][step] - parts["log_sum"][step])
        for index, candidate in enumerate(candidates):
            assert computed[index] == pytest.approx(candidate.probability, abs=1e-5)
    assert num_hooks(translator.model) == 0


def test_every_parameter_is_in_a_block(tokenizer: Tokenizer) -> None:
    for changes in ({}, *SHAPES):
        translator = Translator(tiny_checkpoint(tokenizer, **changes))
        output = anatomy(translator)
        shared = 0
        if changes.get("tied_embeddings") == "output":
            shared = output.parameters["decoder.embedding"]
        assert sum(output.parameters.values()) - shared == output.total
        weights = translator.model.state_dict()
        distinct = {tensor.data_ptr(): tensor.numel() for tensor in weights.values()}
        assert output.total == sum(distinct.values())


def test_a_norm_is_layer_norm_and_a_network_is_two_products(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=4)
    layer: Any = translator.model.decoder.layers[1]
    parts = flow(translator, trace, "decoder.L2.cross_attention.norm").parts
    norm = layer.cross_attention_residual.norm
    expected = F.layer_norm(torch.tensor(parts["enters"]), (16,), norm.weight, norm.bias)
    np.testing.assert_allclose(parts["leaves"], expected.detach(), atol=1e-6)
    parts = flow(translator, trace, "decoder.L2.feed_forward").parts
    inner, outer = layer.feed_forward.inner, layer.feed_forward.outer
    bent = np.maximum(parts["enters"] @ inner.weight.detach().numpy().T + inner.bias.tolist(), 0)
    np.testing.assert_allclose(parts["inner"], bent, atol=1e-4)
    expected = bent @ outer.weight.detach().numpy().T + outer.bias.tolist()
    np.testing.assert_allclose(parts["leaves"], expected, atol=1e-4)
    parts = flow(translator, trace, "decoder.L2.cross_attention").parts
    output = layer.cross_attention.output
    expected = parts["heads"] @ output.weight.detach().numpy().T + output.bias.tolist()
    np.testing.assert_allclose(parts["leaves"], expected, atol=1e-4)


@pytest.mark.parametrize(
    "block", ["", "encoder", "decoder.L9.feed_forward", "None", "encoder.norm"]
)
def test_a_block_that_is_not_there_is_refused(translator: Translator, block: str) -> None:
    trace = translator.trace(SOURCE, max_steps=2)
    with pytest.raises(HeadlightError, match="no block"):
        flow(translator, trace, block)


def test_costs_are_measured_once_and_grow(translator: Translator) -> None:
    output = costs(translator)
    assert costs(translator) is output
    for seconds in output.seconds.values():
        assert len(seconds) == len(output.lengths)
        assert all(second > 0 for second in seconds)
    attention = output.seconds["attention"]
    assert attention[-1] > 4 * attention[0]  # 16 times the tokens, 256 times the cells
