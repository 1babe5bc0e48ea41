"""What a step would say without a word is what it says of a sentence where nobody typed it."""

import math

import pytest

from transformer import HeadlightError, Translator
from transformer.inside.leave_one_out import leave_one_out
from transformer.inside.without_words import Ranking, without_words

SOURCE = "The cat sleeps on the warm bed."


def near(one: Ranking, other: Ranking) -> None:
    assert [c.id for c in one] == [c.id for c in other]
    assert [c.probability for c in one] == pytest.approx([c.probability for c in other], abs=1e-5)


@pytest.mark.parametrize("step", [0, 3, 5])
def test_it_is_what_a_trace_of_the_shorter_sentence_says(translator: Translator, step: int) -> None:
    trace = translator.trace(SOURCE, max_steps=6, top_k=5)
    omissions = without_words(translator, trace, step)
    assert omissions.words == ("The", "cat", "sleeps", "on", "the", "warm", "bed", ".")
    near(omissions.before, trace.candidates[step])
    compared = 0
    for pieces, candidates in zip(omissions.pieces, omissions.without, strict=True):
        ids = [i for at, i in enumerate(trace.src_ids) if at not in pieces]
        text = translator.tokenizer.decode(ids)
        if [*translator.tokenizer.encode(text), 2] != ids:
            continue  # cut otherwise once a neighbour is gone
        shorter = translator.trace(text, prefix=trace.tgt_ids[:step], max_steps=1, top_k=5)
        # Whatever that one says, and the token that is asked about.
        near(candidates[:5], shorter.candidates[step][:5])
        assert trace.tgt_ids[step] in [c.id for c in candidates]
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize("name", ["translator", "continuer"])
def test_the_token_of_the_trace_loses_what_leave_one_out_says(
    name: str, request: pytest.FixtureRequest
) -> None:
    translator: Translator = request.getfixturevalue(name)
    changes = ["decoder_self@4=aim:2,3", "cross@5=aim:3"]
    trace = translator.trace(
        SOURCE, max_steps=7, interventions=changes[: 1 if name == "continuer" else 2]
    )
    deltas = leave_one_out(translator, trace).deltas
    for step in (4, len(trace.tgt_ids) - 1):
        omissions = without_words(translator, trace, step)
        [before] = [c.probability for c in omissions.before if c.id == trace.tgt_ids[step]]
        for word, candidates in enumerate(omissions.without):
            [after] = [c.probability for c in candidates if c.id == trace.tgt_ids[step]]
            loss = math.log(after / before)
            assert loss == pytest.approx(float(deltas[step, word]), abs=1e-4), (step, word)


def test_what_the_page_gets(translator: Translator) -> None:
    omissions = without_words(translator, translator.trace("I love you.", max_steps=3), 1)
    payload = omissions.payload()
    assert list(payload) == ["step", "words", "pieces", "before", "without"]
    assert (payload["step"], payload["words"]) == (1, ["I", "love", "you", "."])
    assert len(payload["without"]) == len(payload["pieces"]) == 4
    for candidates in (payload["before"], *payload["without"]):
        assert all(each.keys() == {"token", "id", "probability", "drawn"} for each in candidates)
        assert 5 <= len(candidates) <= 6
    with pytest.raises(HeadlightError, match="no step 3"):
        without_words(translator, translator.trace("I love you.", max_steps=3), 3)
