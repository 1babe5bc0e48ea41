"""The first minute of each shipped model works with the weights that are shipped."""

from pathlib import Path
from typing import Any

import pytest

from tests.tiny import tiny_checkpoint
from transformer import Tokenizer, Translator, checkpoint
from transformer.__main__ import main
from transformer.measure.first_minute import (
    CLEAR_CHANGE,
    CLEAR_LOOK,
    LONGEST,
    Measured,
    Start,
    measure,
    opening_weights,
)

NAMES = (
    "reverse",
    *(
        pytest.param(name, marks=pytest.mark.release)
        for name in ("en-de", "en-fr", "en-zh", "zh-en")
    ),
)


@pytest.fixture(scope="module", params=NAMES)
def shipped(request: pytest.FixtureRequest) -> Translator:
    return Translator.load(request.param, device="cpu")


def works(translator: Translator, start: dict[str, Any]) -> Measured | None:
    """What is measured of a card's "start"; None if it does not work with these weights."""
    wanted = Start(**start)
    return next((each for each in measure(translator, wanted.source) if each.start == wanted), None)


def test_what_the_card_promises_is_what_the_model_does(shipped: Translator) -> None:
    start: dict[str, Any] = shipped.card["start"]
    trace, step = shipped.trace(start["source"]), start["step"] - 1
    assert len(trace.src) - 1 <= LONGEST
    assert step > 0

    # The strongest cell of what the page opens on, and so the end of the beam, is the word.
    looked_at = int(opening_weights(trace)[step].argmax())
    assert trace.src[looked_at].strip("␣") in start["word"]
    # Led to the other word, the step says something else, and the translation is another.
    key = next(i for i, piece in enumerate(trace.src) if piece.strip("␣") == start["elsewhere"])
    led = shipped.trace(start["source"], interventions=[f"cross@{step + 1}=aim:{key + 1}"])
    now, emitted = led.candidates[step][0], trace.candidates[step][0]
    before = {candidate.id: candidate.probability for candidate in trace.candidates[step]}
    assert now.id != emitted.id
    assert now.probability - before.get(now.id, 0) >= CLEAR_CHANGE
    assert led.translation != trace.translation

    measured = works(shipped, start)
    assert measured is not None
    assert measured.weight >= CLEAR_LOOK
    assert measured.without.id != emitted.id
    assert measured.translations == (trace.translation, led.translation)


@pytest.mark.parametrize(
    "lie", [{"step": 1}, {"step": 40}, {"word": "."}, {"elsewhere": "."}, {"source": "Hello."}]
)
def test_a_card_that_lies_is_found_out(lie: dict[str, Any]) -> None:
    translator = Translator.load("reverse", device="cpu")
    assert works(translator, translator.card["start"]) is not None
    assert works(translator, translator.card["start"] | lie) is None


def test_a_model_on_which_it_never_works_has_none(
    tokenizer: Tokenizer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tiny"
    loaded = tiny_checkpoint(tokenizer)
    loaded.card["start"] = {"source": "I love you.", "step": 2, "word": "you", "elsewhere": "I"}
    checkpoint.save(folder, loaded)
    assert main(["describe", str(folder), "--only", "start", "--save"]) == 1
    assert "no sentence" in capsys.readouterr().out
    card = checkpoint.read_card(folder)
    assert "start" not in card
    assert card["examples"] == loaded.card["examples"]
