"""What the engine computes with, compiled and plain, beside NumPy's; and its source."""

from importlib.metadata import PackageNotFoundError, version
from itertools import product
from typing import Any

import numpy as np
import pytest

from scripts import kernel
from tests.node import run_module

ROWS, WIDTHS, SIZES = (0, 1, 2, 4, 5, 15, 16, 17, 34), (1, 2, 3, 4, 7), (4, 24, 28, 32, 10)
"""Every remainder of what is computed at once, and a size that is no multiple of four."""

# Weights that lie one after the other in the kernel's memory, or each in an array of its own.
MODULE = """
import { readFileSync } from "node:fs";
import { kernelOf, roomFor } from "./assets/engine/model/kernel.js";
import { product } from "./assets/engine/model/product.js";

const asked = JSON.parse(readFileSync(0, "utf8"));
const found = asked.map(({ compiled, x, rows, size, weight, bias, start, stop }) => {
  const width = bias.length;
  const own = (length) => new Float32Array(length);
  const room = compiled ? roomFor([[3], [width], [width, size]]) : own;
  room(3).fill(NaN);
  const held = room(width);
  held.set(bias);
  const matrix = room(width * size);
  matrix.set(weight);
  const [all, none] = [held, null].map((bias) =>
    product(Float32Array.from(x), rows, size, matrix, bias, start, stop));
  const kernel = kernelOf(matrix);
  const fused = kernel?.isFused ?? false;
  return { compiled: kernel !== null, fused, all: [...all], none: [...none] };
});
process.stdout.write(JSON.stringify(found));
"""


def asked(compiled: bool, rows: int, width: int, size: int) -> dict[str, Any]:
    """A product of some features in the midst, of numbers drawn by lot."""
    draw = np.random.default_rng(53)
    start = (rows + size) % width
    return {
        "compiled": compiled,
        "rows": rows,
        "size": size,
        "start": start,
        "stop": max(start + 1, width - rows % 2),
        "x": draw.normal(size=rows * size).tolist(),
        "weight": draw.normal(size=width * size).tolist(),
        "bias": draw.normal(size=width).tolist(),
    }


LOG_SUMS = """
import { readFileSync } from "node:fs";
import { roomFor } from "./assets/engine/model/kernel.js";
import { logSum } from "./assets/engine/model/product.js";

const rows = JSON.parse(readFileSync(0, "utf8")).map((row) =>
  row.map((x) => x ?? Number.NEGATIVE_INFINITY));
const room = roomFor([[4, 4], ...rows.map(({ length }) => [length])]);
const held = rows.map((row) => {
  const there = room(row.length);
  there.set(row);
  return there;
});
const of = (each) => each.map((row) => logSum(Float32Array.from(row)));
const told = { compiled: held.map(logSum), plain: of(rows) };
process.stdout.write(JSON.stringify(told, (_, x) => (Number.isNaN(x) ? "NaN" : x)));
"""


# Node.js has what multiplies and adds at once, but some releases only if they are told.
FUSED = """
import { setFlagsFromString } from "node:v8";
setFlagsFromString("--experimental-wasm-relaxed-simd");
"""

# As a browser that has not.
UNFUSED = """
WebAssembly.validate = () => false;
"""


@pytest.mark.parametrize("fused", [False, True])
def test_products_are_those_of_numpy(fused: bool) -> None:
    every = [asked(*each) for each in product((True, False), ROWS, WIDTHS, SIZES)]
    module = (FUSED if fused else UNFUSED) + MODULE
    for each, result in zip(every, run_module(module, every), strict=True):
        assert result["fused"] == (fused and each["compiled"])
        size, features = each["size"], slice(each["start"], each["stop"])
        x = np.array(each["x"]).reshape(each["rows"], size)
        expected = x @ np.array(each["weight"]).reshape(-1, size)[features].T
        assert result["compiled"] == each["compiled"]
        np.testing.assert_allclose(result["none"], expected.ravel(), rtol=1e-5, atol=1e-5)
        expected += np.array(each["bias"])[features]
        np.testing.assert_allclose(result["all"], expected.ravel(), rtol=1e-5, atol=1e-5)


