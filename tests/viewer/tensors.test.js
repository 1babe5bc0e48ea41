import assert from "node:assert/strict";
import test from "node:test";
import { zeros } from "../../assets/engine/model/tensors.js";

test("a new tensor is zeros, and nobody else's numbers", () => {
  // More than fit side by side, and, among them, some that do not.
  const sizes = Array.from({ length: 600 }, (_, i) => (i % 50 ? 1 + ((i * 37) % 400) : 3_000));
  const tensors = sizes.map((size, i) => {
    const tensor = zeros(size, 2);
    assert.equal(tensor.values.length, 2 * size);
    assert(tensor.values.every((x) => x === 0));
    tensor.values.fill(i + 1);
    return tensor;
  });
  for (const [i, { values }] of tensors.entries()) assert(values.every((x) => x === i + 1));
});
