"""The engine cuts every text into the ids that SentencePiece gives it."""

import json
import random
import unicodedata
from pathlib import Path

import pytest

from tests.engine.engine import Engine
from transformer.text.tokenizer import Tokenizer

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"
MODELS = sorted(path.relative_to(CHECKPOINTS) for path in CHECKPOINTS.glob("*/*.model"))

SEED = 29
LINES, GENERATED = 1_500, 1_500
"""Of each: all lines there are and 50,000 texts were compared once, too, without a difference."""

AWKWARD = [*range(0x300, 0x370), *range(0xD800, 0xE000, 64), 0, 9, 32, 0x200B, 0x2581, 0x3000]
"""Accents that combine, halves of pairs, and what is no sign at all."""


@pytest.fixture(scope="module")
def texts() -> list[str]:
    draw = random.Random(SEED)
    lines = [
        text
        for path in sorted((CHECKPOINTS.parent / "corpora").glob("*.tsv"))
        for line in path.read_text(encoding="utf-8").splitlines()
        for text in line.split("\t")
    ]
    sample = [*draw.sample(lines, LINES), "", " ", "</s>", "▁", "<unk>", "\ufeff"]
    sample += [generated(draw, lines) for _ in range(GENERATED)]
    # In JSON, two halves that stand together are one character.
    return json.loads(json.dumps(sample))


def generated(draw: random.Random, lines: list[str]) -> str:
    """A text of one block of Unicode, of all of them, or one that somebody might type."""
    length = draw.randint(1, 24)
    match draw.randrange(5):
        case 0:
            start = draw.randrange(0, 0x110000, 256)
            return "".join(chr(start + draw.randrange(256)) for _ in range(length))
        case 1:
            return "".join(chr(draw.randrange(0x110000)) for _ in range(length))
        case 2:
            marks = "".join(chr(code) for code in draw.sample(AWKWARD, 4))
            return "".join(mark + draw.choice(lines)[:8] for mark in marks)
        case 3:
            return "".join(draw.choices(" \t</s>unk<pad>0123▁␣ a\u0301e\u0300ﬁ", k=length))
        case _:
            return unicodedata.normalize(draw.choice(("NFD", "NFKD")), draw.choice(lines))


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_ids_and_texts(engine: Engine, texts: list[str], model: Path) -> None:
    tokenizer = Tokenizer.load(CHECKPOINTS / model)
    answer = engine.ask({"ask": "tokens", "file": str(CHECKPOINTS / model), "texts": texts})
    ids = [tokenizer.encode(text) for text in texts]
    assert [text for text, a, b in zip(texts, ids, answer["ids"], strict=True) if a != b] == []
    assert [tokenizer.decode(own) for own in ids] == answer["texts"]


@pytest.mark.parametrize("choices", [{}, {"spaces": True}, {"whole_words": True, "spaces": True}])
def test_other_tokenizers(engine: Engine, tmp_path: Path, choices: dict[str, bool]) -> None:
    """Unigram models of words, which none of the shipped ones is."""
    lines = (
        (CHECKPOINTS.parent / "corpora" / "everyday.tsv").read_text(encoding="utf-8").splitlines()
    )
    texts = [text for line in lines[:1000] for text in line.split("\t")]
    tokenizer = Tokenizer.train(texts, 1_200, character_coverage=0.98, **choices)
    file = tmp_path / "tokenizer.model"
    file.write_bytes(tokenizer.to_bytes())
    answer = engine.ask({"ask": "tokens", "file": str(file), "texts": texts})
    assert answer["ids"] == [tokenizer.encode(text) for text in texts]