# What else is compiled. Weights lie in the kernel's memory, or, without one, in their own arrays.
OTHERS = """
import { readFileSync } from "node:fs";
import { attentionScores, gathered } from "./assets/engine/model/attention.js";
import { kernelOf, roomFor } from "./assets/engine/model/kernel.js";
import { LayerNorm, LinearOfFew } from "./assets/engine/model/modules.js";
import { logSum, productByRow } from "./assets/engine/model/product.js";

const asked = JSON.parse(readFileSync(0, "utf8"));
const found = asked.map(({ compiled, rows, keys, size, width, heads, ...numbers }) => {
  const { x, y, z, weight, bias, attended } = numbers;
  const own = (length) => new Float32Array(length);
  const room = compiled ? roomFor([[width, size], [width], [width]]) : own;
  const held = (numbers) => {
    const there = room(numbers.length);
    there.set(numbers);
    return there;
  };
  const matrix = held(weight);
  const vectors = held(bias);
  const kernel = kernelOf(matrix);
  const tensor = (shape, numbers) => ({ shape, values: Float32Array.from(numbers) });
  const [one, other] = [tensor([rows, size], x), tensor([keys, size], y)];
  const sums = [];
  const changed = [];
  productByRow(one, matrix, vectors, (row, logits) => {
    logits[0] = Number.NEGATIVE_INFINITY;
    sums[row] = logSum(logits);
    changed[row] = logits[width - 1];
  });
  const half = room(width).fill(0.5);
  const norm = new LayerNorm((name) => (name === "n.weight" ? vectors : half), "n", width);
  const normed = norm.forward(tensor([rows, width], z));
  const scores = attentionScores(one, other, heads, kernel);
  const weights = tensor([heads, rows, keys], attended);
  const read = (name) => (name === "f.weight" ? matrix : vectors);
  const few = new LinearOfFew(read, "f", size, width).forward(tensor([rows, size], x));
  return {
    compiled: kernel !== null,
    ...{ sums, changed, normed: [...normed.values], few: [...few.values] },
    scores: [...scores.values],
    mean: [...gathered(weights, other, kernel).values],
  };
});
process.stdout.write(JSON.stringify(found));
"""


def drawn(compiled: bool, rows: int, keys: int, width: int, heads: int) -> dict[str, Any]:
    """Numbers drawn by lot, half of them 0, one of them large."""
    draw = np.random.default_rng(54)
    size = 16
    x = draw.normal(size=(rows, size)) * draw.integers(0, 2, (rows, size))
    return {
        "compiled": compiled,
        "rows": rows,
        "keys": keys,
        "size": size,
        "width": width,
        "heads": heads,
        "x": x.ravel().tolist(),
        "y": draw.normal(size=keys * size).tolist(),
        "z": draw.normal(size=rows * width).tolist(),
        "weight": draw.normal(size=width * size).tolist(),
        "bias": [*draw.normal(size=width - 1).tolist(), 60],
        "attended": draw.random(heads * rows * keys).tolist(),
    }


def test_what_else_is_compiled_is_what_numpy_says() -> None:
    # Heads and widths that are multiples of four, and others; more rows than there is room for.
    sizes = ((1, 1, 8, 2), (5, 7, 300, 4), (3, 2, 7, 8), (50, 60, 8, 4))
    every = [drawn(compiled, *each) for compiled in (True, False) for each in sizes]
    for each, result in zip(every, run_module(OTHERS, every), strict=True):
        rows, keys, width, heads = (each[name] for name in ("rows", "keys", "width", "heads"))
        x, y = (np.array(each[name]).reshape(-1, 16) for name in ("x", "y"))
        z = np.array(each["z"]).reshape(rows, width)
        variance = z.var(-1, keepdims=True)
        bias = np.array(each["bias"])
        expected = x @ np.array(each["weight"]).reshape(width, 16).T + bias
        one, other = (v.reshape(len(v), heads, -1).transpose(1, 0, 2) for v in (x, y))
        weights = np.array(each["attended"]).reshape(heads, rows, keys)
        arrays: dict[str, Any] = {
            "few": expected,
            "changed": expected[:, -1],
            "sums": np.log(np.exp(expected[:, 1:]).sum(-1)),
            "normed": (z - z.mean(-1, keepdims=True)) / np.sqrt(variance + 1e-5) * bias + 0.5,
            "scores": one @ other.transpose(0, 2, 1) / np.sqrt(16 / heads),
            "mean": (weights @ other).transpose(1, 0, 2),
        }
        assert result["compiled"] == each["compiled"]
        for name, numbers in arrays.items():
            values = np.array(result[name])
            np.testing.assert_allclose(values, numbers.ravel(), rtol=1e-5, atol=1e-5, err_msg=name)


def test_an_impossible_logit_makes_a_sum_of_the_others() -> None:
    """Of rows that hold −∞, nothing else, NaN: the kernel and plain JavaScript say the same."""
    rows = [[-1e38, 3, 2, 1, 0.5], [None, None, None], [0, None], [-200, -300, -100.5, -101]]
    sums = run_module(LOG_SUMS, rows)
    compiled, plain = (np.array(sums[name], float) for name in ("compiled", "plain"))
    np.testing.assert_allclose(compiled, plain, rtol=1e-6, equal_nan=True)


def test_many_equal_logits_are_not_all_rounded_to_one_side() -> None:
    sums = run_module(LOG_SUMS, [[0, *[-1.2] * 40_000]])
    expected = np.log(1 + 40_000 * np.exp(-1.2))
    np.testing.assert_allclose([*sums["compiled"], *sums["plain"]], expected, rtol=1e-6)


def test_the_compiled_bytes_are_of_this_source() -> None:
    assert kernel.source_hash() in kernel.COMPILED.read_text(encoding="utf-8"), (
        "kernel.c was changed: `make kernel` compiles it"
    )


def test_the_compiler_writes_these_bytes() -> None:
    name, release = kernel.COMPILER.split("==")
    try:
        installed = version(name)
    except PackageNotFoundError:
        installed = "none"
    if installed != release:
        pytest.skip(f"{kernel.COMPILER} is not installed, but {installed}")
    assert kernel.text() == kernel.COMPILED.read_text(encoding="utf-8")
