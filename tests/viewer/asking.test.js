import assert from "node:assert/strict";
import test from "node:test";
import { plan, planted, shown } from "../../assets/state/plan.js";
import { NO_ANSWER, Refused } from "../../assets/state/problem.js";
import { asking } from "../../assets/state/server/about.js";
import { trunk } from "../../assets/trace/tree.js";
import { makeTrace } from "./traces.js";

/** @typedef {import("../../assets/state/state.js").State} State */
/** @typedef {import("../../assets/state/server/ask.js").Answer} Answer */
/** @typedef {import("../../assets/state/server/ask.js").Request} Request */

const QUESTION = {
  model: "en-zh",
  source: "I love",
  sampling: null,
  interventions: ["cross=zero"],
  taught: null,
};

/**
 * @param {Partial<State>} state
 * @param {(request: Request, signal?: AbortSignal) => Answer | Promise<Answer>} [answer]
 */
function asker(state, answer = () => ({ inside: { said: 1 } })) {
  /** @type {Request[]} */
  const sent = [];
  const given = { question: QUESTION, tree: [], file: null, patient: null, ...state };
  /** @type {any} */
  const store = { get: () => given };
  const answers = asking(store, async (request, signal) => {
    sent.push(request);
    return answer(request, signal);
  });
  return { ...answers, sent };
}

/** @param {Promise<unknown>} promise */
async function refusal(promise) {
  const error = await promise.catch((/** @type {unknown} */ error) => error);
  assert(error instanceof Refused);
  return error.problem.code;
}

test("nothing is asked about a trace that nobody here would give, but what is made of itself", async () => {
  const trace = makeTrace({ checkpoint: "other" });
  const reason = { code: "file_model_other", details: {} };
  const file = { name: "x.json", reason, before: {} };
  const answers = { file: "AAAA", bertviz: "<p>" };
  const { about, sent } = asker({ question: null, tree: [trunk(trace)], file }, () => answers);
  /** @type {{kind: "cross", layer: number, head: number}} */
  const head = { kind: "cross", layer: 0, head: 0 };
  const { inside, head: numbers, effect, history, knows } = about(trace);
  for (const promise of [inside("flow", { block: "x" }), numbers(head), effect(), history(0)]) {
    assert.equal(await refusal(promise), "file_model_other");
  }
  assert(!knows("flow", { block: "x" }));
  assert.deepEqual(sent, []);
  assert.deepEqual(await about(trace).file("npz"), { file: "AAAA" });
  assert.equal(await about(trace).bertviz("head", "dark"), "<p>");
  assert.deepEqual(
    sent.map(({ ask, trace, model }) => [ask, trace !== undefined, model]),
    [
      ["file", true, undefined],
      ["bertviz", true, undefined],
    ],
  );
  // What the server would give again is named.
  const again = asker({ tree: [trunk(trace)] }, () => answers);
  await again.about(trace).file("npz");
  assert.deepEqual(again.sent, [{ ask: "file", format: "npz", ...QUESTION, prefix: [] }]);
});

test("an answer belongs to its question: asked once, whoever asks, and of other weights anew", async () => {
  const [trace, again] = [makeTrace({ checkpoint: "a" }), makeTrace({ checkpoint: "a" })];
  const other = makeTrace({ checkpoint: "b" });
  const tree = [trace, again, other].map(trunk);
  const { about, sent } = asker({ tree });
  const both = [about(trace).inside("lens"), about(trace).inside("lens")];
  assert(!about(trace).knows("lens"));
  assert.equal(await both[0], await both[1]);
  assert.equal(await about(again).inside("lens"), await both[0]);
  assert(about(again).knows("lens") && !about(other).knows("lens"));
  assert.equal(sent.length, 1);
  assert.deepEqual(sent[0], { ask: "inside", name: "lens", options: {}, ...QUESTION, prefix: [] });
  await about(other).inside("lens");
  await about(trace).inside("flow", { block: "encoder.embedding" });
  await about(trace).inside("flow", { block: "decoder.embedding" });
  assert.equal(sent.length, 4);
});

