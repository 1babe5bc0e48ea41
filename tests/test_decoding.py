from collections.abc import Sequence
from typing import Any, get_args

import pytest
import torch
from torch import Tensor

from tests.tiny import BOS, EOS, PAD, random_ids, tiny_model
from transformer import LanguageModel
from transformer.config import NormPlacement
from transformer.decoding import Hypothesis, greedy_decode
from transformer.masks import padding_mask
from transformer.model import Model

PLACEMENTS = get_args(NormPlacement)


def terse_model(seed: int, **changes: Any) -> Model:
    """Of few words, so that some of its sentences end and some do not."""
    model = tiny_model(seed, tgt_vocab_size=12, **changes)
    model.decoder.output.bias.data[EOS] += 1.5
    return model


@torch.inference_mode()
def logits_of(model: Model, src: Tensor | None, ids: Sequence[int]) -> Tensor:
    """What the model says after each of `<s>` and `ids`, in one pass without a cache."""
    tgt = torch.tensor([[BOS, *ids]])
    if isinstance(model, LanguageModel):
        return model.decoder(tgt)[0]
    assert src is not None
    mask = padding_mask(src, PAD)
    return model.decode(tgt, model.encode(src, mask), src_mask=mask)[0]


def decode_without_cache(
    model: Model, src: Tensor | None, prefix: Sequence[int], max_steps: int
) -> list[int]:
    ids = list(prefix)
    for _ in range(max_steps):
        ids.append(int(logits_of(model, src, ids)[-1].argmax()))
        if ids[-1] == EOS:
            break
    return ids


def check(model: Model, src: Tensor | None, hypothesis: Hypothesis, top_k: int) -> None:
    """Candidates are the best of the teacher-forced softmax, and the emitted token is the best."""
    probabilities = logits_of(model, src, hypothesis.ids[:-1]).softmax(-1)
    assert len(hypothesis.candidates) == len(hypothesis.ids)
    for row, step in zip(probabilities, hypothesis.candidates, strict=True):
        ids, values = zip(*step, strict=True)
        assert list(values) == pytest.approx(row[list(ids)].tolist(), abs=1e-5)
        assert list(values) == pytest.approx(row.topk(top_k).values.tolist(), abs=1e-5)
        assert list(values) == sorted(values, reverse=True)
        assert len(set(ids)) == top_k


@pytest.mark.parametrize("final_norms", [False, True])
@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("decoder_only", [False, True])
def test_the_cache_changes_no_token(
    placement: NormPlacement, final_norms: bool, decoder_only: bool
) -> None:
    changes: dict[str, Any] = {"norm_placement": placement, "final_norms": final_norms}
    layers = 0 if decoder_only else 2
    reasons: set[str] = set()
    for seed in range(10):
        model = terse_model(seed, num_encoder_layers=layers, **changes)
        src = None if decoder_only else random_ids(seed, 1, 3 + seed)
        prefix = random_ids(seed, seed % 4, high=12).tolist()
        [hypothesis] = greedy_decode(model, src, prefix=prefix, max_steps=8, top_k=4)
        assert list(hypothesis.ids) == decode_without_cache(model, src, prefix, 8)
        check(model, src, hypothesis, top_k=4)
        reasons.add(hypothesis.stop_reason)
    assert reasons == {"eos", "max_steps"}


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_a_row_of_a_batch_is_what_it_is_alone(placement: NormPlacement) -> None:
    reasons: set[str] = set()
    for seed in range(4):
        model = terse_model(seed, norm_placement=placement)
        src = random_ids(seed, 5, 8)
        lengths = [8, 3, 1, 6, 4]
        for row, length in zip(src, lengths, strict=True):
            row[length:] = PAD
        batch = greedy_decode(model, src, prefix=[5], max_steps=8, top_k=3)
        for row, length, hypothesis in zip(src, lengths, batch, strict=True):
            [alone] = greedy_decode(model, row[None, :length], prefix=[5], max_steps=8, top_k=3)
            assert hypothesis.ids == alone.ids
            assert hypothesis.stop_reason == alone.stop_reason
            check(model, row[None], hypothesis, top_k=3)
            reasons.add(alone.stop_reason)
    assert reasons == {"eos", "max_steps"}


def test_a_batch_stops_when_its_last_row_has_ended() -> None:
    model, calls = terse_model(8), 0
    src = random_ids(2, 6, 5)

    def count(*_args: object) -> None:
        nonlocal calls
        calls += 1

    model.decoder.register_forward_hook(count)
    batch = greedy_decode(model, src, max_steps=20)
    lengths = {len(hypothesis.ids) for hypothesis in batch}
    assert {hypothesis.stop_reason for hypothesis in batch} == {"eos"}
    assert len(lengths) > 1
    assert calls == max(lengths)


def make_it_say(model: Model, token: int) -> None:
    """However the model is asked, it answers `token`."""
    model.decoder.output.bias.data[token] = 1e4


