"""The protocol: what is checked in is what Python declares, and answers are as it says."""

from typing import Any, cast

import pytest

from scripts.protocol import PACKED, files, protocol, read_field
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
        assert answer.keys() == declared.keys()
        sizes = {"src": len(trace.src), "tgt": len(trace.tgt_in)}
        for field, value in answer.items():
            check(value, declared[field], sizes)


def check(value: Any, declared: dict[str, Any], sizes: dict[str, int]) -> None:
    """One field: its type, and its axes, of which those of one name are of one size."""
    if value is None:
        assert declared["nullable"]
        return
    each = [*value.values()] if declared["by"] else [value]
    for one in each:
        if declared["dtype"] in PACKED:
            assert one["dtype"] == declared["dtype"]
            shape = one["shape"]
        else:
            shape = shape_of(one, declared["dtype"], len(declared["axes"]))
        assert len(shape) == len(declared["axes"])
        for axis, size in zip(declared["axes"], shape, strict=True):
            if not declared["by"] and size is not None:
                assert sizes.setdefault(axis, size) == size, axis


TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "number_or_null": (int, float, type(None)),
    "object": (dict,),
}


def shape_of(value: object, dtype: str, axes: int) -> list[int | None]:
    """The size of each axis of nested lists; None of one along which they are ragged."""
    shape: list[int | None] = []
    level = [value]
    for _ in range(axes):
        assert all(isinstance(each, list | tuple) for each in level)
        lists = cast(list[list[object]], level)
        lengths = {len(each) for each in lists}
        shape.append(lengths.pop() if len(lengths) == 1 else None)
        level = [item for each in lists for item in each]
    assert all(isinstance(each, TYPES[dtype]) for each in level)
    return shape


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
