"""Input × gradient and integrated gradients, against what can be worked out, and Captum."""

import warnings
from typing import Any

import numpy as np
import pytest
import torch

from tests.tiny import num_hooks, tiny_checkpoint
from transformer import HeadlightError, Tokenizer, Translator, inside
from transformer.ask.agreement import rank_correlation
from transformer.inside.gradients import integrate
from transformer.recording.hooks import attached

SOURCE = "The cat sleeps on the warm bed."


def test_a_path_that_can_be_worked_out() -> None:
    # f(x, y) = x² + 3y from 0 to (2, 1): integrated gradients are 4 and 3.
    points = np.linspace(0, 1, 5)
    values = (2 * points) ** 2 + 3 * points
    slopes = np.stack([2 * (2 * points) * 2, np.full(5, 3.0)], 1)
    integrals, gap = integrate(values, slopes)
    np.testing.assert_allclose(integrals, [4, 3])
    assert gap == pytest.approx(0)
    # What the slopes miss of a known difference is shared out by size.
    integrals, gap = integrate(np.array([0, 8.0]), np.array([[1.0, 3.0], [1.0, 3.0]]))
    np.testing.assert_allclose(integrals, [2, 6])
    assert gap == pytest.approx(0.5)


@pytest.mark.parametrize("which", ["translator", "continuer"])
def test_the_words_add_up(request: pytest.FixtureRequest, which: str) -> None:
    translator: Translator = request.getfixturevalue(which)
    trace = translator.trace(SOURCE, max_steps=6)
    step = len(trace.tgt_ids) - 2
    candidates = trace.candidates[step]
    for token in (None, candidates[1].id):
        gradients = inside.gradients(translator, trace, step, token)
        total = float(gradients.source[1].sum() + gradients.prefix[1].sum())
        assert total == pytest.approx(gradients.value - gradients.baseline, abs=1e-4)
        expected = np.log(candidates[0].probability)
        if token is not None:
            expected -= np.log(candidates[1].probability)
        assert gradients.value == pytest.approx(expected, abs=1e-4)
        assert abs(gradients.gap * (gradients.value - gradients.baseline)) < 0.1
        figure: Any = gradients.figure()
        assert list(figure.layout.xaxis.ticktext) == [
            *gradients.source_words,
            *gradients.prefix_words,
        ]
    # The last one explains two tokens: leaving out is asked of both.
    left = inside.leave_one_out(translator, trace)
    both = inside.why(translator, trace, step, candidates[1].id)
    agreed, rows = gradients.agreement(both), gradients.source
    if translator.config.decoder_only:
        rows = gradients.prefix
    for row, reading in enumerate(gradients.readings):
        expected = rank_correlation(rows[row : row + 1], -both.deltas[None, : rows.shape[1]])
        np.testing.assert_allclose(agreed[reading], expected[0])
    words = gradients.prefix_words if translator.config.decoder_only else gradients.source_words
    assert words[:-1] == left.words[: len(words) - 1], "the last one may not be whole yet"
    assert num_hooks(translator.model) == 0


def test_what_speaks_for_one_speaks_against_the_other(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=5)
    other = trace.candidates[2][1].id
    gradients = inside.gradients(translator, trace, 2, other)
    branch = translator.trace(SOURCE, prefix=(*trace.tgt_ids[:2], other), max_steps=1)
    reverse = inside.gradients(translator, branch, 2, trace.tgt_ids[2])
    np.testing.assert_allclose(gradients.source, -reverse.source, atol=1e-4)
    np.testing.assert_allclose(gradients.prefix, -reverse.prefix, atol=1e-4)