def test_it_stops_at_the_end_of_the_sentence() -> None:
    model = tiny_model()
    make_it_say(model, EOS)
    [hypothesis] = greedy_decode(model, random_ids(0, 1, 4), prefix=[7, 8])
    assert hypothesis.ids == (7, 8, EOS)
    assert hypothesis.stop_reason == "eos"


@pytest.mark.parametrize("prefix", [[], [7, 8]])
def test_it_stops_after_max_steps_beyond_the_prefix(prefix: list[int]) -> None:
    model = tiny_model()
    make_it_say(model, 9)
    [hypothesis] = greedy_decode(model, random_ids(0, 1, 4), prefix=prefix, max_steps=5)
    assert hypothesis.ids == (*prefix, 9, 9, 9, 9, 9)
    assert hypothesis.stop_reason == "max_steps"


@pytest.mark.parametrize("prefix_length", [0, 3, 23, 24])
def test_it_stops_at_the_models_maximum_length(prefix_length: int) -> None:
    model = tiny_model(max_length=24)
    make_it_say(model, 9)
    prefix = [7] * prefix_length
    [hypothesis] = greedy_decode(model, random_ids(0, 1, 4), prefix=prefix, max_steps=64)
    assert hypothesis.ids == (*prefix, *[9] * (24 - prefix_length))
    assert len(hypothesis.candidates) == 24
    assert hypothesis.stop_reason == "max_length"


def test_a_prefix_that_has_ended_is_the_hypothesis() -> None:
    model, src = tiny_model(), random_ids(0, 1, 4)
    [hypothesis] = greedy_decode(model, src, prefix=[7, 8, EOS], top_k=3)
    assert hypothesis.ids == (7, 8, EOS)
    assert hypothesis.stop_reason == "eos"
    check(model, src, hypothesis, top_k=3)


def test_the_candidates_of_a_forced_step_are_what_the_model_would_have_said() -> None:
    model, src = tiny_model(), random_ids(0, 1, 4)
    [free] = greedy_decode(model, src, max_steps=4)
    second = free.candidates[0][1][0]
    [forced] = greedy_decode(model, src, prefix=[second], max_steps=4)
    assert forced.ids[0] == second
    assert [i for i, _ in forced.candidates[0]] == [i for i, _ in free.candidates[0]]
    assert forced.candidates[0][0][0] == free.ids[0]


def test_top_k_is_cut_to_the_vocabulary_and_may_be_none() -> None:
    model, src = terse_model(0), random_ids(0, 2, 4)
    for hypothesis in greedy_decode(model, src, max_steps=3, top_k=100):
        for step in hypothesis.candidates:
            assert len(step) == 12
            assert sum(probability for _, probability in step) == pytest.approx(1, abs=1e-5)
    with_candidates = greedy_decode(model, src, max_steps=3)
    without = greedy_decode(model, src, max_steps=3, top_k=0)
    assert [h.ids for h in without] == [h.ids for h in with_candidates]
    assert all(step == () for h in without for step in h.candidates)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"max_steps": 0}, "max_steps must be at least 1, not 0"),
        ({"top_k": -1}, "top_k must be at least 0, not -1"),
        ({"prefix": [31]}, "token 31 lies outside the vocabulary of 31 tokens"),
        ({"prefix": [-1]}, "token -1 lies outside"),
        ({"prefix": [5, EOS, 6]}, "the end-of-sentence token only as its last"),
        ({"prefix": [5] * 25}, "a prefix of 25 tokens is longer than 24"),
    ],
)
def test_what_it_refuses(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        greedy_decode(tiny_model(), random_ids(0, 1, 4), **arguments)


@pytest.mark.parametrize(
    ("src", "sentence"),
    [
        (None, "an encoder-decoder model needs a source"),
        (torch.zeros(1, 0, dtype=torch.long), "every source needs at least one token"),
        (torch.tensor([[5, EOS], [PAD, PAD]]), "every source needs at least one token"),
        (torch.full((1, 25), 5), "25 tokens are more than this model's maximum length, 24"),
    ],
)
def test_a_source_that_cannot_be_read_is_refused(src: Tensor | None, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        greedy_decode(tiny_model(), src)


def test_a_banned_token_is_never_emitted_and_never_offered() -> None:
    free = tiny_model()
    src = random_ids(0, 3, 6)
    favourite = greedy_decode(free, src, max_steps=4)[0].ids[0]
    model = tiny_model(banned_ids=(favourite,))
    for hypothesis in greedy_decode(model, src, max_steps=8, top_k=31):
        offered = {token: p for step in hypothesis.candidates for token, p in step}
        assert favourite not in hypothesis.ids
        assert offered[favourite] == 0
        for step in hypothesis.candidates:
            assert sum(probability for _, probability in step) == pytest.approx(1)
