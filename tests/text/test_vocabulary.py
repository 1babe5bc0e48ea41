import io

import pytest
import sentencepiece as spm

from tests.tiny import SENTENCES
from transformer.text.vocabulary import VocabularyTokenizer
from transformer.trace.words import WORD_START


@pytest.fixture(scope="module")
def model() -> bytes:
    file = io.BytesIO()
    spm.SentencePieceTrainer.Train(
        sentence_iterator=iter([*SENTENCES, "a < b > c / d"]),
        model_writer=file,
        vocab_size=120,
        character_coverage=1,
        minloglevel=2,
    )
    return file.getvalue()


@pytest.fixture(scope="module")
def pieces(model: bytes) -> list[str]:
    processor = spm.SentencePieceProcessor()
    processor.LoadFromSerializedProto(model)
    return [processor.IdToPiece(i) for i in range(3, processor.GetPieceSize())]


@pytest.fixture(scope="module")
def tokenizer(model: bytes, pieces: list[str]) -> VocabularyTokenizer:
    """Numbered backwards, so that SentencePiece's own ids would be wrong."""
    ordered = ["</s>", "<unk>", ">>zho<<", "▁elsewhere", *reversed(pieces), "<pad>"]
    return VocabularyTokenizer(model, {piece: i for i, piece in enumerate(ordered)})


@pytest.mark.parametrize("text", [*SENTENCES[:10], "</s>", "<pad> I"])
def test_text_survives_a_round_trip(tokenizer: VocabularyTokenizer, text: str) -> None:
    ids = tokenizer.encode(text)
    assert not {0, 1, 2, tokenizer.vocab_size - 1} & set(ids)
    assert tokenizer.decode(ids) == text


def test_a_leading_language_code_is_one_token(tokenizer: VocabularyTokenizer) -> None:
    plain = tokenizer.encode("I love you.")
    assert tokenizer.language_codes == [">>zho<<"]
    assert tokenizer.encode(">>zho<< I love you.") == [2, *plain]
    assert tokenizer.encode(" >>zho<<I love you.") == [2, *plain]
    assert tokenizer.pieces([2]) == [">>zho<<"]
    assert tokenizer.decode([2, *plain, 0]) == "I love you."
    assert 2 not in tokenizer.encode("I love >>zho<< you.")
    assert tokenizer.encode(">>") != []


def test_labels_show_where_a_word_starts(tokenizer: VocabularyTokenizer) -> None:
    assert "".join(tokenizer.pieces(tokenizer.encode("I love"))) == f"{WORD_START}I{WORD_START}love"
    assert tokenizer.pieces([0, 1, 3]) == ["</s>", "<unk>", f"{WORD_START}elsewhere"]


def test_pieces_of_the_other_language_are_text_too(tokenizer: VocabularyTokenizer) -> None:
    assert tokenizer.decode([*tokenizer.encode("I love"), 3, 0]) == "I love elsewhere"


def test_what_the_vocabulary_lacks_is_marked(model: bytes, pieces: list[str]) -> None:
    ordered = ["</s>", "<unk>", *(p for p in pieces if p != "爱"), "<pad>"]
    tokenizer = VocabularyTokenizer(model, {piece: i for i, piece in enumerate(ordered)})
    ids = tokenizer.encode("我爱你")
    assert ids.count(1) == 1
    assert "⁇" in tokenizer.decode(ids)


@pytest.mark.parametrize("text", ["", " \n", "\0", "\ud800", "😀", "<unk>"])
def test_strange_text_is_harmless(tokenizer: VocabularyTokenizer, text: str) -> None:
    tokenizer.decode(tokenizer.encode(text)).encode("utf-8")
    assert {0, tokenizer.vocab_size - 1}.isdisjoint(tokenizer.encode(text))


@pytest.mark.parametrize(
    ("vocabulary", "sentence"),
    [
        ({"</s>": 0, "<pad>": 1}, "the vocabulary has no <unk>"),
        ({"</s>": 0, "<unk>": 1, "<pad>": 3}, "from 0 up, each given once"),
        ({"</s>": 0, "<unk>": 1, "<pad>": 1}, "from 0 up, each given once"),
    ],
)
def test_a_vocabulary_that_numbers_nothing_is_refused(
    model: bytes, vocabulary: dict[str, int], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        VocabularyTokenizer(model, vocabulary)
    with pytest.raises(ValueError, match="not a SentencePiece model"):
        VocabularyTokenizer(model[:-1000], vocabulary)
