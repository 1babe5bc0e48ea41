"""What people type and models have not learnt is read as what it stands for."""

from tests.typed import CASES, source_tokenizer
from transformer import Tokenizer
from transformer.text.normalise import normalised


def test_what_is_read_for_what_is_typed() -> None:
    models = {model for case in CASES for model in case["models"]}
    tokenizers = {model: Tokenizer.load(source_tokenizer(model)) for model in models}
    for case in CASES:
        for model in case["models"]:
            text = normalised(case["typed"], tokenizers[model])
            assert text == case["read"], (model, case["typed"])
            assert normalised(text, tokenizers[model]) == text, "reading it again changes nothing"


def test_a_sign_that_has_a_piece_stays() -> None:
    texts = ["I love it 🎉", "party 🎉 time"] * 20
    knows = Tokenizer.train(texts, 40, characters=True, character_coverage=1.0)
    assert normalised("I love it 🎉 ★", knows) == "I love it 🎉"
