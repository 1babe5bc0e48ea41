"""A sweep against the same heads switched off one by one."""

import math
from typing import Any

import numpy as np
import pytest

from tests.tiny import num_hooks
from transformer import Translator
from transformer.ask.passes import as_traced, decoder_logits, log_probabilities, src_of, tgt_of
from transformer.inside.sweep import sweep
from transformer.trace.kinds import KINDS, Kind
from transformer.trace.trace import AttentionTrace

SOURCE = "The cat sleeps on the warm bed."


@pytest.mark.parametrize("name", ["translator", "continuer"])
def test_every_head_changes_what_it_changes_alone(
    name: str, request: pytest.FixtureRequest
) -> None:
    translator: Translator = request.getfixturevalue(name)
    trace = translator.trace(SOURCE, max_steps=7)
    swept = sweep(translator, trace)
    checked = 0
    for kind in KINDS:
        deltas, weights = swept.of(kind), trace.weights(kind)
        assert (deltas is None) == (weights is None)
        if deltas is None or weights is None:
            continue
        assert deltas.shape == weights.shape[:2]
        assert deltas.dtype == np.float32
        for layer, head in np.ndindex(deltas.shape):
            alone = single(translator, trace, kind, layer, head)
            assert deltas[layer, head] == pytest.approx(alone, abs=1e-5)
            checked += 1
    assert checked == (8 if name == "continuer" else 24)
    assert num_hooks(translator.model) == 0


def single(
    translator: Translator, trace: AttentionTrace, kind: Kind, layer: int, head: int
) -> float:
    """By way of `translator.trace` with an intervention, and the probabilities that it tells."""
    off = [f"{kind}.L{layer + 1}H{head + 1}=zero"]
    prompt = 0 if trace.src else len(translator.tokenizer.encode(SOURCE))
    results: list[float] = []
    for changes in ((), off):
        forced = translator.trace(
            SOURCE, prefix=trace.tgt_ids[prompt:], interventions=changes, max_steps=1, top_k=1
        )
        steps = zip(forced.candidates, trace.tgt_ids, strict=False)
        results.append(
            sum(math.log(next(c.probability for c in step if c.id == i)) for step, i in steps)
        )
    return results[1] - results[0]


def test_nothing_switched_off_changes_nothing(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=7)
    src = src_of(translator, trace)
    assert src is not None
    model: Any = translator.model
    with as_traced(translator, trace):
        plain = decoder_logits(translator, tgt_of(translator, trace), model.encode(src))
    expected = log_probabilities(plain, trace.tgt_ids).sum()
    assert sweep(translator, trace).log_probability == expected


def test_it_says_how_likely_the_translation_is(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=7)
    probabilities = [
        next(c.probability for c in step if c.id == i)
        for step, i in zip(trace.candidates, trace.tgt_ids, strict=True)
    ]
    total = sweep(translator, trace).log_probability
    assert total == pytest.approx(sum(map(math.log, probabilities)), abs=1e-4)


def test_what_is_off_already_can_be_lost_no_more(translator: Translator) -> None:
    trace = translator.trace(SOURCE, interventions=["cross.L2H3=zero"], max_steps=7)
    swept = sweep(translator, trace)
    assert swept.cross is not None
    assert swept.cross[1, 2] == pytest.approx(0, abs=1e-5)
    assert np.abs(swept.cross).max() > 1e-3


def test_the_most_harmful_comes_first(translator: Translator) -> None:
    swept = sweep(translator, translator.trace(SOURCE, max_steps=7))
    ranked = swept.ranked()
    deltas = [delta for _, _, delta in ranked]
    assert deltas == sorted(deltas)
    kind, name, delta = ranked[0]
    payload = swept.payload()[kind]
    assert payload[int(name[1]) - 1][int(name[3]) - 1] == delta
    figure: Any = swept.figure()
    assert [data.z.shape for data in figure.data] == [(2, 4)] * 3
    assert figure.layout.coloraxis.cmin == -figure.layout.coloraxis.cmax
