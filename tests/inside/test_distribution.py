"""Every temperature's probabilities, from fifty logits and one number."""

import numpy as np
import pytest
import torch

from transformer import Translator, inside

SOURCE = "The cat sleeps on the warm bed."


def test_probabilities_at_every_temperature_are_those_of_the_whole_vocabulary(
    translator: Translator,
) -> None:
    trace = translator.trace(SOURCE, max_steps=5)
    distribution = inside.distribution(translator, trace)
    assert distribution.temperatures[0] == 0.1
    assert distribution.temperatures[-1] == 2.0
    assert distribution.logits.shape == distribution.ids.shape == (len(trace.tgt_ids), 50)
    decoder = translator.model.decoder
    states = translator.replay(SOURCE, trace.tgt_ids, (), ("output",)).at("decoder", "output")
    with torch.inference_mode():
        logits = decoder.output(decoder.norm(states[-1]))[0].double()
    for i, temperature in enumerate(distribution.temperatures):
        shares = np.exp(
            distribution.logits.astype(float) / temperature - distribution.log_sum[:, i, None]
        )
        whole = (logits / temperature).softmax(-1)
        np.testing.assert_allclose(shares, whole.topk(50).values, rtol=2e-4, atol=1e-7)
    # Between the grid's 0.95 and 1.05 lies the model itself.
    own = distribution.temperatures.index(1.0)
    for step, candidates in enumerate(trace.candidates):
        share = np.exp(distribution.logits[step, 0] - distribution.log_sum[step, own])
        assert share == pytest.approx(candidates[0].probability, abs=1e-6)
        assert distribution.tokens[step][0] == candidates[0].token
