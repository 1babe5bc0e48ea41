import math
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_args

import pytest
import torch
from torch import Tensor

from tests.tiny import BOS, EOS, PAD, random_ids, tiny_model
from transformer import HeadlightError
from transformer.decoding import Hypothesis, candidates, decode
from transformer.model.config import NormPlacement
from transformer.model.masks import padding_mask
from transformer.model.towers import Model
from transformer.trace.sampling import Sampling, StopReason

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
    if src is None:
        return model.decoder.output(model.decoder(tgt))[0]
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
    """Candidates are the best of the teacher-forced softmax, and the emitted token."""
    probabilities = logits_of(model, src, hypothesis.ids[:-1]).softmax(-1)
    assert len(hypothesis.candidates) == len(hypothesis.ids)
    for row, emitted, step in zip(
        probabilities, hypothesis.ids, hypothesis.candidates, strict=True
    ):
        ids, values, _ = zip(*step, strict=True)
        assert list(values) == pytest.approx(row[list(ids)].tolist(), abs=1e-5)
        assert list(values[:top_k]) == pytest.approx(row.topk(top_k).values.tolist(), abs=1e-5)
        assert list(values) == sorted(values, reverse=True)
        assert ids[top_k:] == (() if emitted in ids[:top_k] else (emitted,))
        assert len(set(ids)) == len(ids)


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
        [hypothesis] = decode(model, src, prefix=prefix, max_steps=8, top_k=4)
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
        batch = decode(model, src, prefix=[5], max_steps=8, top_k=3)
        for row, length, hypothesis in zip(src, lengths, batch, strict=True):
            [alone] = decode(model, row[None, :length], prefix=[5], max_steps=8, top_k=3)
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
    batch = decode(model, src, max_steps=20)
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
    [hypothesis] = decode(model, random_ids(0, 1, 4), prefix=[7, 8])
    assert hypothesis.ids == (7, 8, EOS)
    assert hypothesis.stop_reason == "eos"


@pytest.mark.parametrize("prefix", [[], [7, 8]])
def test_it_stops_after_max_steps_beyond_the_prefix(prefix: list[int]) -> None:
    model = tiny_model()
    make_it_say(model, 9)
    [hypothesis] = decode(model, random_ids(0, 1, 4), prefix=prefix, max_steps=5)
    assert hypothesis.ids == (*prefix, 9, 9, 9, 9, 9)
    assert hypothesis.stop_reason == "max_steps"


@pytest.mark.parametrize("prefix_length", [0, 3, 23, 24])
def test_it_stops_at_the_models_maximum_length(prefix_length: int) -> None:
    model = tiny_model(max_length=24)
    make_it_say(model, 9)
    prefix = [7] * prefix_length
    [hypothesis] = decode(model, random_ids(0, 1, 4), prefix=prefix, max_steps=64)
    assert hypothesis.ids == (*prefix, *[9] * (24 - prefix_length))
    assert len(hypothesis.candidates) == 24
    assert hypothesis.stop_reason == "max_length"


def test_a_prefix_that_has_ended_is_the_hypothesis() -> None:
    model, src = tiny_model(), random_ids(0, 1, 4)
    [hypothesis] = decode(model, src, prefix=[7, 8, EOS], top_k=3)
    assert hypothesis.ids == (7, 8, EOS)
    assert hypothesis.stop_reason == "eos"
    check(model, src, hypothesis, top_k=3)


def test_the_candidates_of_a_forced_step_are_what_the_model_would_have_said() -> None:
    model, src = tiny_model(), random_ids(0, 1, 4)
    [free] = decode(model, src, max_steps=4)
    second = free.candidates[0][1][0]
    [forced] = decode(model, src, prefix=[second], max_steps=4)
    assert forced.ids[0] == second
    assert [i for i, _, _ in forced.candidates[0]] == [i for i, _, _ in free.candidates[0]]
    assert forced.candidates[0][0][0] == free.ids[0]


