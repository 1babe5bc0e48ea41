import assert from "node:assert/strict";
import test from "node:test";
import { measureHeads } from "../../assets/trace/measured.js";
import { roleOf } from "../../assets/trace/roles.js";

const READ = ["<s>", "a", "b", "c", "d", "a", "b", "c", "d", "a"];

test("induction is the token after an earlier copy of the one being read", () => {
  const keys = READ.map((_, query) =>
    READ.flatMap((_, key) => {
      const role = key <= query ? roleOf("decoder_self", query, key, READ) : null;
      return role === "induction" ? [key] : [];
    }),
  );
  assert.deepEqual(keys, [[], [], [], [], [], [2], [3], [4], [5], [2, 6]]);
  assert.equal(roleOf("decoder_self", 2, 2, ["<s>", "a", "a"]), null);
  assert.equal(roleOf("encoder_self", 5, 2, READ), null);
});

/**
 * A head that gives 0.9 to what came next before, where there is such.
 *
 * @param {number} length
 */
function measured(length) {
  const values = new Float32Array(length * length);
  for (let row = 0; row < length; row++) {
    values[row * length] = row < 5 ? 1 : 0.1;
    if (row >= 5) values[row * length + row - 3] = 0.9;
  }
  const weights = {
    layers: 1,
    heads: 1,
    queries: length,
    keys: length,
    causal: true,
    data: values,
  };
  const trace = { src: [], tgt_in: READ.slice(0, length), weights: { decoder_self: weights } };
  return /** @type {any} */ (measureHeads(/** @type {any} */ (trace)).decoder_self);
}

test("it is told from four rows on", () => {
  const long = measured(READ.length);
  assert.equal(long.measures.induction[0][0].toFixed(6), "0.900000");
  const chance = (1 / 6 + 1 / 7 + 1 / 8 + 1 / 9 + 2 / 10) / 5;
  assert.equal(long.by_chance.induction.toFixed(9), chance.toFixed(9));
  assert.equal(long.roles[0][0], "induction");
  const short = measured(8);
  assert.equal(short.measures.induction[0][0], null);
  assert.equal(short.by_chance.induction, null);
  assert.equal(short.roles[0][0], "first");
});
