"""The engine's product, compiled and plain, beside NumPy's; and its source."""

from importlib.metadata import PackageNotFoundError, version
from itertools import product
from typing import Any

import numpy as np
import pytest

from scripts import kernel
from tests.node import run_module

ROWS, WIDTHS, SIZES = (0, 1, 2, 4, 5, 15, 16, 17, 34), (1, 2, 3, 4, 7), (4, 24, 10)
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
  return { compiled: kernelOf(matrix) !== null, all: [...all], none: [...none] };
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


def test_products_are_those_of_numpy() -> None:
    every = [asked(*each) for each in product((True, False), ROWS, WIDTHS, SIZES)]
    for each, told in zip(every, run_module(MODULE, every), strict=True):
        size, features = each["size"], slice(each["start"], each["stop"])
        x = np.array(each["x"]).reshape(each["rows"], size)
        expected = x @ np.array(each["weight"]).reshape(-1, size)[features].T
        assert told["compiled"] == each["compiled"]
        np.testing.assert_allclose(told["none"], expected.ravel(), rtol=1e-5, atol=1e-5)
        expected += np.array(each["bias"])[features]
        np.testing.assert_allclose(told["all"], expected.ravel(), rtol=1e-5, atol=1e-5)


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
    text = kernel.COMPILED.read_text(encoding="utf-8")
    assert kernel.text_of(kernel.compiled()) == text
