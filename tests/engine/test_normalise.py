"""The engine reads what people type as Python does."""

import random

from tests.engine.engine import Engine
from tests.typed import CASES, source_tokenizer
from transformer import Tokenizer
from transformer.text.normalise import normalised

TYPED = " 🎉❤️👍🏽™★→’“”«»–—…，。！？AZéÉàßaz059.!?'\"-我们\u200d\u00a0"


def test_the_same_cases(engine: Engine) -> None:
    for model in sorted({model for case in CASES for model in case["models"]}):
        cases = [case for case in CASES if model in case["models"]]
        asked = {"ask": "reads", "file": str(source_tokenizer(model))}
        answer = engine.ask({**asked, "texts": [case["typed"] for case in cases]})
        assert answer["texts"] == [case["read"] for case in cases], model


def test_any_text(engine: Engine) -> None:
    draw = random.Random(43)
    texts = ["".join(draw.choices(TYPED, k=draw.randint(0, 20))) for _ in range(1500)]
    for model in ("en-fr", "zh-en"):
        file = source_tokenizer(model)
        tokenizer = Tokenizer.load(file)
        answer = engine.ask({"ask": "reads", "file": str(file), "texts": texts})["texts"]
        expected = [normalised(text, tokenizer) for text in texts]
        assert [t for t, a, b in zip(texts, expected, answer, strict=True) if a != b] == []