test("what failed may be asked again", async () => {
  const trace = makeTrace();
  const effect = { log_probability: [0], divergence: [0] };
  let times = 0;
  const { about, sent } = asker({ tree: [trunk(trace)] }, () =>
    times++ ? { inside: effect } : { error: NO_ANSWER },
  );
  assert.equal(await refusal(about(trace).effect()), "no_answer");
  assert.equal(await about(trace).effect(), effect);
  assert.equal(await about(trace).effect(), effect);
  assert.equal(sent.length, 2);
  assert.deepEqual(sent[1].interventions, []);
  assert.deepEqual(sent[1].options, { interventions: ["cross=zero"] });
});

test("whoever stops ends the work, unless somebody else waits for it", async () => {
  const trace = makeTrace();
  /** @type {AbortSignal[]} */
  const works = [];
  const { about } = asker({ tree: [trunk(trace)] }, async (_, signal) => {
    assert(signal);
    works.push(signal);
    await new Promise((stop) => signal.addEventListener("abort", stop));
    return { error: NO_ANSWER };
  });
  const [one, other] = [new AbortController(), new AbortController()];
  const requests = [one, other].map(({ signal }) => about(trace).inside("sweep", {}, signal));
  one.abort();
  assert.deepEqual([works.length, works[0].aborted], [1, false]);
  other.abort();
  assert(works[0].aborted);
  for (const promise of requests) await refusal(promise);
  // It is begun anew, and nobody can stop what somebody waits for without a way to stop.
  const third = new AbortController();
  about(trace).inside("sweep", {}, third.signal);
  about(trace).inside("sweep");
  third.abort();
  assert.deepEqual([works.length, works[1].aborted], [2, false]);
});

test("whoever stops what had failed leaves the next request to the others", async () => {
  const trace = makeTrace();
  let times = 0;
  const { about, sent } = asker({ tree: [trunk(trace)] }, () =>
    times++ ? { inside: {} } : { error: NO_ANSWER },
  );
  const late = new AbortController();
  await refusal(about(trace).inside("sweep", {}, late.signal));
  const next = about(trace).inside("sweep");
  late.abort();
  assert.equal(await about(trace).inside("sweep"), await next);
  assert.equal(sent.length, 2);
});

test("of the clinic's two models each is asked its own", async () => {
  const [healthy, sick] = [makeTrace(), makeTrace()];
  const patient = { at: 0, healthy, question: { ...QUESTION, interventions: [] } };
  const question = { ...QUESTION, interventions: ["causal=off"] };
  const { about, sent } = asker({ question, tree: [trunk(sick)], patient });
  for (const trace of [healthy, sick]) await about(trace).inside("lens");
  assert.deepEqual(
    sent.map(({ interventions, prefix }) => [interventions, prefix]),
    [
      [[], healthy.tgt_ids],
      [["causal=off"], []],
    ],
  );
});

test("what is decoded is what is not known yet, and a refused branch is left out", () => {
  const root = makeTrace();
  const [long, short] = [
    [5, 9],
    [5, 6],
  ];
  assert.deepEqual(plan(undefined, [[], long]), [[], long]);
  assert.deepEqual(plan([trunk(root)], [short, long, []]), [long]);
  const branch = makeTrace({ tgt_ids: [5, 9, 2], prefix_length: 2 });
  const tree = planted(undefined, [[], short, long, [8]], [root, root, branch, NO_ANSWER]);
  assert.deepEqual(
    tree.map(({ trace, prefix }) => [trace, prefix]),
    [
      [root, []],
      [branch, long],
    ],
  );
  assert.equal(planted(tree, [], []), tree);
});

test("a patient stays as long as the question does", () => {
  const trace = makeTrace();
  const patient = { at: 0, healthy: trace, question: QUESTION };
  /** @type {any} */
  const state = { question: QUESTION, patient, trace: null, heads: {}, pins: {}, kind: "cross" };
  const tree = [trunk(trace)];
  const change = shown(state, { question: QUESTION, tree, branch: tree[0], step: 99 });
  assert.equal(change.patient, patient);
  assert.deepEqual([change.before, change.step], [trace, 2]);
  const other = shown(state, { question: { ...QUESTION }, tree, branch: tree[0] });
  assert.deepEqual([other.patient, other.before], [null, null]);
});
