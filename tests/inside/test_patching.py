"""A part of B put into A's run is that part and no other; what is offered as B fits."""

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.tiny import num_hooks
from transformer import HeadlightError, Translator, inside
from transformer.recording.hooks import attached, attention_modules
from transformer.trace.trace import AttentionTrace

SOURCE = "The cat sleeps on the warm bed."


def donor_of(translator: Translator, trace: AttentionTrace) -> str:
    """A sentence as long, of which the model says something else somewhere."""
    for other in ("The bed sleeps on the warm cat.", "On the cat sleeps the warm bed."):
        if len(translator.tokenizer.encode(other)) == len(translator.tokenizer.encode(SOURCE)):
            return other
    raise AssertionError(trace.src)


def test_every_number_is_that_of_its_own_run(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=8)
    donor = donor_of(translator, trace)
    patching = inside.patching(translator, trace, donor)
    model, step = translator.model, patching.step
    ids = [*translator.tokenizer.encode(donor), translator.config.eos_id]
    a, b = torch.tensor([trace.src_ids]), torch.tensor([ids])
    tgt = torch.tensor([[translator.config.bos_id, *trace.tgt_ids[:step]]])
    with torch.inference_mode():
        logits = model.decode(tgt, model.encode(b))[0, -1]
        logits[list(translator.config.banned_ids)] = -torch.inf
        answers = trace.tgt_ids[step], int(logits.argmax())
        assert patching.donor_answer == translator.tgt_tokenizer.piece(answers[1])
        assert (patching.steps[0], patching.donor_answers[0]) == (step, patching.donor_answer)

        def difference(src: Tensor) -> float:
            row = model.decode(tgt, model.encode(src))[0, -1].log_softmax(-1)
            return float(row[answers[0]] - row[answers[1]])

        assert patching.difference == pytest.approx(difference(a), abs=1e-4)
        assert patching.donor_difference == pytest.approx(difference(b), abs=1e-4)
        way = patching.donor_difference - patching.difference
        modules = attention_modules(model)
        for (kind, layer), module in modules.items():
            kept: list[Tensor] = []
            keep = (module.attended, lambda _m, _a, output, kept=kept: kept.append(output))
            with attached([keep]):
                difference(b)
            head = 1

            def put(
                _module: object, _args: object, output: Tensor, kept: list[Tensor] = kept
            ) -> Tensor:
                changed = output.clone()
                changed[:, 1] = kept[0][:, 1]
                return changed

            with attached([(module.attended, put)]):
                share = (difference(a) - patching.difference) / way
            assert patching.heads[kind][layer, head] == pytest.approx(share, abs=1e-3)
    assert num_hooks(model) == 0


def test_what_hands_on_everything_moves_all_the_way(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=8)
    patching = inside.patching(translator, trace, donor_of(translator, trace))
    # The last position of the decoder's last layer is all that the output reads.
    assert patching.positions["decoder"][-1, -1] == pytest.approx(1, abs=1e-4)
    np.testing.assert_allclose(patching.positions["decoder"][-1, :-1], 0, atol=1e-5)
    # Of the sentence's end, and of what both share before they differ, B brings nothing of itself
    # into the first layer but what attention has brought there.
    assert patching.sublayers["encoder"].shape == (2, 2)
    assert patching.sublayers["decoder"].shape == (2, 3)
    assert patching.positions["encoder"].shape == (2, len(trace.src))
    assert len(patching.donor_src) == len(patching.src) == len(trace.src)
    figure = patching.figure()
    assert figure.data


def test_a_decoder_alone(continuer: Translator) -> None:
    trace = continuer.trace(SOURCE, max_steps=8)
    patching = inside.patching(continuer, trace, donor_of(continuer, trace))
    assert patching.step >= len(continuer.tokenizer.encode(SOURCE))
    assert [*patching.heads] == ["decoder_self"]
    assert patching.positions["decoder"].shape == (2, patching.step + 1)
    assert patching.positions["decoder"][-1, -1] == pytest.approx(1, abs=1e-4)
    assert len(patching.src) == len(patching.donor_src)


def test_any_step_at_which_both_differ_can_be_asked_about(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=8)
    donor = donor_of(translator, trace)
    first = inside.patching(translator, trace, donor)
    step, answer = first.steps[-1], first.donor_answers[-1]
    last = inside.patching(translator, trace, donor, step)
    assert (last.step, last.donor_answer, last.steps) == (step, answer, first.steps)
    assert last.tgt_in == trace.tgt_in[: step + 1]
    same = next(s for s in range(len(trace.tgt_ids)) if s not in first.steps)
    with pytest.raises(HeadlightError, match="the same there"):
        inside.patching(translator, trace, donor, same)


def test_what_cannot_be_compared_is_refused(translator: Translator) -> None:
    trace = translator.trace(SOURCE, max_steps=4)
    for donor, step, code in (
        ("The cat.", None, "other_length"),
        (SOURCE, None, "same_answer"),
        (SOURCE, 99, "bad_step"),
    ):
        with pytest.raises(HeadlightError) as refused:
            inside.patching(translator, trace, donor, step)
        assert refused.value.code == code


def test_swaps_are_as_long_and_differ_in_one_word() -> None:
    translator = Translator.load("en-zh", device="cpu")
    trace = translator.trace("He gave her a red flower.")
    swaps = inside.swaps(translator, trace).swaps
    assert {"flower", "red"} <= {swap.word for swap in swaps}
    for swap in swaps:
        assert len(translator.tokenizer.encode(swap.text)) == len(trace.src_ids) - 1
        apart = set(zip(trace.source.strip(".").split(), swap.text.strip(".").split(), strict=True))
        assert {pair for pair in apart if len(set(pair)) > 1} == {(swap.word, swap.other)}
    # Of one kind each, so that a person would accept the sentence: no "dress flower", and no "of".
    others = {(swap.word, swap.other) for swap in swaps}
    assert {other for word, other in others if word == "red"} <= {
        *("blue", "green", "white", "black", "yellow")
    }
    assert not any(word == "a" for word, _ in others)


@pytest.mark.release
def test_a_colour_that_becomes_another_one_is_carried_by_where_it_stands() -> None:
    translator = Translator.load("en-zh", device="cpu")
    trace = translator.trace("She is wearing a red dress.")
    swaps = inside.swaps(translator, trace).swaps
    swap = next(swap for swap in swaps if (swap.word, swap.other) == ("red", "yellow"))
    moved = inside.patching(translator, trace, swap.text)
    place = trace.src.index("␣red")
    assert moved.positions["encoder"][0].argmax() == place
