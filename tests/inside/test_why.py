"""Why one candidate and not another; and whether two readings agree."""

from typing import Any

import numpy as np
import pytest
import torch

from tests.tiny import tiny_checkpoint
from transformer import HeadlightError, Tokenizer, Translator, inside
from transformer.ask.agreement import by_word, rank_correlation
from transformer.inside.contrast import direct

SOURCE = "The cat sleeps on the warm bed."


def test_what_speaks_for_one_speaks_against_the_other(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=5)
    step, other = 2, trace.candidates[2][1]
    reasons = inside.why(translator, trace, step, other.id)
    assert (reasons.emitted, reasons.other) == (trace.tgt_out[step], other.token)
    # The other way round, in the branch that takes the other token.
    branch = translator.trace(SOURCE, prefix=(*trace.tgt_ids[:step], other.id), max_steps=1)
    reverse = inside.why(translator, branch, step, trace.tgt_ids[step])
    np.testing.assert_allclose(reasons.deltas, -reverse.deltas, atol=1e-5)
    assert np.abs(reasons.deltas).max() > 1e-3
    figure: Any = reasons.figure()
    assert list(figure.layout.xaxis.ticktext) == list(reasons.words)


def test_nothing_speaks_for_a_token_against_itself(
    translator: Translator, continuer: Translator
) -> None:
    for one in (translator, continuer):
        trace = one.trace(SOURCE, max_steps=3)
        step = len(trace.tgt_ids) - 1
        reasons = inside.why(one, trace, step, trace.tgt_ids[step])
        assert not np.nan_to_num(reasons.deltas).any()
        assert not np.nan_to_num(reasons.value_zeroing).any()
        assert not np.nan_to_num(reasons.direct).any()


@pytest.mark.parametrize(("step", "token", "code"), [(99, 5, "bad_step"), (0, 10**6, "bad_prefix")])
def test_what_there_is_none_of_is_refused(
    translator: Translator, step: int, token: int, code: str
) -> None:
    with pytest.raises(HeadlightError) as refused:
        inside.why(translator, translator.trace(SOURCE, max_steps=3), step, token)
    assert refused.value.code == code


def without_feed_forward(tokenizer: Tokenizer, **changes: Any) -> Translator:
    """Nothing but LayerNorm comes after the last attention by which it reads."""
    translator = Translator(tiny_checkpoint(tokenizer, max_length=64, **changes))
    last: Any = translator.model.decoder.layers[-1]
    with torch.no_grad():
        last.feed_forward.outer.weight.zero_()
        last.feed_forward.outer.bias.zero_()
    return translator


@pytest.mark.parametrize("encoder_layers", [2, 0], ids=["encoder-decoder", "decoder-only"])
def test_without_layernorm_on_the_way_what_is_direct_is_all(
    tokenizer: Tokenizer, encoder_layers: int
) -> None:
    changes = {"norm_placement": "pre", "num_encoder_layers": encoder_layers}
    translator = without_feed_forward(tokenizer, **changes)
    trace = translator.trace(SOURCE, max_steps=5)
    step, other = 3, trace.candidates[3][1]
    reasons = inside.why(translator, trace, step, other.id)
    assert np.nanmax(np.abs(reasons.direct[-1])) > 1e-2
    np.testing.assert_allclose(reasons.direct[-1], reasons.value_zeroing[-1], atol=1e-4)
    assert (
        np.abs(reasons.direct[0] - reasons.value_zeroing[0])[~np.isnan(reasons.deltas)].max() > 1e-3
    )
    assert np.array_equal(np.isnan(reasons.direct[0]), np.isnan(reasons.deltas))


def test_what_is_direct_goes_through_post_norms_with_their_deviations(
    tokenizer: Tokenizer,
) -> None:
    translator = without_feed_forward(tokenizer)
    trace = translator.trace(SOURCE, max_steps=5)
    step, pair = 2, (trace.tgt_ids[2], trace.candidates[2][1].id)
    parts = direct(translator, trace, step, pair)
    decoder: Any = translator.model.decoder
    layer: Any = decoder.layers[-1]
    recording = translator.replay(
        SOURCE, trace.tgt_ids, (), ("weights", "value", "after_cross_attention")
    )
    total = recording.at("decoder", "after_cross_attention")[-1][0, step]
    weights, value = (recording.at("cross", site)[-1][0] for site in ("weights", "value"))
    first, second = layer.cross_attention_residual.norm, layer.feed_forward_residual.norm

    def difference(part: torch.Tensor) -> float:
        """With a part of the sum taken away, and every deviation as it was."""
        middle = first(total)
        for norm, whole in ((first, total), (second, middle)):
            left = whole - part if norm is first else part
            part = (left - left.mean()) / (
                whole.var(correction=0) + norm.eps
            ).sqrt() * norm.weight + norm.bias
        logits = decoder.output(part)
        return float(logits[pair[0]] - logits[pair[1]])

    with torch.inference_mode():
        base = difference(torch.zeros_like(total))
        token = trace.candidates[step]
        ratio = np.log(token[0].probability) - np.log(token[1].probability)
        assert base == pytest.approx(ratio, abs=1e-4)
        for key in range(len(trace.src)):
            brought = torch.zeros_like(value)
            brought[:, key] = weights[:, step, key, None] * value[:, key]
            joined = brought.sum(1).flatten()
            part = layer.cross_attention.output.weight @ joined
            assert base - difference(part) == pytest.approx(
                float(parts[-1, :, key].sum()), abs=1e-4
            )


def test_pieces_add_up_to_words() -> None:
    numbers = np.array([[1.0, 2, 3, 4]])
    assert by_word(numbers, [(0,), (1, 2)]).tolist() == [[1, 5]]


def test_ranks_that_a_person_can_work_out() -> None:
    one = np.array([[1.0, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], [1, 1, 1, 1], [1, 2, 3, np.nan]])
    other = np.array([[10.0, 20, 30, 99], [4, 3, 2, 1], [1, 3, 2, 4], [1, 2, 3, 4], [3, 2, 1, 0]])
    # The third: 1 − 6 · (0 + 1 + 1 + 0) / (4 · 15).
    expected = [1, -1, 0.8, np.nan, -1]
    np.testing.assert_allclose(rank_correlation(one, other), expected)
    # Ties share their mean rank: 1, 2.5, 2.5 against 1, 2, 3.
    tied = rank_correlation(np.array([[0.0, 5, 5]]), np.array([[1.0, 2, 3]]))
    assert tied[0] == pytest.approx(0.8660254)
    with pytest.raises(ValueError, match=r"\[tgt, word\]"):
        rank_correlation(one, other[:1])


def test_readings_of_a_real_trace_can_be_compared(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=5)
    left_out = inside.leave_one_out(translator, trace)
    source = inside.contributions(translator, trace).source
    assert source is not None
    agreed = rank_correlation(by_word(source, left_out.pieces), -left_out.deltas)
    assert agreed.shape == (len(trace.tgt_out),)
    assert (np.abs(agreed) <= 1).all()
