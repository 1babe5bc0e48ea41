"""How attention came to be."""

import io
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.tiny import tiny_checkpoint
from transformer import Tokenizer, Translator, inside
from transformer.trace.kinds import KINDS
from transformer.training.data import Text, encode
from transformer.training.history import History
from transformer.training.moments import add_moment, choose_pairs, describe, log_spaced

PAIRS = [
    ("I love you.", "我爱你。"),
    ("What a day!", "多好的一天！"),
    ("Don't be late.", "别迟到。"),
]


def traced(translator: Translator) -> History:
    examples = encode([Text(*pair) for pair in PAIRS], translator.tokenizer, 64)
    history = History([describe(example, translator.tokenizer) for example in examples])
    add_moment(history, 0, translator.model, examples)
    return history


def test_it_holds_what_a_trace_of_the_same_pair_shows(translator: Translator) -> None:
    history = traced(translator)
    for (source, target), pair, weights in zip(
        PAIRS, history.pairs, history.weights[0], strict=True
    ):
        trace = translator.trace(source, target)
        assert (pair["src"], pair["tgt_in"], pair["tgt_out"]) == (
            list(trace.src),
            list(trace.tgt_in),
            list(trace.tgt_out),
        )
        for kind in KINDS:
            assert weights[kind].dtype == np.float16
            expected = trace.weights(kind)
            assert expected is not None
            np.testing.assert_allclose(weights[kind], expected, atol=5e-4)


def test_tracing_leaves_a_training_model_as_it_was(translator: Translator) -> None:
    examples = encode([Text(*PAIRS[0])], translator.tokenizer, 64)
    translator.model.train()
    try:
        before = torch.get_rng_state()
        add_moment(History([]), 1, translator.model, examples)
        assert translator.model.training
        assert torch.equal(torch.get_rng_state(), before)
    finally:
        translator.model.eval()


def test_it_survives_the_disk(tmp_path: Path, translator: Translator) -> None:
    history = traced(translator)
    history.weights[7] = history.weights[0]
    history.save(tmp_path / "history.npz")
    loaded = History.load(tmp_path / "history.npz")
    assert loaded.pairs == history.pairs
    assert loaded.steps == [0, 7]
    for step in loaded.steps:
        for ours, theirs in zip(loaded.weights[step], history.weights[step], strict=True):
            assert ours.keys() == theirs.keys()
            assert all(np.array_equal(ours[kind], theirs[kind]) for kind in ours)
    assert loaded.up_to(6).steps == [0]


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "history.npz"
    buffer = io.BytesIO()
    np.savez(buffer, meta=np.array([{"steps": []}], dtype=object))
    for content in (b"", b"not a zip", buffer.getvalue()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="no training history"):
            History.load(path)


def test_steps_are_log_spaced_from_before_training_to_the_end() -> None:
    steps = log_spaced(9000)
    assert steps[0] == 0
    assert steps[-1] == 9000
    assert 32 <= len(steps) <= 40
    assert steps == sorted(set(steps))
    ratios = [after / before for before, after in pairwise(steps[16:])]
    assert max(ratios) / min(ratios) < 1.1
    assert log_spaced(1) == [0, 1]


def test_short_pairs_are_preferred(translator: Translator) -> None:
    texts = [Text("What a day!" * 9, "早上好"), *(Text(*pair) for pair in PAIRS)]
    chosen = choose_pairs(encode(texts, translator.tokenizer, 400))
    assert [example.text for example in chosen] == texts[1:]


def test_the_pairs_are_of_different_sentences(translator: Translator) -> None:
    texts = [Text(*PAIRS[0]), Text(PAIRS[0][0], "我爱你！"), *(Text(*pair) for pair in PAIRS[1:])]
    chosen = choose_pairs(encode(texts, translator.tokenizer, 64))
    assert [(example.text.source, example.text.target) for example in chosen] == PAIRS


def test_two_of_its_moments_can_be_compared(tokenizer: Tokenizer, translator: Translator) -> None:
    examples = encode([Text(*pair) for pair in PAIRS], tokenizer, 64)
    history = traced(translator)
    add_moment(history, 10, tiny_checkpoint(tokenizer, seed=10).model, examples)
    comparison = inside.compare(history.moment(0, 1), history.moment(10, 1))
    assert comparison.same_translation
    assert np.isnan(comparison.log_probability).all()
    for kind in KINDS:
        before, after = (history.weights[step][1][kind].astype(np.float32) for step in (0, 10))
        np.testing.assert_array_equal(comparison.of(kind), after - before)
    assert comparison.figure("cross", 0, 1).data
    for step, pair in ((1, 0), (0, 3), (0, -1)):
        with pytest.raises(ValueError, match="the steps are 0, 10"):
            history.moment(step, pair)
