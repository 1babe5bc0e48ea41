import assert from "node:assert/strict";
import test from "node:test";
import { clearest, headRows, mostHarmful, sortRows } from "../../assets/trace/statistics.js";

const STATISTICS = {
  sentences: 3,
  encoder_self: null,
  decoder_self: {
    measures: { sharpness: [[0.9, 0.5]], previous: [[0.93, 0.3]], next: [[null, null]] },
    by_chance: { sharpness: 0.4, previous: 0.21, next: null },
    roles: [["previous", null]],
    rows: 7,
  },
  cross: {
    measures: { sharpness: [[0.7, 0.2]], end: [[0.1, 0.25]] },
    by_chance: { sharpness: 0.3, end: 0.1 },
    roles: [[null, null]],
    rows: 7,
  },
};

test("a row tells a head's role beside what chance would give", () => {
  const rows = headRows(STATISTICS, { cross: [[-1.5, 0.25]] });
  assert.equal(rows.length, 4);
  const { kind, layer, head, role, share, chance } = rows[0];
  assert.deepEqual(
    [kind, layer, head, role, share, chance],
    ["decoder_self", 0, 0, "previous", 0.93, 0.21],
  );
  assert.deepEqual([rows[1].role, rows[1].share], [null, null]);
  assert.equal(rows[2].numbers.harm, -1.5);
  assert.equal(rows[0].numbers.harm, null);
});

test("rows are sorted either way, and those without a number come last", () => {
  const rows = headRows(STATISTICS, { cross: [[-1.5, 0.25]] });
  const names = (/** @type {string} */ by) =>
    sortRows(rows, by).map((row) => `${row.kind}${row.head}`);
  assert.deepEqual(names("-sharpness"), ["decoder_self0", "cross0", "decoder_self1", "cross1"]);
  assert.deepEqual(names("end").slice(0, 2), ["cross0", "cross1"]);
  assert.deepEqual(names("-end").slice(0, 2), ["cross1", "cross0"]);
  assert.equal(sortRows(rows, "constructor"), rows);
  assert.equal(sortRows(rows, "head"), rows);
});

test("a role is named only where it clearly exceeds chance", () => {
  const rows = headRows(STATISTICS, { cross: [[-1.5, 0.25]] });
  const best = clearest(rows, STATISTICS, "previous");
  assert.deepEqual([best?.row.head, best?.share, best?.chance], [0, 0.93, 0.21]);
  assert.equal(clearest(rows, STATISTICS, "end"), null); // 0.25 against 0.1
  assert.equal(clearest(rows, STATISTICS, "next"), null);
  assert.equal(mostHarmful(rows)?.kind, "cross");
  assert.equal(mostHarmful(headRows(STATISTICS, {})), null);
  assert.equal(mostHarmful(headRows(STATISTICS, { cross: [[0.5, 0.25]] })), null);
  assert.equal(mostHarmful(headRows(STATISTICS, { cross: [[-0.004, 0.25]] })), null); // "0.00 nats"
});
