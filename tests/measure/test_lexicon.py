"""A lexicon learned from pairs alone: found in a made-up language, and in what the models ship."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.tiny import tiny_checkpoint
from transformer import CheckpointError, Tokenizer, Translator, checkpoint
from transformer.__main__ import main
from transformer.checkpoint.lexicon import LEXICON, Entry, Lexicon, holds, read_lexicon
from transformer.measure.lexicon import BYTES, LIKELY, learn_lexicon, link_probabilities, words_in

TRANSLATING = ("en-de", "en-fr", "en-zh", "zh-en")


WORDS = [consonant + vowel + "ll" for consonant in "bdfgkm" for vowel in "aeiou"]


def foreign(word: str) -> str:
    """What it is in the other language."""
    return "Z" + word[::-1]


def pairs(count: int) -> list[tuple[list[str], list[str], list[int]]]:
    """Sentences of a language whose every word has one in the other, and where it came to stand.

    Every other target begins with a word that stands for nothing.
    """
    draw = random.Random(3)
    examples: list[tuple[list[str], list[str], list[int]]] = []
    for number in range(count):
        src = draw.sample(WORDS, draw.randint(3, 8))
        order = sorted(range(len(src)), key=lambda place: place + draw.choice((0, 0, 1.5)))
        tgt = [foreign(src[place]) for place in order]
        examples.append((src, ["ba"] * (number % 2) + tgt, [-1] * (number % 2) + order))
    return examples


def test_links_are_found_without_any_attention() -> None:
    examples = pairs(80)
    links = link_probabilities([(src, tgt) for src, tgt, _ in examples])
    right = [
        int(row.argmax()) == place
        for link, (_, _, order) in zip(links, examples, strict=True)
        for row, place in zip(link, order, strict=True)
        if place >= 0
    ]
    assert sum(right) / len(right) > 0.97
    np.testing.assert_allclose(np.concatenate([link.sum(-1) for link in links]), 1)


def test_one_pair_tells_nothing_but_where_words_stand() -> None:
    [links] = link_probabilities([(["a", "b"], ["x", "y", "z"])])
    np.testing.assert_allclose(links[1], 0.5)
    np.testing.assert_allclose(links[0], links[2][::-1])
    assert links[0, 0] > 0.5


def test_a_word_is_known_by_what_most_of_its_occurrences_stand_for() -> None:
    rare = [([WORDS[1], "once"], [foreign(WORDS[1]), "einmal"])] * 4
    lexicon = learn_lexicon([*((src, tgt) for src, tgt, _ in pairs(200)), *rare])
    for word in WORDS:
        assert lexicon.gloss("src", word) == foreign(word)
        assert lexicon.gloss("tgt", foreign(word).upper()) == word
        assert lexicon.linked(word, foreign(word))
    assert not lexicon.linked(WORDS[1], foreign(WORDS[2]))
    # What stands for nothing, or was met too seldom.
    for side, word in (("tgt", "ba"), ("src", "once"), ("tgt", "einmal"), ("src", "never")):
        assert lexicon.gloss("src" if side == "src" else "tgt", word) is None
    assert all(entry.probability >= LIKELY for entry in lexicon.entries)
    assert learn_lexicon([]).entries == ()


def test_inflected_or_written_together_a_word_is_itself() -> None:
    kept = [("flower", "flower"), ("Flowers", "flower"), ("买了一", "买"), ("我哥哥", "哥哥")]
    for word, gloss in kept:
        assert holds(word, gloss)
    for word, gloss in [("the", "he"), ("her", "he"), ("flow", "flower"), ("买", "买了")]:
        assert not holds(word, gloss)
    forms = ["买了", "买了一", "买", "买到"]
    texts = [(["I", "bought", "it"], ["我", form, "它"]) for form in forms] * 6
    others = [
        (["I", "saw", "it"], ["我", "看到", "它"]),
        (["it", "saw", "I"], ["它", "看到", "我"]),
    ] * 9
    lexicon = learn_lexicon([*texts, *others])
    assert lexicon.gloss("src", "bought") == "买了"
    assert lexicon.linked("bought", "买了一")


def test_a_gloss_is_written_as_within_a_sentence() -> None:
    texts = ["Ich sehe Haus", "Haus sehe ich", "Sehe ich Haus"]
    glosses = {"ich": "I", "sehe": "see", "haus": "house"}
    sources = [[glosses[word.casefold()] for word in text.split()] for text in texts * 4]
    lexicon = learn_lexicon(zip(sources, (text.split() for text in texts * 4), strict=True))
    assert [lexicon.gloss("src", word) for word in ("i", "See", "house")] == ["ich", "sehe", "Haus"]
    assert lexicon.gloss("tgt", "ICH") == "I"


def test_it_comes_back_from_its_folder_and_its_checksum_holds_it(
    tokenizer: Tokenizer, tmp_path: Path
) -> None:
    folder = tmp_path / "tiny"
    lexicon = Lexicon((Entry("src", "love", "爱", 0.75), Entry("tgt", "我", "I", 0.5)))
    plain = tiny_checkpoint(tokenizer, max_length=64)
    checkpoint.save(folder, plain)
    before = checkpoint.load(folder)
    assert before.lexicon is None
    assert Translator(before).trace("I love you.", max_steps=3).glosses is None
    checkpoint.save(folder, replace(plain, lexicon=lexicon))
    loaded = checkpoint.load(folder)
    assert loaded.lexicon is not None
    assert loaded.lexicon.entries == lexicon.entries
    assert loaded.hash == before.hash, "it is no part of the model"
    (folder / LEXICON).write_bytes(lexicon.to_bytes().replace("爱".encode(), "恨".encode()))
    with pytest.raises(CheckpointError, match=r"lexicon\.tsv"):
        checkpoint.load(folder)
    (folder / LEXICON).write_text("src\tlove\n", encoding="utf-8")
    with pytest.raises(CheckpointError, match="line 1"):
        checkpoint.load(folder)
    # Another checkpoint of the name takes the place of all of it.
    checkpoint.save(folder, tiny_checkpoint(tokenizer))
    assert read_lexicon(folder) is None


def test_a_words_gloss_stands_at_its_first_piece(tokenizer: Tokenizer) -> None:
    lexicon = Lexicon((Entry("src", "love", "爱", 0.75), Entry("tgt", "我", "I", 0.5)))
    loaded = replace(tiny_checkpoint(tokenizer, max_length=64), lexicon=lexicon)
    trace = Translator(loaded).trace("I LOVE you, love.", max_steps=9)
    assert trace.glosses is not None
    glosses = dict(zip(words_starts(trace.src), trace.glosses.src, strict=True))
    assert [label for label, gloss in glosses.items() if gloss] == [
        label for label in glosses if label.lower().startswith("love@")
    ]
    assert len(trace.glosses.tgt) == len(trace.tgt_out)
    for token, gloss in zip(trace.tgt_out, trace.glosses.tgt, strict=True):
        assert gloss == ("I" if token == "我" else None)


def words_starts(labels: tuple[str, ...]) -> list[str]:
    """Each token, by the word that it begins and its place."""
    from transformer.trace.words import word_texts, words_of

    words = words_of(labels)
    texts = dict(zip((word[0] for word in words), word_texts(labels, words), strict=True))
    return [f"{texts.get(i, '')}@{i}" for i in range(len(labels))]


def test_the_command_learns_from_columns_and_keeps_the_checksums(
    tokenizer: Tokenizer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HEADLIGHT_CHECKPOINTS", str(tmp_path))
    checkpoint.save(tmp_path / "tiny", tiny_checkpoint(tokenizer, max_length=64))
    data = tmp_path / "pairs.tsv"
    lines = ["我爱猫\tx\tI love cats", "我爱书\tx\tI love books", "猫睡\tx\tcats sleep"]
    data.write_text("\n".join(lines * 5) + "\nno pair\n", encoding="utf-8")
    describe = ["describe", "tiny", "--only", "lexicon", "--save", "--data"]
    assert main([*describe, f"{data}:3,1"]) == 0
    assert "from 15 pairs" in capsys.readouterr().out
    lexicon = Translator.load("tiny").lexicon
    assert lexicon is not None
    assert lexicon.gloss("src", "cats") == "猫"
    assert lexicon.gloss("tgt", "书") == "books"
    assert main(["models", "--verify"]) == 0
    assert main([*describe, str(tmp_path / "nothing.tsv")]) == 2


@pytest.mark.release
@pytest.mark.parametrize("name", TRANSLATING)
def test_a_shipped_lexicon_is_small_likely_and_right(name: str) -> None:
    folder = checkpoint.find(name)
    lexicon = read_lexicon(folder)
    assert lexicon is not None
    assert (folder / LEXICON).stat().st_size <= BYTES
    assert min(entry.probability for entry in lexicon.entries) >= LIKELY
    assert len({(entry.side, entry.word) for entry in lexicon.entries}) == len(lexicon.entries)
    # What any dictionary says.
    translations = {
        "zh": [("dog", "狗"), ("cat", "猫"), ("Beijing", "北京"), ("computer", "电脑")],
        "fr": [("red", "rouge"), ("cat", "chat"), ("book", "livre"), ("table", "table")],
        "de": [("cat", "Katze"), ("book", "Buch"), ("water", "Wasser"), ("table", "Tisch")],
    }[name.replace("en", "").replace("-", "")]
    english, other = ("tgt", "src") if name == "zh-en" else ("src", "tgt")
    for word, gloss in translations:
        assert lexicon.gloss(english, word) == gloss
        assert (lexicon.gloss(other, gloss) or "").casefold() == word.casefold()
    assert words_in(Translator.load(name).tokenizer, "…!?") == []
