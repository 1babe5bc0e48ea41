"""What the viewer works out of a trace alone is what Python says of it, to its last digit."""

import unicodedata
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.node import run_module
from tests.tiny import SENTENCES, tiny_checkpoint
from transformer import Tokenizer, Translator, inside
from transformer.trace.trace import AttentionTrace
from transformer.trace.words import word_texts, words_of

WORK_OUT = """
import { readFileSync } from "node:fs";
import { measureHeads } from "./assets/trace/measured.js";
import { rollout } from "./assets/trace/rollout.js";
import { parseTrace } from "./assets/trace/trace.js";
import { wordsOf } from "./assets/trace/whole_words.js";
const { traces, labels } = JSON.parse(readFileSync(0, "utf8"));
const found = traces.map(parseTrace).map((trace) => {
  const { data, ...shape } = rollout(trace);
  return { statistics: measureHeads(trace), rollout: { ...shape, data: [...data] } };
});
console.log(JSON.stringify({ found, words: labels.map(wordsOf) }));
"""
SHIPPED = {
    "en-zh": "He gave her a red flower, and then - silence.",
    "zh-en": "我有一只猫。",
    "en-fr": "I have a dog.",
    "tang": "床前明月光",
    "reverse": "headlight",
    "repeat": "planet",
}
CHANGES = (
    ("cross.L1H2=zero", "encoder_self.L2=zero"),
    ("causal=off",),
    ("causal=inverted",),
    ("decoder_self=first", "temperature=0.5"),
)
FINE, ROUNDED = 1e-6, 5e-3
"""Half precision keeps three digits, and an entropy adds up a row of them."""


def work_out(traces: list[AttentionTrace], labels: list[list[str]], dtype: Any) -> Any:
    values = {"traces": [each.to_dict(dtype) for each in traces], "labels": labels}
    return run_module(WORK_OUT, values)


@cache
def traces() -> list[AttentionTrace]:
    examples = [Translator.load(name).trace(text) for name, text in SHIPPED.items()]
    tokenizer = Tokenizer.train([*SENTENCES, "a-b, c! (d)"], 120, character_coverage=1.0)
    tiny = Translator(tiny_checkpoint(tokenizer, "tiny"))
    poet = Translator(tiny_checkpoint(tokenizer, "poet", num_encoder_layers=0))
    examples += [tiny.trace("I love you.", interventions=each) for each in ((), *CHANGES)]
    return [*examples, poet.trace("I, you."), tiny.trace("I", max_steps=1)]


@pytest.mark.parametrize(("dtype", "most"), [("float32", FINE), ("float16", ROUNDED)])
def test_heads_and_rollout(dtype: str, most: float) -> None:
    for trace, figures in zip(traces(), work_out(traces(), [], dtype)["found"], strict=True):
        weights = inside.rollout(trace).weights
        layers, size, _ = weights.shape
        shape = (
            figures["rollout"]["layers"],
            figures["rollout"]["queries"],
            figures["rollout"]["keys"],
        )
        assert shape == (layers, size, size)
        np.testing.assert_allclose(figures["rollout"]["data"], weights.ravel(), atol=most)
        expected = inside.statistics(trace).payload()
        agree(figures["statistics"], expected, most, trace.model)


def agree(actual: Any, expected: Any, most: float, place: str) -> None:
    match expected:
        case dict():
            assert actual.keys() == expected.keys(), place
            for key, value in expected.items():
                # A head that is just about clear may be just about unclear once it is rounded.
                if key != "roles" or most == FINE:
                    agree(actual[key], value, most, f"{place}.{key}")
        case list():
            for i, (one, other) in enumerate(zip(actual, expected, strict=True)):
                agree(one, other, most, f"{place}[{i}]")
        case float():
            assert actual == pytest.approx(expected, abs=most, rel=most), place
        case _:
            assert actual == expected, place


def test_words_of_both_sides() -> None:
    sides = [list(side) for trace in traces() for side in (trace.src, trace.tgt_in, trace.tgt_out)]
    odd = ["␣", "␣Don", "'", "t", "␣", "-", "--", "␣…", "人々", "ー", "ス", "﷽", "<pad>", "🙂", "é"]
    # Every letter of the scripts in question, and of some beside them, as a token after another.
    characters = [chr(i) for block in (0xE00, 0x2E80, 0x3000, 0x3040, 0xFF00) for i in
                  range(block, block + 0x100) if unicodedata.category(chr(i)) != "Cn"]  # fmt: skip
    pairs = [["␣ab", character] for character in characters]
    sides += [
        odd,
        odd[::-1],
        ["h", "e", "</s>"],
        ["𠀀", "b"],
        [],
        *map(list, pairwise(odd)),
        *pairs,
    ]
    answers = work_out([], sides, "float32")["words"]
    for labels, answer in zip(sides, answers, strict=True):
        pieces = words_of(labels)
        assert answer["pieces"] == [list(word) for word in pieces], labels
        assert answer["words"] == list(word_texts(labels, pieces)), labels
