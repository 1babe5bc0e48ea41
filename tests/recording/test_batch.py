"""Sentences decoded side by side are what they are alone."""

import random
from collections import Counter
from typing import Any, get_args

import numpy as np
import pytest

from tests.tiny import SENTENCES, num_hooks, tiny_checkpoint
from transformer import HeadlightError, Tokenizer, Translator
from transformer.recording import batch
from transformer.trace.interventions import EFFECTS
from transformer.trace.kinds import KINDS
from transformer.trace.sampling import Sampling, StopReason
from transformer.trace.trace import AttentionTrace
from transformer.translator import TraceRequest

MODELS: dict[str, dict[str, Any]] = {
    "post": {},
    "pre": {"norm_placement": "pre", "final_norms": True, "num_encoder_layers": 1},
    "alone": {"num_encoder_layers": 0},
    "marian": {"positions": "concatenated", "activation": "silu", "bos_id": 0, "banned_ids": (0,)},
}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, tokenizer: Tokenizer) -> Translator:
    changes = MODELS[request.param]
    it = tiny_checkpoint(tokenizer, request.param, max_length=40, **changes)
    it.model.decoder.output.bias.data[it.model.config.eos_id] += 2.0  # some of them end
    return Translator(it)


def some_request(draw: random.Random, model: Translator) -> TraceRequest:
    """Any length, with or without a prefix, changes to heads and lots."""
    source = " ".join(draw.sample(SENTENCES, draw.randint(1, 2)))[: draw.randint(1, 25)] + "a"
    prefix = draw.choices(range(4, model.config.tgt_vocab_size), k=draw.choice([0, 0, 1, 5, 12]))
    if draw.random() < 0.1:
        prefix.append(model.config.eos_id)
    kinds = KINDS if not model.config.decoder_only else KINDS[1:2]
    heads = ("", ".L1", ".L1H2", ".L1H4")
    changes = [
        f"{draw.choice(kinds)}{draw.choice(heads)}={draw.choice(EFFECTS)}"
        for _ in range(draw.choice([0, 0, 1, 3]))
    ]
    sampling = Sampling(draw.choice([0.5, 1.5]), draw.choice([0, 5]), draw.randrange(9))
    how = draw.choice([None, sampling])
    return TraceRequest(source, tuple(prefix), tuple(changes), how)


def alone(model: Translator, request: TraceRequest) -> AttentionTrace:
    return model.trace(
        request.source,
        prefix=request.prefix,
        interventions=request.interventions,
        max_steps=9,
        top_k=4,
        sampling=request.sampling,
    )


def check_same(one: AttentionTrace, other: AttentionTrace) -> None:
    names = ("model", "source", "src", "src_ids", "prefix_length", "interventions", "sampling")
    for name in (*names, "tgt_ids", "tgt_in", "tgt_out", "translation", "stop_reason"):
        assert getattr(one, name) == getattr(other, name), name
    for kind in KINDS:
        a, b = one.weights(kind), other.weights(kind)
        assert (a is None) == (b is None)
        if a is not None and b is not None:
            np.testing.assert_allclose(a, b, atol=1e-5)
    for a, b in zip(one.candidates, other.candidates, strict=True):
        assert [c.probability for c in a] == pytest.approx([c.probability for c in b], abs=1e-5)


def test_125_sentences_of_each_model_are_what_they_are_alone(model: Translator) -> None:
    draw = random.Random(model.name)
    requests = [some_request(draw, model) for _ in range(125)]
    reasons: Counter[str] = Counter()
    for start in range(0, len(requests), 25):
        part = requests[start : start + 25]
        for request, trace in zip(part, model.traces(part, 9, 4), strict=True):
            assert isinstance(trace, AttentionTrace), trace
            check_same(trace, alone(model, request))
            reasons[str(trace.stop_reason)] += 1
    assert set(reasons) >= set(get_args(StopReason)) - {"max_length"}
    assert num_hooks(model.model) == 0


def test_one_that_is_refused_spoils_no_other(translator: Translator) -> None:
    requests = [
        TraceRequest("I love you."),
        TraceRequest("  "),
        TraceRequest("Good", prefix=(10**6,)),
        TraceRequest("Good", interventions=("cross.L9=zero",)),
        TraceRequest("Good", interventions=("nonsense",)),
        TraceRequest("long " * 100),
        TraceRequest("Good morning"),
    ]
    traces = translator.traces(requests, 5, 2)
    codes = [each.code if isinstance(each, HeadlightError) else None for each in traces]
    assert codes == [
        *(None, "empty_source", "bad_prefix", "bad_intervention", "bad_intervention"),
        *("source_too_long", None),
    ]
    assert translator.traces([]) == []


def test_what_would_fill_the_memory_comes_in_several_batches(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [TraceRequest(sentence[:20]) for sentence in SENTENCES[:8]]
    whole = translator.traces(requests, 5, 2)
    sizes: list[int] = []
    decode = batch.decode

    def count(*args: object, **options: object) -> object:
        sizes.append(len(args[1]))  # pyright: ignore[reportArgumentType]
        return decode(*args, **options)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(batch, "decode", count)
    monkeypatch.setattr(batch, "MAX_CELLS", 4_000)
    for one, other in zip(translator.traces(requests, 5, 2), whole, strict=True):
        assert isinstance(one, AttentionTrace)
        assert isinstance(other, AttentionTrace)
        check_same(one, other)
    assert len(sizes) > 1
    assert sum(sizes) == 8
