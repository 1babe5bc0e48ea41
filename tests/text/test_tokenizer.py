import io
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sentencepiece as spm

from tests.tiny import SENTENCES
from transformer import Tokenizer
from transformer.text.tokenizer import BOS_ID, EOS_ID, PAD_ID, SPECIAL_PIECES, UNK_ID, has_spaces


def train(**options: Any) -> bytes:
    """A model trained with SentencePiece directly, as somebody else might have."""
    model = io.BytesIO()
    settings: dict[str, Any] = {"pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3}
    settings |= {"vocab_size": 110, "minloglevel": 2, **options}
    spm.SentencePieceTrainer.Train(
        sentence_iterator=iter(SENTENCES),
        model_writer=model,
        **settings,
    )
    return model.getvalue()


@pytest.mark.parametrize("text", SENTENCES)
def test_text_survives_a_round_trip(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert not {PAD_ID, BOS_ID, EOS_ID, UNK_ID} & set(ids)


@pytest.mark.parametrize("text", ["，。？！：；（）“”", "我爱你。我不。"])
def test_full_width_punctuation_stays_full_width(text: str) -> None:
    tokenizer = Tokenizer.train([*SENTENCES, "，。？！：；（）“”"], 120)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_ascii_punctuation_stays_ascii(tokenizer: Tokenizer) -> None:
    assert tokenizer.decode(tokenizer.encode("I don't; yes, I do. (What?)")).endswith("(What?)")


@pytest.mark.parametrize("text", ["<s>", "</s>", "<pad>", "<unk>", "I love </s> you.", "<0x41>"])
def test_text_that_spells_a_special_token_stays_text(text: str) -> None:
    tokenizer = Tokenizer.train([*SENTENCES, "a < b > c / 0x41"], 120, character_coverage=1)
    ids = tokenizer.encode(text)
    assert len(ids) > 1
    assert not {PAD_ID, BOS_ID, EOS_ID} & set(ids)
    assert tokenizer.decode(ids) == text


def test_labels_show_where_a_word_starts(tokenizer: Tokenizer) -> None:
    labels = tokenizer.pieces(tokenizer.encode("Where is the station?"))
    assert "".join(labels) == "Where␣is␣the␣station?"
    assert "".join(tokenizer.pieces(tokenizer.encode("我爱你。"))) == "我爱你。"
    assert tokenizer.pieces([0, 1, 2, 3]) == ["<pad>", "<s>", "</s>", "<unk>"]


def test_special_tokens_are_silent_in_text(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("我爱你。")
    assert tokenizer.decode([BOS_ID, *ids, EOS_ID, PAD_ID]) == "我爱你。"
    assert tokenizer.decode([]) == ""


def test_byte_pieces_are_shown_as_their_bytes() -> None:
    tokenizer = Tokenizer(train(vocab_size=360, byte_fallback=True))
    ids = tokenizer.encode("猫€")
    labels = tokenizer.pieces(ids)
    assert labels[-3:] == ["0xE2", "0x82", "0xAC"]  # € in UTF-8
    assert tokenizer.decode(ids) == "猫€"


def test_an_unknown_character_is_marked(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("我爱龘。")
    assert ids.count(UNK_ID) == 1
    assert tokenizer.pieces(ids)[-2] == "<unk>"
    assert "⁇" in tokenizer.decode(ids)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("I lo\0ve you.", "I love you."),
        ("I lo\u200bve\u200d \u2060you.\ufeff", "I love you."),
        ("I \x07love\x1b you.", "I love you."),
        ("  I   love\u3000you.\n", "I love you."),
        ("I\tlove\u00a0you.", "I love you."),
        ("Ｉ ｌｏｖｅ ｙｏｕ.", "I love you."),
        ("我 爱\u200b你。", "我 爱你。"),
    ],
)
def test_what_nobody_sees_makes_no_difference(tokenizer: Tokenizer, typed: str, read: str) -> None:
    assert tokenizer.encode(typed) == tokenizer.encode(read)


def test_combining_accents_are_one_letter() -> None:
    tokenizer = Tokenizer.train([*SENTENCES, "é à ü ñ ế Å"], 120, character_coverage=1.0)
    for composed, parts in (("é", "e\u0301"), ("ế", "e\u0302\u0301"), ("Å", "A\u030a")):
        assert UNK_ID not in tokenizer.encode(composed)
        assert tokenizer.encode(parts) == tokenizer.encode(composed)


@pytest.mark.parametrize("text", ["", " \t\n", "\0", "\u200b\u200e", "\x00\x01\x1f\x7f"])
def test_nothing_but_blanks_and_controls_is_nothing(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.encode(text) == []


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "😀\ud83d", "\U0010ffff", "مرحبا", "😀‍👩"])
def test_strange_text_is_harmless(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text)
    assert all(0 <= i < tokenizer.vocab_size for i in ids)
    tokenizer.decode(ids).encode("utf-8")


def test_it_survives_the_disk(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes(tokenizer.to_bytes())
    again = Tokenizer.load(path)
    assert again.vocab_size == tokenizer.vocab_size == 120
    assert again.encode(SENTENCES[3]) == tokenizer.encode(SENTENCES[3])


@pytest.mark.parametrize("model", [b"", b"\0" * 100, b"not a model", b"\x80\x04\x95pickle"])
def test_other_bytes_are_refused(model: bytes) -> None:
    with pytest.raises(ValueError, match="not a SentencePiece model"):
        Tokenizer(model)


def test_a_truncated_model_is_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(ValueError, match="not a SentencePiece model"):
        Tokenizer(tokenizer.to_bytes()[:-1000])


def test_other_special_ids_are_refused() -> None:
    with pytest.raises(ValueError, match=r"the first pieces are <unk> <s> </s> .*, not <pad> <s>"):
        Tokenizer(train(unk_id=0, bos_id=1, eos_id=2, pad_id=-1))


def test_a_vocabulary_that_the_text_cannot_fill_is_refused_naming_the_limit() -> None:
    with pytest.raises(
        ValueError, match=r"a vocabulary of 5000 pieces: choose at most \d+"
    ) as caught:
        Tokenizer.train(SENTENCES, 5000)
    limit = int(str(caught.value).split()[-1])
    assert Tokenizer.train(SENTENCES, limit).vocab_size == limit


@pytest.mark.parametrize(
    ("sentences", "size", "remedy"),
    [
        (SENTENCES, 5, r"choose at least \d+"),
        ([], 100, "there is no text"),
        (["", "  "], 50, "there is no text"),
    ],
)
def test_a_vocabulary_that_cannot_be_is_refused(
    sentences: list[str], size: int, remedy: str
) -> None:
    with pytest.raises(ValueError, match=f"vocabulary of {size} pieces: {remedy}"):
        Tokenizer.train(sentences, size)


@pytest.mark.parametrize(
    "text", ["I love you.", "  I  love　you.", "我爱你。I love", "a\u200bb ﬁne 龘"]
)
def test_spans_say_where_each_token_comes_from(tokenizer: Tokenizer, text: str) -> None:
    spans = tokenizer.spans(text)
    assert len(spans) == len(tokenizer.encode(text))
    assert spans[-1][1] == len(text)
    assert all(start <= end for start, end in spans)
    assert all(end == start for (_, end), (start, _) in pairwise(spans))


ENGLISH = ["If it rains, we stay.", "We stay at home if it rains; it's 25 km."] * 20


def test_a_whole_word_is_one_piece_wherever_it_stands() -> None:
    words = Tokenizer.train(ENGLISH, 130, whole_words=True, spaces=True)
    assert words.pieces(words.encode("Stay if it rains, we stay.")) == [
        *("␣", "S", "t", "ay"),
        *("␣if", "␣it", "␣rains", ",", "␣we", "␣stay", "."),
    ]
    assert words.pieces(words.encode("rains")) == ["␣rains"]


def test_digits_are_cut_one_by_one_and_no_ascii_character_is_unknown() -> None:
    words = Tokenizer.train(ENGLISH, 130, whole_words=True, spaces=True)
    assert words.pieces(words.encode("25 km")) == ["␣", "2", "5", "␣km"]
    everything = "".join(map(chr, range(32, 127))).strip()
    assert UNK_ID not in words.encode(everything)
    assert words.decode(words.encode(everything)) == everything


def test_punctuation_does_not_stick_to_words() -> None:
    words = Tokenizer.train(ENGLISH, 130, whole_words=True, spaces=True)
    letters = re.compile("[A-Za-z]")
    pieces = words.pieces(range(len(SPECIAL_PIECES), words.vocab_size))
    assert not [p for p in pieces if letters.search(p) and not p.removeprefix("␣").isalpha()]


@pytest.mark.parametrize("text", ["我们在花园里踢足球。", "他说：“是的！”", "3点15分"])
def test_whole_words_without_spaces_survive_a_round_trip(text: str) -> None:
    words = Tokenizer.train([*SENTENCES, "我们在花园里踢足球。", "点分"] * 9, 220, whole_words=True)
    labels = words.pieces(words.encode(text))
    assert "".join(labels) == text
    assert words.decode(words.encode(text)) == text


@pytest.mark.parametrize(
    ("language", "spaces"), [("en", True), ("zh", False), ("zh-TW", False), ("", False)]
)
def test_which_languages_put_spaces_between_words(language: str, spaces: bool) -> None:
    assert has_spaces(language) == spaces
