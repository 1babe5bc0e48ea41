"""What Python compresses for a page in one file is read there, to a 65,535th."""

import base64

import numpy as np
import pytest

from tests.node import run_module
from transformer.trace.packing import pack

READ = """
import { inflated } from "./assets/trace/inflate.js";
import { base64Of } from "./assets/trace/unpack.js";
import { readFileSync } from "node:fs";
const values = await inflated(JSON.parse(readFileSync(0, "utf8")));
const told = (it) => it && { ...it, data: base64Of(it.data) };
const kinds = Object.entries(values).filter(([name]) => name !== "model");
console.log(JSON.stringify(Object.fromEntries(
  kinds.map(([name, it]) => [name, Array.isArray(it) ? it.map(told) : told(it)]))));
"""


def weights(*shape: int, causal: bool) -> np.ndarray:
    scores = np.random.default_rng(1).normal(size=shape) * 3
    if causal:
        scores = np.where(np.tri(*shape[-2:], dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return (powers / powers.sum(-1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("causal", [True, False])
def test_weights_are_read_as_they_were(causal: bool) -> None:
    whole, half = weights(2, 3, 40, 40, causal=causal), weights(4, 9, 40, causal=False) / 2
    answer = run_module(
        READ,
        {
            "model": "x",
            "decoder_self": pack(whole, "uint16"),
            "cross": [None, pack(half, "uint16")],
            "encoder_self": None,
        },
    )
    for array, packed in ((whole, answer["decoder_self"]), (half, answer["cross"][1])):
        numbers = np.frombuffer(base64.b64decode(packed["data"]), "<f4").reshape(packed["shape"])
        np.testing.assert_allclose(numbers, array, atol=1 / 65535)
        np.testing.assert_allclose(numbers.sum(-1), array.sum(-1), atol=1e-5)
        assert (numbers[array == 0] == 0).all()
    assert answer["cross"][0] is None
    assert answer["encoder_self"] is None


def test_a_triangle_is_half_as_large() -> None:
    sizes = [
        sum(map(len, pack(weights(2, 3, 60, 60, causal=causal), "uint16")["data"]))
        for causal in (True, False)
    ]
    assert sizes[0] < 0.6 * sizes[1]
