import assert from "node:assert/strict";
import test from "node:test";
import { agreeing } from "../../assets/kit/equation.js";
import { briefText, numberText, smallText } from "../../assets/kit/numbers.js";

test("a calculator that is given what is written shows what is written", () => {
  const less = (/** @type {number} */ one, /** @type {number} */ all) => Math.exp(one - all);
  const read = (/** @type {string} */ text) => Number(text.replace("−", "-"));
  // With two decimals, 13.95 − 14.02, a calculator says 0.932.
  const terms = agreeing([13.9537, 14.0177], less, smallText);
  assert.deepEqual(terms, ["13.954", "14.018"]);
  assert.equal(smallText(less(read(terms[0]), read(terms[1]))), "0.938");
  let seed = 7;
  const next = () => {
    seed = (seed * 48271) % 2147483647;
    return (40 * seed) / 2147483647 - 20;
  };
  for (let i = 0; i < 500; i++) {
    const [one, other] = [next(), next()];
    const cases = /** @type {const} */ ([
      [less, Math.min(one, other), Math.max(one, other), smallText],
      [
        (/** @type {number} */ x, /** @type {number} */ y) => x / y,
        one,
        Math.abs(other) + 1,
        briefText,
      ],
      [(/** @type {number} */ x, /** @type {number} */ y) => x / y, one, Math.sqrt(32), numberText],
    ]);
    for (const [compute, x, y, write] of cases) {
      const [a, b] = agreeing([x, y], compute, write);
      assert.equal(write(compute(read(a), read(b))), write(compute(x, y)), `${a} ${b}`);
    }
  }
});
