"""Tokenizers of a language's own, in the models that come along: words read as words."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from transformer import Tokenizer, checkpoint
from transformer.checkpoint import read_config, read_tokenizers

ROOT = Path(__file__).parents[2]
WORDS = ROOT / "tests" / "data" / "words"
SIDES = {
    f"{pair}.{pair.split('-')[side]}": (pair, side)
    for pair in ("en-zh", "zh-en", "en-fr", "en-de")
    for side in (0, 1)
}
WHOLE = {"en": 0.96, "fr": 0.93, "de": 0.91}
"""The share of running words that are one token."""

APOSTROPHES = "'’"


@dataclass(frozen=True)
class Form:
    """A written form, and how often it is met."""

    text: str
    at_start: int
    within: int
    frequent: bool


@pytest.fixture(params=SIDES)
def own(request: pytest.FixtureRequest) -> tuple[Tokenizer, str, str]:
    """A tokenizer of one language, its pair's name as English comes first, and the language."""
    pair, side = SIDES[request.param]
    folder = checkpoint.find(pair)
    tokenizer = read_tokenizers(folder, read_config(folder)[0])[side]
    assert tokenizer is not None
    return tokenizer, "en-zh" if pair == "zh-en" else pair, pair.split("-")[side]


def forms(pair: str, language: str) -> list[Form]:
    lines = (WORDS / f"{pair}.{language}.tsv").read_text(encoding="utf-8").split("\n")
    rows = [line.split("\t") for line in lines if line]
    return [Form(text, int(a), int(b), c == "1") for text, a, b, c in rows]


def is_whole(tokenizer: Tokenizer, form: str) -> bool:
    """Whether a form is one token; it may be cut at its apostrophe."""
    cuts = {end for _, end in tokenizer.spans(form)} - {len(form)}
    return all(APOSTROPHES.find(form[cut - 1]) >= 0 or form[cut] in APOSTROPHES for cut in cuts)


def test_a_word_is_whole_wherever_it_stands(own: tuple[Tokenizer, str, str]) -> None:
    tokenizer, pair, language = own
    if language == "zh":
        pytest.skip("Chinese writes no spaces")
    all_forms = forms(pair, language)
    whole = {form.text for form in all_forms if is_whole(tokenizer, form.text)}
    for count in ("at_start", "within"):
        total = sum(getattr(form, count) for form in all_forms)
        kept = sum(getattr(form, count) for form in all_forms if form.text in whole)
        assert kept / total >= WHOLE[language], count
    frequent = {form.text for form in all_forms if form.frequent}
    assert len(frequent) == 3000
    assert len(frequent & whole) / 3000 >= 0.98
    # The same token after another word as at the start.
    before = tokenizer.encode("x")
    for text in whole:
        assert tokenizer.encode(f"x {text}") == [*before, *tokenizer.encode(text)]


def test_chinese_words_are_whole(own: tuple[Tokenizer, str, str]) -> None:
    tokenizer, _, language = own
    if language != "zh":
        pytest.skip("written with spaces")
    lines = (ROOT / "corpora" / "phrases.tsv").read_text(encoding="utf-8").splitlines()
    sentences = [line.split("\t")[1] for line in lines]
    tokens = sum(len(tokenizer.encode(sentence)) for sentence in sentences)
    assert sum(map(len, sentences)) / tokens >= 1.5
    for word in ("我们", "花园", "足球", "火车", "喜欢"):
        assert tokenizer.pieces(tokenizer.encode(word)) == [word]


def test_numbers_are_cut_into_digits_and_nothing_is_lost(own: tuple[Tokenizer, str, str]) -> None:
    tokenizer, _, language = own
    pieces = tokenizer.pieces(tokenizer.encode("2026"))
    assert [piece for piece in pieces if piece != "␣"][-3:] == ["0", "2", "6"]
    texts = {"zh": "你好，世界！（3点15分）"}
    text = texts.get(language, 'If it\'s "Xylophon" (12:30), pay $3.50; okay?')
    assert tokenizer.decode(tokenizer.encode(text)) == text
