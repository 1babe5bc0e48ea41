"""The shipped en-fr's cross-attention against links that a person drew."""

from pathlib import Path

from transformer import Translator, checkpoint
from transformer.training.data import read_pairs
from transformer.training.score_alignment import read_links, score_alignment

DATA = Path(__file__).parents[1] / "data"


def test_the_best_head_finds_the_words_that_people_link() -> None:
    texts, gold = read_pairs(DATA / "en-fr.tsv"), read_links(DATA / "en-fr.links")
    assert len(texts) == len(gold) == len({text.source for text in texts}) == 50
    for text, links in zip(texts, gold, strict=True):
        # No word is forgotten: each French one has an English one.
        assert {j for _, j in links.possible} == {*range(len(text.target.split()))}
        assert links.sure
    translator = Translator.load(checkpoint.find("en-fr"), device="cpu")
    heads = [s for s in score_alignment(translator, texts, gold) if s.head is not None]
    best = min(min(score.predicts, score.reads) for score in heads)
    assert best <= 0.12
