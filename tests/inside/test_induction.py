"""Induction: by hand, by TransformerLens' definition, and in a model that learnt to repeat."""

import numpy as np
import pytest

from transformer import Translator, inside
from transformer.trace.came_along import came_along
from transformer.trace.trace import AttentionTrace


def read(translator: Translator, text: str) -> AttentionTrace:
    return translator.trace(text, max_steps=12)


def test_what_a_model_that_repeats_looks_at() -> None:
    """Of the head that its card calls inductive, nearly all; by hand, row by row."""
    translator = Translator.load(came_along("checkpoints") / "repeat")
    trace = read(translator, translator.card["examples"][0])
    induction = inside.induction(trace)
    tokens = trace.tgt_in
    sums, chances = [], []
    for query, token in enumerate(tokens):
        after = [key for key in range(1, query + 1) if tokens[key - 1] == token]
        if after:
            sums.append(trace.decoder_self[:, :, query, after].sum(-1))
            chances.append(len(after) / (query + 1))
    assert (induction.rows, induction.queries) == (len(sums), len(tokens))
    np.testing.assert_allclose(induction.shares, np.mean(sums, 0), atol=1e-6)
    assert induction.by_chance == pytest.approx(np.mean(chances))
    assert induction.shares.max() > 0.8 > 2 * induction.by_chance


def test_the_score_of_transformer_lens(continuer: Translator) -> None:
    """Its pattern: copies in the lower triangle, moved one to the right; the score, attention ×
    pattern, summed, by the sum of attention.
    """
    trace = read(continuer, "the cat the cat the cat")
    induction = inside.induction(trace)
    tokens = np.array(trace.tgt_in)
    copies = np.tril(tokens[:, None] == tokens, -1)
    moved = np.tril(np.roll(copies, 1, axis=1))
    moved[:, 0] = False
    score = (trace.decoder_self * moved).sum((-2, -1)) / trace.decoder_self.sum((-2, -1))
    assert induction.rows > 2
    np.testing.assert_allclose(
        induction.shares * induction.rows / induction.queries, score, atol=1e-6
    )


def test_without_a_copy_there_is_nothing_to_tell(continuer: Translator) -> None:
    trace = continuer.trace("What a day", max_steps=1)
    assert len(set(trace.tgt_in)) == len(trace.tgt_in)
    induction = inside.induction(trace)
    assert induction.rows == 0
    assert np.isnan(induction.shares).all()
    assert induction.payload()["by_chance"] is None
