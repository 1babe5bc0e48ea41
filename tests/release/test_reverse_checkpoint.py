"""The toy whose right answers, and right attention, are known."""

import numpy as np
import pytest

from scripts import toy_corpus
from transformer import Translator, checkpoint
from transformer.model.towers import Transformer
from transformer.training.data import Text, encode
from transformer.training.evaluate import translate
from transformer.training.history import History

UNSEEN_SEED = 2026
"""Neither of the seeds that made its training and dev data."""


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(checkpoint.find("reverse"), device="cpu")


@pytest.fixture(scope="module")
def unseen() -> list[str]:
    sequences = toy_corpus.sequences(1200, seed=UNSEEN_SEED)
    seen = set(toy_corpus.training_sequences())
    return [sequence for sequence in sequences if sequence not in seen][:1000]


def test_it_reverses_over_99_in_100_unseen_sequences(
    translator: Translator, unseen: list[str]
) -> None:
    assert len(unseen) == 1000
    assert {len(sequence) for sequence in unseen} >= set(range(2, 17))
    assert isinstance(translator.model, Transformer)
    reversed_ = translate(translator, unseen, max_steps=20)
    right = sum(text == sequence[::-1] for sequence, text in zip(unseen, reversed_, strict=True))
    assert right > 990


def test_a_head_reads_each_symbol_as_it_is_copied(
    translator: Translator, unseen: list[str]
) -> None:
    masses: list[np.ndarray] = []
    for sequence in unseen[::10]:
        cross = translator.trace(sequence, sequence[::-1]).cross
        assert cross is not None
        symbols = np.arange(len(sequence))
        # Step t emits the symbol that stands at length - 1 - t.
        masses.append(cross[:, :, symbols, len(sequence) - 1 - symbols].reshape(-1, len(sequence)))
    # [head of any layer, sequences × steps]
    assert np.concatenate(masses, axis=1).mean(axis=1).max() > 0.5


def test_its_history_begins_before_training_and_ends_with_the_skill() -> None:
    path = checkpoint.find("reverse") / "history.npz"
    assert path.stat().st_size < 3_000_000
    history = History.load(path)
    assert len(history.pairs) == 3
    assert history.steps[0] == 0
    assert len(history.steps) >= 20

    def best(step: int) -> float:
        masses: list[float] = []
        for pair, weights in zip(history.pairs, history.weights[step], strict=True):
            symbols = np.arange(len(pair["source"]))
            copied = weights["cross"][:, :, symbols, len(symbols) - 1 - symbols]
            masses.append(float(copied.mean(-1).max()))
        return float(np.mean(masses))

    assert best(0) < 0.35
    assert best(history.steps[-1]) > 0.5


def test_every_symbol_is_a_token(translator: Translator) -> None:
    text = Text(toy_corpus.SYMBOLS, toy_corpus.SYMBOLS[::-1])
    (example,) = encode([text], translator.tokenizer, 100)
    assert translator.tokenizer.pieces(example.src) == [*toy_corpus.SYMBOLS, "</s>"]
