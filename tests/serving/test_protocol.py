"""The protocol: what is checked in is what Python declares, and answers are as it says."""

import pytest

from scripts.protocol import files, protocol, read_field
from tests.serving.declared import check, check_fields
from transformer import HeadlightError, Translator
from transformer.ask.options import WholeNumber
from transformer.inside import ANALYSES
from transformer.serving import Service
from transformer.serving.wire.requests import REQUESTS
from transformer.trace.came_along import came_along

OPTIONS: dict[str, dict[str, object]] = {
    "effect": {"interventions": ["cross.L1H1=zero"]},
    "flow": {"block": "decoder.L1.feed_forward"},
    "patching": {"donor": "star"},
    "why": {"token": 20},
}
"""Options that no number alone can be, by analysis."""


def options_of(name: str) -> dict[str, object]:
    """What an analysis is asked with: `OPTIONS`, and 1 where it asks for another number."""
    given = OPTIONS.get(name, {})
    needed = {option for option, of in ANALYSES[name].options.items() if type(of) is WholeNumber}
    return dict.fromkeys(needed, 1) | given


def test_what_is_checked_in_is_what_is_declared() -> None:
    stale = [path.name for path, text in files().items() if path.read_text("utf-8") != text]
    assert not stale, "run: python scripts/protocol.py"


def test_the_server_answers_what_it_is_declared_to_answer() -> None:
    declared = {name for name, request in REQUESTS.items() if "server" in request.by}
    assert Service()._forms.keys() == declared


@pytest.mark.parametrize("name", ANALYSES)
def test_an_answer_is_as_the_protocol_says(name: str, translator: Translator) -> None:
    declared = protocol()["analyses"][name]["answer"]
    shipped, source = ("en-zh", "I love you.") if name == "learnt_from" else ("reverse", "moon")
    model = Translator.load(came_along("checkpoints") / shipped)
    asked = [(model, source), (translator, "I love you.")]
    suited = [each for each in asked if set(ANALYSES[name].needs) <= each[0].offers]
    assert suited
    for model, source in suited[: 1 if name == "patching" else None]:  # whose donor fits
        trace = model.trace(source, max_steps=6)
        answer = ANALYSES[name].answer(ANALYSES[name].read(options_of(name)), model, trace)
        check_fields(answer, declared, {"src": len(trace.src), "tgt": len(trace.tgt_in)})


def test_a_record_is_checked_to_its_leaves() -> None:
    declared = protocol()["analyses"]["why"]["answer"]["readings"]
    reading = {"name": "value_zeroing", "layer": 0}
    check([reading, reading | {"layer": None}], declared, {})
    for wrong in ({"layer": "0"}, {"name": None}, {"name": "zeroing"}, {"more": 1}):
        with pytest.raises(AssertionError):
            check([reading, reading | wrong], declared, {})
    line = protocol()["records"]["NearestLine"]
    assert (line["tokens"]["axes"], line["same_token"]["dtype"]) == (["tokens"], "flag")


def test_fields_are_read_from_their_short_form() -> None:
    assert read_field("float32? {kind} [layer, head] nats") == {
        "dtype": "float32",
        "nullable": True,
        "by": "kind",
        "axes": ["layer", "head"],
        "unit": "nats",
    }
    with pytest.raises(ValueError, match="no field"):
        read_field("float32 (layer)")


def test_a_lack_of_an_encoder_is_refused_by_the_needs_alone() -> None:
    root = came_along("assets").parent
    paths = [*(root / "transformer").rglob("*.py"), *(root / "assets" / "engine").rglob("*.js")]
    raising = [path for path in paths if '"no_encoder"' in path.read_text(encoding="utf-8")]
    assert raising == [root / "transformer" / "ask" / "needs.py"]


def test_a_model_that_lacks_what_is_needed_is_told_in_a_sentence(continuer: Translator) -> None:
    trace = continuer.trace("I love you.", max_steps=4)
    for name, code in (("decoder_lens", "no_encoder"), ("learnt_from", "no_training_text")):
        analysis = ANALYSES[name]
        with pytest.raises(HeadlightError, match="cannot be asked this: ") as refused:
            analysis.answer(analysis.read(options_of(name)), continuer, trace)
        assert refused.value.code == code
