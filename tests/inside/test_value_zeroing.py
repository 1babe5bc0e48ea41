"""Value zeroing against the same done to one token at a time."""

from typing import Any

import numpy as np
import pytest
import torch

from tests.tiny import num_hooks, tiny_checkpoint
from transformer import Tokenizer, Translator
from transformer.inside.value_zeroing import value_zeroing
from transformer.recording.hooks import attached, attention_modules
from transformer.trace.kinds import KINDS

SOURCE = "The cat sleeps."
SHAPES: list[dict[str, Any]] = [{}, {"norm_placement": "pre", "final_norms": True}]


@pytest.mark.parametrize("changes", SHAPES, ids=["post-norm", "pre-norm"])
def test_each_token_alone_turns_the_output_as_far(
    tokenizer: Tokenizer, changes: dict[str, Any]
) -> None:
    translator = Translator(tiny_checkpoint(tokenizer, max_length=64, **changes))
    trace = translator.trace(SOURCE, max_steps=4)
    zeroing = value_zeroing(translator, trace)
    plain = translator.replay(SOURCE, trace.tgt_ids, (), ("output",))
    for kind in KINDS:
        shares, weights = zeroing.of(kind), trace.weights(kind)
        assert shares is not None
        assert weights is not None
        assert shares.shape == (2, *weights.shape[2:])
        np.testing.assert_allclose(shares.sum(-1), 1, atol=1e-6)
        tower = "encoder" if kind == "encoder_self" else "decoder"
        layer = 0  # whose input no zeroed value has changed yet
        value = attention_modules(translator.model)[kind, layer].value
        before = plain.at(tower, "output")[layer][0]
        distances = np.zeros(shares.shape[1:])
        for key in range(shares.shape[2]):

            def zero(*args: Any, key: int = key) -> torch.Tensor:
                values = args[2].clone()
                values[:, :, key] = 0
                return values

            with attached([(value, zero)]):
                turned = translator.replay(SOURCE, trace.tgt_ids, (), ("output",))
            after = turned.at(tower, "output")[layer][0]
            cosine = (before * after).sum(-1) / (before.norm(dim=-1) * after.norm(dim=-1))
            distances[:, key] = 1 - cosine.numpy()
        expected = distances / distances.sum(-1, keepdims=True)
        np.testing.assert_allclose(shares[layer], expected, atol=1e-3)
    assert not np.triu(zeroing.decoder_self, 1).any()
    assert num_hooks(translator.model) == 0
    figure: Any = zeroing.figure("cross", 1)
    assert figure.data[0].z.shape == (len(trace.tgt_in), len(trace.src))


def test_a_decoder_alone(continuer: Translator) -> None:
    zeroing = value_zeroing(continuer, continuer.trace(SOURCE, max_steps=3))
    assert zeroing.cross is zeroing.encoder_self is None
    np.testing.assert_allclose(zeroing.decoder_self[:, 0, 0], 1)
    with pytest.raises(ValueError, match="decoder-only"):
        zeroing.figure("cross", 0)
