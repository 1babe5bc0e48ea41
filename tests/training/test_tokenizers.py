"""Vocabularies that a run learns from its own texts."""

from pathlib import Path

from tests.training.runs import tiny_recipe
from transformer.training.data import Text
from transformer.training.tokenizers import choose_tokenizers


def test_the_rarest_letter_of_an_alphabet_has_a_piece(tmp_path: Path) -> None:
    recipe = tiny_recipe(
        tmp_path,
        source_language="en",
        target_language="de",
        source_vocab_size=120,
        target_vocab_size=120,
    )
    texts = [Text("an apple a day", "ein Apfel am Tag")] * 999 + [Text("apples", "Äpfel")]
    _, german = choose_tokenizers(texts, recipe, None)
    assert german
    assert "<unk>" not in german.pieces(german.encode("Äpfel"))


def test_a_decoder_of_one_language_has_whole_words(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path, decoder_only=True, target_language="en", vocab_size=140)
    texts = [Text("", "The elephants were walking slowly."), Text("", "The walking was slow.")] * 50
    english, none = choose_tokenizers(texts, recipe, None)
    assert none is None
    labels = english.pieces(english.encode("The elephants were walking"))
    assert labels == ["␣The", "␣elephants", "␣were", "␣walking"]
