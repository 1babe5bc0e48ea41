"""Sources as people type them."""

import re

import pytest

from transformer.training.as_typed import NEIGHBOURS, mistyped_copies, plain_copies
from transformer.training.data import Text

SENTENCE = Text("Yesterday Paloma Brenvan received a message from anna.miller@example.org.", "…")
WORDS = Text("yesterday", "昨天")


def test_a_share_of_the_sources_is_learnt_as_people_type_too() -> None:
    texts = [
        Text("Where is the Station?", "车站在哪里？"),
        Text("hello", "你好"),
        Text("“…!”", "！"),
    ]
    texts.append(Text("你好！", "Hello!"))
    assert plain_copies(texts, 1.0, seed=1) == [
        Text("where is the station", "车站在哪里？"),
        Text("你好", "Hello!"),
    ]
    assert plain_copies(texts, 0.0, seed=1) == []
    many = [Text(f"Sentence {i}.", str(i)) for i in range(1000)]
    half = plain_copies(many, 0.5, seed=1)
    assert half == plain_copies(many, 0.5, seed=1) != plain_copies(many, 0.5, seed=2)
    assert len(half) == pytest.approx(500, abs=60)


def test_a_typo_changes_one_word_or_two_and_never_their_first_letters() -> None:
    every = [copy for seed in range(200) for copy in mistyped_copies([SENTENCE, WORDS], 1.0, seed)]
    copies = [copy for copy in every if copy.target == SENTENCE.target]
    assert len(copies) > 180
    changed = []
    for copy in copies:
        before, after = SENTENCE.source.split(), copy.source.split()
        assert len(before) == len(after)
        pairs = [
            (a.lower().rstrip("."), b.lower().rstrip("."))
            for a, b in zip(before, after, strict=True)
        ]
        typos = [(a, b) for a, b in pairs if a != b]
        assert 1 <= len(typos) <= 2
        assert all(a[0] == b[0] and abs(len(a) - len(b)) <= 1 for a, b in typos)
        changed += typos
    # Names and addresses decide what is to be written, so they stay.
    assert {a for a, _ in changed} == {"yesterday", "received", "message", "from"}
    assert {len(b) - len(a) for a, b in changed} == {-1, 0, 1}
    assert ("received", "recieved") in changed
    plain = sum(copy.source.islower() for copy in copies)
    assert plain == pytest.approx(100, abs=30)


def test_a_wrong_letter_lies_beside_the_right_one_or_is_a_vowel_for_a_vowel() -> None:
    assert set(NEIGHBOURS["g"]) == set("tyfhvb")
    assert set(NEIGHBOURS["q"]) == set("wa")
    wrong = {
        mistyped_copies([Text("able", "")], 1.0, seed)[0].source[-1:] for seed in range(400)
    } - set("el")
    assert wrong == {*NEIGHBOURS["e"], *"aiou"} - {"l"}


def test_a_chinese_character_becomes_another_of_the_same_sound() -> None:
    text = Text("他在做作业。", "He is doing his homework.")
    copies = {mistyped_copies([text], 1.0, seed)[0].source for seed in range(200)}
    assert {"他再做作业。", "她在做作业。", "他在作作业"} <= copies
    assert all(re.fullmatch("[他她它][在再][做作座坐][做作座坐]业。?", copy) for copy in copies)
    assert mistyped_copies([Text("你好。", "Hello.")], 1.0, seed=1) == []


def test_typos_are_the_same_for_the_same_seed() -> None:
    many = [Text(f"sentence number {i}", str(i)) for i in range(1000)]
    half = mistyped_copies(many, 0.5, seed=1)
    assert half == mistyped_copies(many, 0.5, seed=1) != mistyped_copies(many, 0.5, seed=2)
    assert len(half) == pytest.approx(500, abs=60)
    assert mistyped_copies(many, 0.0, seed=1) == []
