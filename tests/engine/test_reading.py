"""What the page reads off traces by itself, and what an analysis costs: as Python has it."""

from typing import Any, get_args

import numpy as np
import pytest

from tests.engine.engine import Engine
from transformer import Translator
from transformer.ask.cost import SIZES, passes
from transformer.inside import ANALYSES
from transformer.inside.alignment import alignment
from transformer.inside.comparison import compare
from transformer.trace.head_names import Row
from transformer.trace.kinds import KINDS

SOURCES = ["He gave her a red flower.", "He gave him a red book."]
HEAD = {"layer": 1, "head": 3}
COSTS = sorted({each.cost for each in ANALYSES.values()} | {*SIZES})


@pytest.fixture(scope="module")
def answer(engine: Engine) -> dict[str, Any]:
    """What the page reads."""
    asked = {"ask": "read", "model": "en-zh", "sources": SOURCES, "head": HEAD, "costs": COSTS}
    return engine.ask(asked)


@pytest.fixture(scope="module")
def own() -> list[Any]:
    """The same traces, in Python."""
    translator = Translator.load("en-zh", "cpu")
    return [translator.trace(source) for source in SOURCES]


def test_every_cost_comes_to_the_same(answer: dict[str, Any], own: list[Any]) -> None:
    assert answer["passes"] == [passes(cost, own[0]) for cost in COSTS]
    assert len(set(answer["passes"])) > len(SIZES) / 2


def test_words_are_linked_alike(answer: dict[str, Any], own: list[Any]) -> None:
    for row in get_args(Row):
        expected = alignment(own[0], 1, 3, row)
        assert {(i, j) for i, j in answer["links"][row]} == expected.links


def test_two_traces_differ_alike(answer: dict[str, Any], own: list[Any]) -> None:
    comparison = compare(own[0], own[1])
    for kind in KINDS:
        difference = answer["differences"][kind]
        theirs = comparison.of(kind)
        assert theirs is not None
        np.testing.assert_allclose(difference["values"], theirs[1, 3], atol=1e-5)
        rows = comparison.src if kind == "encoder_self" else comparison.emitted
        columns = comparison.read if kind == "decoder_self" else comparison.src
        assert [*map(tuple, difference["rows"])] == [*rows]
        assert [*map(tuple, difference["columns"])] == [*columns]
