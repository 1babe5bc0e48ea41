"""Two traces compared, and a change's effect on the tokens that were there."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from transformer import Translator, inside
from transformer.trace.kinds import KINDS

SOURCE = "I love you."


def test_a_trace_differs_in_nothing_from_itself(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=5)
    comparison = inside.compare(trace, trace)
    assert comparison.same_translation
    assert comparison.src == tuple((i, i) for i in range(len(trace.src)))
    assert not comparison.log_probability.any()
    for kind in KINDS:
        difference, weights = comparison.of(kind), trace.weights(kind)
        assert difference is not None
        assert weights is not None
        assert difference.shape == weights.shape
        assert not difference.any()


def test_matching_tokens_are_subtracted_where_they_stand(translator: Translator) -> None:
    short, long = (
        translator.trace(SOURCE, max_steps=5),
        translator.trace("So I love you.", max_steps=5),
    )
    comparison = inside.compare(short, long)
    assert [(short.src[i], long.src[j]) for i, j in comparison.src]
    assert all(short.src[i] == long.src[j] for i, j in comparison.src)
    assert {i for i, _ in comparison.src} >= set(range(2, len(short.src)))
    for t, (i, j) in enumerate(comparison.emitted):
        for s, (a, b) in enumerate(comparison.src):
            assert short.cross is not None
            assert long.cross is not None
            assert comparison.cross is not None
            expected = long.cross[1, 2, j, b] - short.cross[1, 2, i, a]
            assert comparison.cross[1, 2, t, s] == pytest.approx(expected)


def test_other_heads_are_not_subtracted(translator: Translator, continuer: Translator) -> None:
    alone = continuer.trace(SOURCE, max_steps=3)
    comparison = inside.compare(translator.trace(SOURCE, max_steps=3), alone)
    assert comparison.cross is comparison.encoder_self is None
    with pytest.raises(ValueError, match="do not have the same heads"):
        comparison.figure("cross", 0, 0)


def test_its_probabilities_are_those_of_the_candidates(translator: Translator) -> None:
    before = translator.trace(SOURCE, max_steps=5)
    after = translator.trace(
        SOURCE, prefix=before.tgt_ids, interventions=["cross.L2H1=uniform"], max_steps=1
    )
    comparison = inside.compare(before, after)
    same = inside.effect(translator, before, ["cross.L2H1=uniform"])
    np.testing.assert_allclose(
        comparison.log_probability[: len(before.tgt_out)], same.log_probability, atol=1e-5
    )
    bare = dataclasses.replace(before, candidates=((),) * len(before.tgt_out))
    assert np.isnan(inside.compare(bare, bare).log_probability).all()
    figure: Any = comparison.figure("cross", 1, 0)
    assert figure.layout.coloraxis.cmin < 0 < figure.layout.coloraxis.cmax


@pytest.mark.parametrize("name", ["translator", "continuer"])
def test_no_change_has_no_effect(name: str, request: pytest.FixtureRequest) -> None:
    translator: Translator = request.getfixturevalue(name)
    effect = inside.effect(translator, translator.trace(SOURCE, max_steps=5), [])
    assert effect.total == 0
    assert not effect.log_probability.any()
    assert not effect.divergence.any()


def test_divergence_is_kullbacks_and_leiblers(translator: Translator) -> None:
    size = translator.tokenizer.vocab_size
    changes = ["cross.L1=zero"]
    before = translator.trace(SOURCE, max_steps=3, top_k=size)
    after = translator.trace(
        SOURCE, prefix=before.tgt_ids, interventions=changes, max_steps=1, top_k=size
    )
    effect = inside.effect(translator, before, changes)
    for step, old in enumerate(before.candidates):
        new = {c.id: c.probability for c in after.candidates[step]}
        expected = sum(c.probability * math.log(c.probability / new[c.id]) for c in old)
        assert effect.divergence[step] == pytest.approx(expected, abs=1e-5)
    assert effect.divergence.max() > 1e-3


def test_a_sweep_is_many_effects(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=5)
    swept = inside.sweep(translator, trace)
    for kind, name, delta in swept.ranked()[:5]:
        alone = inside.effect(translator, trace, [f"{kind}.{name}=zero"])
        assert delta == pytest.approx(alone.total, abs=1e-5)
