import assert from "node:assert/strict";
import test from "node:test";
import { rolloutMap } from "../../assets/questions/rollout/rollout_map.js";
import { rollout } from "../../assets/trace/rollout.js";
import { makeTrace } from "./traces.js";

test("rollout says of each token, a row, what it is made of, the columns", () => {
  const trace = makeTrace();
  const { encoder_self } = trace.weights;
  assert(encoder_self);
  // Every head of every layer looks at the first token alone.
  encoder_self.data.forEach((_, i, data) => {
    data[i] = Number(i % 3 === 0);
  });
  const map = rolloutMap(trace, rollout(trace), 1, (key) => key);
  assert.deepEqual(map.rows, [["axis.queries", trace.src]]);
  assert.equal(map.heading, "layers.made_of");
  // The last token is made of itself and of the first, which is made of itself alone.
  assert.deepEqual([...map.numbers.values.slice(0, 3)], [1, 0, 0]);
  assert.deepEqual([...map.numbers.values.slice(6)], [0.75, 0, 0.25]);
});
