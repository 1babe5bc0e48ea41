"""Where the page opens: found where a letter is its own translation, and told by the cards."""

import random
from typing import Any

import numpy as np
import pytest

from transformer import Translator, checkpoint
from transformer.checkpoint.lexicon import Entry, Lexicon
from transformer.measure.opening import CLEARLY, meetings, opening_of
from transformer.trace.head_names import Opening, RepresentativeHead, read_representative_heads

SIZES: Any = {"cross": (3, 8)}


@pytest.fixture(scope="module")
def reverse() -> Translator:
    return Translator.load(checkpoint.find("reverse"), device="cpu")


def words(count: int) -> list[str]:
    """In which no letter comes twice, so that it is known which one is meant."""
    draw = random.Random(2)
    return ["".join(draw.sample("abcdefghijkmnopqrstuvwxyz", 9)) for _ in range(count)]


def test_a_letter_is_met_where_it_stands(reverse: Translator) -> None:
    sources = words(20)
    predicts, reads = meetings(reverse, sources)
    assert predicts.keys() == reads.keys()
    assert {"L1H1", "L2H4", "L1.mean", "L2.mean"} <= predicts.keys()
    # By hand: step t writes the letter that stands t from the end, and the next step reads it.
    written, read = [], []
    for source in sources:
        trace = reverse.trace(source)
        assert trace.translation == source[::-1]
        assert trace.cross is not None
        for step in range(9):
            written.append(trace.cross[1, 3, step].argmax() == 8 - step)
            read.append(trace.cross[0, 1, step + 1].argmax() == 8 - step)
    assert predicts["L2H4"] == pytest.approx(np.mean(written))
    assert reads["L1H2"] == pytest.approx(np.mean(read))
    assert min(predicts["L2H4"], reads["L1H2"]) > 0.95
    assert max(predicts["L1H2"], reads["L2H4"]) < 0.4
    opening = opening_of(reverse, sources)
    assert opening is not None
    assert opening.row == "predicts"
    assert opening.meets == pytest.approx(max(predicts.values()), abs=1e-3)


def test_a_head_that_reads_is_opened_on_only_if_it_is_clearly_better(
    reverse: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates: dict[str, Any] = {}
    monkeypatch.setattr("transformer.measure.opening.meetings", lambda *_: rates["both"])
    predicts = {"L1H1": 0.2, "L2H1": 0.6, "L2.mean": 0.7}
    for reads, opening in [
        (0.69 + CLEARLY, Opening("L2.mean", "predicts", 0.7, round(0.69 + CLEARLY, 3))),
        (0.71 + CLEARLY, Opening("L1H1", "reads", round(0.71 + CLEARLY, 3), 0.7)),
    ]:
        # A mean that reads is no head that a sentence could be said of.
        rates["both"] = predicts, {"L1H1": reads, "L2H1": 0.1, "L2.mean": 1.0}
        assert opening_of(reverse, []) == opening
    rates["both"] = {}, {}
    assert opening_of(reverse, []) is None


def test_only_words_that_the_lexicon_knows_count() -> None:
    knows = Lexicon((Entry("src", "never", "nie", 1.0),))
    loaded = Translator.load("en-zh", device="cpu")
    loaded.lexicon = knows
    assert opening_of(loaded, ["He gave her a red flower."]) is None


@pytest.mark.release
@pytest.mark.parametrize("name", ["en-de", "en-fr", "en-zh", "zh-en", "reverse"])
def test_shipped_models_open_where_the_eye_agrees(name: str) -> None:
    opening = Translator.load(name, device="cpu").representative_heads["cross"].opening
    assert opening is not None
    assert opening.row == "predicts"
    assert opening.meets > 0.75
    assert opening.other < opening.meets + CLEARLY


def test_an_opening_is_read_and_what_is_none_is_refused() -> None:
    given = {"head": "L3.mean", "row": "predicts", "meets": 0.8, "other": 1}
    card = {"cross": {"head": "L1H7", "role": "aligns", "row": "reads", "opening": given}}
    read = read_representative_heads(card, SIZES)
    opening = Opening("L3.mean", "predicts", 0.8, 1.0)
    assert read == {"cross": RepresentativeHead("L1H7", "aligns", "reads", opening)}
    assert read["cross"].payload() == card["cross"]
    for change, message in [
        ({"head": "L4.mean"}, "no cross head L4.mean"),
        ({"head": "L1H9"}, "no cross head L1H9"),
        ({"head": "mean"}, "'mean' is no head"),
        ({"meets": "much"}, "no opening"),
        ({"other": None}, "no opening"),
    ]:
        wrong = {"cross": {**card["cross"], "opening": {**given, **change}}}
        with pytest.raises(ValueError, match=message):
            read_representative_heads(wrong, SIZES)
