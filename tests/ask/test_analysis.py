"""What every analysis owes its server: an end once nobody waits for it, and a bounded price."""

from collections.abc import Iterator
from inspect import signature

import pytest

from tests.tiny import num_hooks
from transformer import HeadlightError, Translator, inside
from transformer.ask import cost
from transformer.ask.cost import passes
from transformer.inside import ANALYSES, any_model

SOURCE = "I love you."
DEAR = ("decoder_lens", "leave_one_out", "sweep", "value_zeroing", "why", "without_words")


def test_what_asks_a_model_says_what_it_is_of_guests() -> None:
    """Else a guest's page would ask it, and it would fall over the first thing of ours."""
    for name, each in ANALYSES.items():
        if "translator" in signature(each.function).parameters:
            of_guests = hasattr(any_model, name)
            assert of_guests != bool(each.ours_alone), name
            assert of_guests or getattr(inside, name) is not each.function, name


def options_of(name: str) -> dict[str, object]:
    options = {"why": {"step": 1, "token": 7}, "without_words": {"step": 1}}
    return ANALYSES[name].read(options.get(name, {}))


@pytest.mark.parametrize("name", DEAR)
def test_each_ends_between_two_layers_once_nobody_waits(translator: Translator, name: str) -> None:
    trace = translator.trace(SOURCE, max_steps=7)
    looks = 0

    def count() -> bool:
        nonlocal looks
        looks += 1
        return False

    answer = ANALYSES[name].answer(options_of(name), translator, trace, count)
    assert answer
    assert looks >= 4, "a look after each layer of each pass"

    def leave_at(last: int) -> Iterator[bool]:
        yield from (i == last for i in range(last + 1))

    for last in (0, looks // 2, looks - 1):
        leaving = leave_at(last)
        with pytest.raises(HeadlightError) as ended:
            ANALYSES[name].answer(options_of(name), translator, trace, lambda: next(leaving))  # noqa: B023
        assert ended.value.code == "cancelled"
        assert num_hooks(translator.model) == 0


def test_what_would_take_too_long_is_refused_before_it_begins(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = translator.trace(SOURCE, max_steps=7)
    tokens, needed = len(trace.src) + len(trace.tgt_in), passes(ANALYSES["why"].cost, trace)
    assert needed > len(trace.src)
    monkeypatch.setattr(cost, "MOST", tokens * needed - 1)
    with pytest.raises(HeadlightError) as refused:
        ANALYSES["why"].answer(options_of("why"), translator, trace, lambda: pytest.fail("begun"))
    assert (refused.value.code, refused.value.details) == (
        "too_expensive",
        {"tokens": tokens, "passes": needed},
    )
    monkeypatch.setattr(cost, "MOST", tokens * needed)
    assert ANALYSES["why"].answer(options_of("why"), translator, trace)


@pytest.mark.release
def test_a_sentence_that_a_class_types_may_be_asked_everything() -> None:
    translator = Translator.load("en-zh")
    trace = translator.trace("The old man who lives next door told us " + "a long story " * 9 + ".")
    tokens = len(trace.src) + len(trace.tgt_in)
    assert len(trace.src) > 35
    assert max(passes(each.cost, trace) for each in ANALYSES.values()) * tokens <= cost.MOST