def test_the_slope_is_that_of_a_small_step(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=4)
    gradients = inside.gradients(translator, trace, 2)
    assert translator.model.encoder is not None
    embedding = translator.model.encoder.embedding.token
    word, small = 1, 1e-2

    def logs(scale: float) -> float:
        def shrink(_module: object, _args: object, output: torch.Tensor) -> torch.Tensor:
            output = output.double().clone()
            output[:, list(gradients.source_pieces[word])] *= scale
            return output.float()

        with attached([(embedding, shrink)]):
            prefix = (*trace.tgt_ids[:2],)
            at = translator.trace(SOURCE, prefix=prefix, max_steps=1, top_k=200).candidates[2]
        return float(np.log(next(c.probability for c in at if c.id == trace.tgt_ids[2])))

    slope = (logs(1 + small) - logs(1 - small)) / (2 * small)
    assert gradients.source[0, word] == pytest.approx(slope, abs=2e-2)


def test_changes_stay_and_what_is_not_there_is_refused(translator: Translator) -> None:
    changed = translator.trace(SOURCE, interventions=["cross=zero"], max_steps=3)
    gradients = inside.gradients(translator, changed, 1)
    assert not gradients.source.any(), "nothing of the source comes through"
    assert gradients.prefix.any()
    for step, token, code in ((9, None, "bad_step"), (0, 10**6, "bad_prefix")):
        with pytest.raises(HeadlightError) as refused:
            inside.gradients(translator, changed, step, token)
        assert refused.value.code == code


def test_captum_says_the_same(tokenizer: Tokenizer) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        attr: Any = pytest.importorskip("captum.attr")
    translator = Translator(tiny_checkpoint(tokenizer, max_length=64))
    trace = translator.trace(SOURCE, max_steps=5)
    step, model = 3, translator.model
    assert model.encoder is not None
    gradients = inside.gradients(translator, trace, step)
    src = torch.tensor([trace.src_ids])
    tgt = torch.tensor([[translator.config.bos_id, *trace.tgt_ids[:step]]])
    ends = [model.encoder.embedding.token(src), model.decoder.embedding.token(tgt)]
    ends = [each.detach().requires_grad_() for each in ends]
    starts = [torch.zeros_like(each) for each in ends]
    with torch.no_grad():
        starts[0][:, -1], starts[1][:, 0] = ends[0][:, -1], ends[1][:, 0]

    def logs(source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        rows = len(source)
        assert model.encoder is not None
        hooks: Any = [
            (model.encoder.embedding.token, lambda *_: source),
            (model.decoder.embedding.token, lambda *_: target),
        ]
        with attached(hooks):
            memory = model.encode(src.expand(rows, -1))
            logits = model.decode(tgt.expand(rows, -1), memory)[:, -1]
        banned = list(translator.config.banned_ids)
        logits[:, banned] = -torch.inf
        return logits.log_softmax(-1)[:, trace.tgt_ids[step]]

    many = attr.IntegratedGradients(logs).attribute(
        tuple(ends), tuple(starts), n_steps=400, method="gausslegendre"
    )
    once = attr.InputXGradient(logs).attribute(tuple(ends))
    for row, theirs, tolerance in ((0, once, 1e-4), (1, many, 0.05)):
        for ours, each, pieces in (
            (gradients.source, theirs[0], gradients.source_pieces),
            (gradients.prefix, theirs[1], gradients.prefix_pieces),
        ):
            by_token = each.sum(-1)[0].detach().numpy()
            expected = [by_token[list(word)].sum() for word in pieces]
            np.testing.assert_allclose(ours[row], expected, atol=tolerance)


@pytest.mark.release
def test_a_shipped_model_is_complete_to_a_percent() -> None:
    translator = Translator.load("en-zh", device="cpu")
    trace = translator.trace("The black cat is sleeping on the bed.")
    step = next(s for s, token in enumerate(trace.tgt_out) if "黑" in token)
    gradients = inside.gradients(translator, trace, step)
    total = float(gradients.source[1].sum() + gradients.prefix[1].sum())
    assert total == pytest.approx(gradients.value - gradients.baseline, rel=1e-3)
    assert gradients.source_words[int(gradients.source[1].argmax())] in ("black", "cat")
