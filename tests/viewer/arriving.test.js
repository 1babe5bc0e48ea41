import assert from "node:assert/strict";
import test from "node:test";
import { NO_ANSWER } from "../../assets/state/problem.js";
import { arrivingActions, holding } from "../../assets/state/server/arriving.js";
import { createStore } from "../../assets/state/store.js";
import { measureHeads } from "../../assets/trace/measured.js";
import { base64Of } from "../../assets/trace/unpack.js";
import { head, headWeights, isHere, strongestHead, weightsOf } from "../../assets/trace/weights.js";
import { makeTrace } from "./traces.js";

/** @typedef {import("../../assets/state/state.js").State} State */

const SIZE = { layers: 2, heads: 2, queries: 2, keys: 2 };
const L1H2 = { layer: 0, head: 1 };
const MEAN = /** @type {const} */ ({ layer: 1, head: "mean" });

test("of a large trace a head is read once it is here, and an aggregate is one of them", () => {
  const arrived = new Map();
  const weights = { ...weightsOf(new Float32Array(), SIZE), arrived };
  for (const choice of [L1H2, MEAN]) {
    assert.equal(isHere(weights, choice), false);
    assert.equal(head(weights, choice), null);
    assert.deepEqual(headWeights(weights, choice), new Float32Array(4));
  }
  const [one, mean] = [Float32Array.of(1, 0, 0.25, 0.75), Float32Array.of(1, 0, 0.5, 0.5)];
  arrived.set("L1H2", one).set("L2.mean", mean);
  assert.equal(head(weights, L1H2), one);
  assert.equal(head(weights, MEAN), mean);
  assert.equal(isHere(weights, L1H2) && isHere(weights, MEAN), true);
  assert.equal(isHere(weights, { layer: 0, head: 0 }), false);
});

test("which head is the strongest is known once all of them are here", () => {
  const arrived = new Map([["L1H1", Float32Array.of(1, 0, 0.25, 0.75)]]);
  const weights = { ...weightsOf(new Float32Array(), SIZE), arrived };
  assert.equal(strongestHead(weights, 1, 1, 0), null);
  arrived.set("L1H2", Float32Array.of(1, 0, 0, 1));
  assert.equal(strongestHead(weights, 1, 1, 0)?.head, 1);
  assert.equal(strongestHead(weights, 1, 1, null), null);
});

test("whole weights are here, those that a model has", () => {
  const weights = weightsOf(new Float32Array(16).fill(0.5), SIZE);
  assert.equal(isHere(weights, L1H2) && isHere(weights, MEAN), true);
  assert.equal(isHere(weights, { layer: 2, head: 0 }), false);
});

test("what was measured of a large trace's heads is what came with it", () => {
  const statistics = measureHeads(makeTrace());
  assert.equal(measureHeads({ ...makeTrace(), statistics }), statistics);
});

/**
 * A large trace, and a server that has its heads: each is even, of 1 / keys.
 *
 * @param {Partial<State>} [given]
 */
function large(given = {}) {
  const [layers, heads, queries, keys] = [3, 4, 2, 2];
  /** @type {import("../../assets/trace/weights.js").Weights} */
  const cross = {
    ...weightsOf(new Float32Array(), { layers, heads, queries, keys }),
    arrived: new Map(),
  };
  const request = { model: "guest", source: "I", prefix: [] };
  const trace = { ...makeTrace(), weights: { cross }, request };
  /** @type {string[][]} */
  const sent = [];
  const server = { kept: true };
  const looking = { heads: { cross: L1H2 }, pins: {}, kind: /** @type {const} */ ("cross") };
  const state = { ...looking, before: null, compared: null, arrivals: 0, picture: "matrix" };
  /** @type {any} */
  const store = createStore(/** @type {any} */ ({ trace, lines: {}, ...state, ...given }));
  /** @type {(request: any, signal?: AbortSignal) => Promise<any>} */
  const ask = async ({ heads, ...rest }, signal) => {
    assert.deepEqual(rest, { ask: "weights", ...request });
    sent.push(heads);
    if (!server.kept) {
      server.kept = true;
      return { waiting: { ahead: 0, seconds: 1 } };
    }
    const names = heads.map((/** @type {string} */ name) => name.replace("cross.", ""));
    const data = await Promise.all(names.map(() => gzip(EVEN)));
    const packed = { dtype: "uint16", shape: [names.length, 1, 2, 2], triangle: false, data };
    if (signal?.aborted) return { error: NO_ANSWER };
    return { weights: { cross: { names, packed } } };
  };
  const actions = arrivingActions(store, ask);
  /** Until nothing is on its way. @param {number} arrivals */
  const settled = async (arrivals) => {
    for (let turn = 0; store.get().arrivals < arrivals; turn++) {
      assert(turn < 2_000, `${store.get().arrivals} of ${arrivals} arrivals`);
      await new Promise((resume) => setTimeout(resume));
    }
  };
  return { actions, cross, sent, server, settled, store };
}

/** Four weights of a half, in two planes. */
const EVEN = Uint8Array.of(...[128, 128, 128, 128], ...[0, 0, 0, 0]);

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function gzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return base64Of(new Uint8Array(await new Response(stream).arrayBuffer()));
}

test("the head that is shown is asked for, then those of its layer", async () => {
  const { cross, sent, settled, store } = large();
  await settled(2);
  assert.deepEqual(sent, [["cross.L1H2"], ["cross.L1H1", "cross.L1H3", "cross.L1H4"]]);
  assert.equal(Math.round(1000 * (head(cross, L1H2)?.[3] ?? 0)), 500);
  store.set({ heads: { cross: { layer: 0, head: 3 } } });
  store.set({ heads: { cross: MEAN } });
  await settled(3);
  // What is here is not asked for again; of an aggregate there is no layer to be ahead of.
  assert.deepEqual(sent.slice(2), [["cross.L2.mean"]]);
  assert.equal(isHere(cross, MEAN), true);
});

test("whoever turns to another head of a layer that is on its way gets that head first", async () => {
  const { cross, sent, settled, store } = large();
  await settled(1);
  assert.deepEqual(sent.slice(1), [["cross.L1H1", "cross.L1H3", "cross.L1H4"]]);
  store.set({ heads: { cross: { layer: 0, head: 3 } } });
  await settled(3);
  assert.deepEqual(sent.slice(2), [["cross.L1H4"], ["cross.L1H1", "cross.L1H3"]]);
  assert.equal(cross.arrived?.size, 4);
  assert.equal(store.get().problem, undefined);
});

test("a view asks for what nothing shows, and a server that has to compute it anew is asked again", async () => {
  const { actions, cross, sent, server, settled } = large();
  await settled(2);
  server.kept = false;
  const last = { layer: 2, head: 0 };
  await Promise.all([actions.bringHeads("cross", [last]), actions.bringHeads("cross", [last])]);
  assert.deepEqual(sent.slice(2), [["cross.L3H1"], ["cross.L3H1"]]);
  assert.equal(isHere(cross, last), true);
  await actions.bringHeads("cross", [{ layer: 9, head: 0 }]);
  assert.equal(sent.length, 4);
});

test("the heads that were looked at last are kept, within so many bytes", () => {
  const arrived = new Map();
  const weights = { ...weightsOf(new Float32Array(), SIZE), arrived };
  const { touch } = holding(40);
  for (const name of ["L1H1", "L1H2", "L2H1"]) {
    arrived.set(name, new Float32Array(4));
    touch(weights, name);
    if (name === "L1H2") touch(weights, "L1H1");
  }
  assert.deepEqual([...arrived.keys()].sort(), ["L1H1", "L2H1"]);
});
