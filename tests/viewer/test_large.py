"""A large trace as Python sends it says on the page what the same trace says that is sent whole."""

import json
from typing import Any

import numpy as np
import pytest

import headlight
from tests.node import run_module
from transformer.serving.guests.large import large
from transformer.trace.trace import AttentionTrace

READ = """
import { addHeads, parseLarge } from "./assets/trace/large.js";
import { inflated } from "./assets/trace/inflate.js";
import { measureHeads } from "./assets/trace/measured.js";
import { smallOf } from "./assets/trace/thumbnails.js";
import { parseTrace, openingHead } from "./assets/trace/trace.js";
import { everyHead, parseHead } from "./assets/trace/choice.js";
import { head, headIndex, isHere } from "./assets/trace/weights.js";
import { readFileSync } from "node:fs";
const { whole, first, more, kind, names } = JSON.parse(readFileSync(0, "utf8"));
const own = parseTrace(await inflated(whole));
const trace = await parseLarge(first);
const weights = trace.weights[kind];
const opening = openingHead(own, kind);
const came = everyHead(weights).filter((choice) => isHere(weights, choice));
await addHeads(trace, more);
const gap = (one, other) => Math.max(...one.map((x, i) => Math.abs(x - other[i])));
const { rows, keys, bytes } = weights.thumbnails;
console.log(JSON.stringify({
  opening, came,
  gaps: names.map((name) => gap(
    head(own.weights[kind], parseHead(name)), head(weights, parseHead(name)))),
  small: everyHead(weights).map(({ layer, head: number }) => {
    const at = headIndex(weights, layer, number) * rows * keys;
    const made = smallOf(head(own.weights[kind], { layer, head: number }), own.weights[kind]);
    return gap(made.bytes, bytes.subarray(at, at + rows * keys));
  }),
  measured: [own, trace].map((one) => measureHeads(one)[kind]),
}));
"""


def dirichlet(*shape: int) -> Any:
    return np.random.default_rng(3).dirichlet(np.full(shape[-1], 0.3), shape[:-1]).astype("f4")


def decoder() -> AttentionTrace:
    """Two layers of three heads."""
    tokens = [f"w{number % 9}" for number in range(40)]
    scores = np.random.default_rng(2).normal(size=(2, 1, 3, 40, 40)) * 3
    powers = np.where(np.tri(40, dtype=bool), np.exp(scores), 0)
    weights = (powers / powers.sum(-1, keepdims=True)).astype(np.float32)
    return headlight.view([*weights], tokens, causal=True)


def ragged() -> AttentionTrace:
    """Layers of two heads, of none, and of three."""
    tokens = ["[CLS]", *(f"w{number}" for number in range(8)), "."]
    return headlight.view([dirichlet(2, 10, 10), None, dirichlet(3, 10, 10)], tokens, 2)


@pytest.mark.parametrize(
    ("trace", "kind", "names"),
    [
        (decoder(), "decoder_self", ["L2H3", "L1H1", "L1.mean", "H2.max", "mean", "mean.max"]),
        (ragged(), "encoder_self", ["L1H2", "L3H3", "L3.max", "H3.mean", "max", "max.mean"]),
    ],
)
def test_a_large_trace_says_what_a_whole_one_says(
    trace: AttentionTrace, kind: str, names: list[str]
) -> None:
    answered = large(trace, {"guest": {}})
    answer = run_module(
        READ,
        {
            "whole": trace.to_dict("uint16"),
            "first": json.loads(answered.trace([])),
            "more": json.loads(answered.weights([f"{kind}.{name}" for name in names]))["weights"],
            "kind": kind,
            "names": names,
        },
    )
    # At first there is the head that the page opens with, and no other.
    assert answer["came"] == [answer["opening"]]
    assert max(answer["gaps"]) <= 2 / 65535
    assert max(answer["small"]) <= 1
    one, other = answer["measured"]
    assert one["roles"] == other["roles"]
    assert one["rows"] == other["rows"]
    assert one["measures"].keys() == other["measures"].keys()
    for name, layers in one["measures"].items():
        for mine, its in zip(layers, other["measures"][name], strict=True):
            assert mine == pytest.approx(its, abs=2e-4), name