def test_top_k_is_cut_to_the_vocabulary_and_may_be_none() -> None:
    model, src = terse_model(0), random_ids(0, 2, 4)
    for hypothesis in decode(model, src, max_steps=3, top_k=100):
        for step in hypothesis.candidates:
            assert len(step) == 12
            assert sum(probability for _, probability, _ in step) == pytest.approx(1, abs=1e-5)
    with_candidates = decode(model, src, max_steps=3)
    without = decode(model, src, max_steps=3, top_k=0)
    assert [h.ids for h in without] == [h.ids for h in with_candidates]
    assert all(step == () for h in without for step in h.candidates)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"max_steps": 0}, "max_steps must be at least 1, not 0"),
        ({"top_k": -1}, "top_k must be at least 0, not -1"),
        ({"prefix": [31]}, "token 31: it lies outside the vocabulary of 31 tokens"),
        ({"prefix": [-1]}, "token -1: it lies outside"),
        ({"prefix": [5, EOS, 6]}, "the end-of-sentence token only as its last"),
        ({"prefix": [5] * 25}, "A prefix of 25 tokens is longer than 24"),
    ],
)
def test_what_it_refuses(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        decode(tiny_model(), random_ids(0, 1, 4), **arguments)


@pytest.mark.parametrize(
    ("src", "sentence"),
    [
        (None, "every source needs at least one token"),
        (torch.zeros(1, 0, dtype=torch.long), "every source needs at least one token"),
        (torch.tensor([[5, EOS], [PAD, PAD]]), "every source needs at least one token"),
        (torch.full((1, 25), 5), "25 tokens are more than this model's maximum length, 24"),
    ],
)
def test_a_source_that_cannot_be_read_is_refused(src: Tensor | None, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        decode(tiny_model(), src)


def test_a_banned_token_is_never_emitted_and_never_offered() -> None:
    free = tiny_model()
    src = random_ids(0, 3, 6)
    favourite = decode(free, src, max_steps=4)[0].ids[0]
    model = tiny_model(banned_ids=(favourite,))
    for hypothesis in decode(model, src, max_steps=8, top_k=31):
        offered = {token: p for step in hypothesis.candidates for token, p, _ in step}
        assert favourite not in hypothesis.ids
        assert offered[favourite] == 0
        for step in hypothesis.candidates:
            assert sum(probability for _, probability, _ in step) == pytest.approx(1)


def distribution(logits: Tensor, temperature: float, top_k: int, top_p: float) -> list[float]:
    """Sampling's definition, token by token, in double precision."""
    best = sorted(logits.tolist(), reverse=True)[: top_k or None]
    powers = [math.exp(x / temperature) if x >= best[-1] else 0.0 for x in logits.tolist()]
    shares = [power / sum(powers) for power in powers]
    nucleus = least = 0.0
    for share in sorted(shares, reverse=True):
        if nucleus < top_p:
            nucleus, least = nucleus + share, share
    return [share / nucleus if share >= least else 0.0 for share in shares]


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [(1.0, 0, 1.0), (0.6, 0, 1.0), (1.7, 4, 1.0), (1.0, 3, 1.0), (1.2, 0, 0.6), (1.7, 6, 0.5)],
)
def test_tokens_are_drawn_as_often_as_they_are_likely(
    temperature: float, top_k: int, top_p: float
) -> None:
    model, draws = terse_model(3, num_encoder_layers=0), 4000
    expected = distribution(logits_of(model, None, [5, 6])[-1], temperature, top_k, top_p)
    sampling = [Sampling(temperature, top_k, seed, top_p) for seed in range(draws)]
    prefix = torch.tensor([[5, 6]]).expand(draws, -1)
    drawn = decode(model, None, prefix=prefix, sampling=sampling, max_steps=1, top_k=0)
    counts = Counter(hypothesis.ids[-1] for hypothesis in drawn)
    assert len(counts) > 1
    for token, probability in enumerate(expected):
        # Four standard deviations; exactly none of what is left out.
        error = 4 * math.sqrt(draws * probability * (1 - probability))
        assert counts[token] == pytest.approx(draws * probability, abs=error)


def test_one_candidate_or_hardly_any_temperature_is_greedy_decoding() -> None:
    for seed in range(5):
        model, src = terse_model(seed), random_ids(seed, 3, 6)
        greedy = decode(model, src, max_steps=6)
        for sampling in (Sampling(2.0, 1, seed), Sampling(1e-9, 0, seed)):
            drawn = decode(model, src, sampling=sampling, max_steps=6)
            assert [h.ids for h in drawn] == [h.ids for h in greedy]
            for one, other in zip(drawn, greedy, strict=True):
                for step, same in zip(one.candidates, other.candidates, strict=True):
                    assert [shown[:2] for shown in step] == [shown[:2] for shown in same]


def test_the_same_seed_draws_the_same_in_every_thread() -> None:
    model = terse_model(1, num_encoder_layers=0)

    def draw(seed: int) -> tuple[int, ...]:
        [hypothesis] = decode(model, None, prefix=[5], sampling=Sampling(1.5, seed=seed))
        return hypothesis.ids

    before = torch.random.get_rng_state()
    alone = [draw(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(draw, [*range(8)] * 3))
    assert together == alone * 3
    assert len(set(alone)) > 4
    assert torch.equal(torch.random.get_rng_state(), before), "the caller's own draws go on"


def test_a_prefix_of_what_was_drawn_is_continued_as_it_was() -> None:
    model, sampling = tiny_model(2, num_encoder_layers=0), Sampling(1.5, seed=3)
    [whole] = decode(model, None, sampling=sampling, max_steps=10)
    assert len(whole.ids) > 3
    for length in range(len(whole.ids)):
        [part] = decode(model, None, prefix=whole.ids[:length], sampling=sampling, max_steps=10)
        assert part.ids[: len(whole.ids)] == whole.ids


def test_a_draw_depends_on_seed_and_position_alone() -> None:
    model, src = terse_model(0), random_ids(0, 4, 6)
    sampling = Sampling(1.5, seed=4)
    same = decode(model, src[:1].expand(4, -1), sampling=sampling, max_steps=8)
    assert len({hypothesis.ids for hypothesis in same}) == 1
    each = [sampling, None, Sampling(0.7, 3, seed=4), Sampling(1.5, seed=5)]
    batch = decode(model, src, sampling=each, max_steps=8)
    for row, (how, hypothesis) in enumerate(zip(each, batch, strict=True)):
        [alone] = decode(model, src[row : row + 1], sampling=how, max_steps=8)
        assert hypothesis.ids == alone.ids
    with pytest.raises(ValueError, match="2 samplings for 4 rows"):
        decode(model, src, sampling=[None, sampling])


def test_candidates_of_a_drawn_token_are_the_models_own_and_hold_it() -> None:
    model, outside = terse_model(5, num_encoder_layers=0), 0
    for seed in range(6):
        sampling = Sampling(3.0, seed=seed)
        [drawn] = decode(model, None, prefix=[5], sampling=sampling, max_steps=8, top_k=3)
        probabilities = logits_of(model, None, drawn.ids[:-1]).softmax(-1)
        for token, row, step in zip(drawn.ids, probabilities, drawn.candidates, strict=True):
            best = row.topk(3).indices.tolist()
            assert [i for i, _, _ in step] == [*best, *([] if token in best else [token])]
            expected = [float(row[i]) for i, _, _ in step]
            assert [p for _, p, _ in step] == pytest.approx(expected, abs=1e-5)
            outside += token not in best
    assert outside


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"), [(0.6, 0, 1.0), (1.7, 4, 1.0), (3.0, 2, 1.0), (2.0, 0, 0.4)]
)
def test_candidates_say_what_chance_they_had_in_the_draw(
    temperature: float, top_k: int, top_p: float
) -> None:
    model = terse_model(5, num_encoder_layers=0)
    samplings = [Sampling(temperature, top_k, 2, top_p), None]
    prefixes = [[5], [6, 5]]
    drawn, greedy = decode(model, None, prefix=prefixes, sampling=samplings, max_steps=8, top_k=3)
    assert all(chance is None for step in greedy.candidates for _, _, chance in step)
    rows = logits_of(model, None, drawn.ids[:-1])
    for row, step in zip(rows, drawn.candidates, strict=True):
        expected = distribution(row, temperature, top_k, top_p)
        chances = [chance for _, _, chance in step]
        assert chances == pytest.approx([expected[i] for i, _, _ in step], abs=1e-5)
        assert top_k != 2 or chances[2] == 0, "top-k leaves the third one out"


@pytest.mark.parametrize("decoder_only", [False, True])
def test_rows_of_a_batch_may_each_have_a_prefix_of_any_length(decoder_only: bool) -> None:
    reasons: Counter[str] = Counter()
    for seed in range(6):
        model = terse_model(seed, num_encoder_layers=0 if decoder_only else 2, max_length=12)
        prefixes = [[5, 6], [7], [8, 9, EOS], [], [4] * 12, [5] * 11, [EOS], [6, 7, 5, 9, 11]]
        src = None if decoder_only else random_ids(seed, len(prefixes), 5)
        batch = decode(model, src, prefix=prefixes, max_steps=7, top_k=2)
        for row, (prefix, hypothesis) in enumerate(zip(prefixes, batch, strict=True)):
            own = None if src is None else src[row : row + 1]
            [alone] = decode(model, own, prefix=prefix, max_steps=7, top_k=2)
            assert (hypothesis.ids, hypothesis.stop_reason) == (alone.ids, alone.stop_reason)
            check(model, own, hypothesis, top_k=2)
            reasons[alone.stop_reason] += 1
    assert min(reasons[reason] for reason in get_args(StopReason)) > 2
    with pytest.raises(ValueError, match="2 prefixes for 3 sources"):
        decode(tiny_model(), random_ids(0, 3, 5), prefix=[[5], [6]])


def test_candidates_of_a_long_batch_are_found_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    model, src = terse_model(3), random_ids(0, 4, 6)
    whole = decode(model, src, prefix=[5, 6], max_steps=9, top_k=3)
    monkeypatch.setattr(candidates, "MAX_LOGITS", 150)
    for one, other in zip(
        whole, decode(model, src, prefix=[5, 6], max_steps=9, top_k=3), strict=True
    ):
        assert one.ids == other.ids
        for ours, theirs in zip(one.candidates, other.candidates, strict=True):
            one_by_id, other_by_id = ({i: p for i, p, _ in step} for step in (ours, theirs))
            assert one_by_id == pytest.approx(other_by_id, abs=1e-6)


def test_a_banned_token_is_never_drawn() -> None:
    model = tiny_model(num_encoder_layers=0, banned_ids=tuple(range(4, 31)))
    [drawn] = decode(model, None, prefix=[5], sampling=Sampling(100.0, seed=2), max_steps=16)
    assert set(drawn.ids[1:]) <= {PAD, BOS, EOS, 3}


@pytest.mark.parametrize(
    "numbers",
    [(0.0, 0, 0), (-1.0, 0, 0), (101, 0, 0), (math.nan, 0, 0), (1.0, -1, 0), (1.0, 0, -1)],
)
def test_numbers_that_sampling_cannot_use_are_refused(numbers: tuple[float, int, int]) -> None:
    with pytest.raises(HeadlightError, match="Sampling needs a temperature above 0") as caught:
        Sampling(*numbers)
    assert caught.value.code == "bad_sampling"
