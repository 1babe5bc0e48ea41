import assert from "node:assert/strict";
import test from "node:test";
import { whyNot } from "../../assets/parts/needs.js";
import { parametersOf, tabsOf, usualOf } from "../../assets/parts/question.js";
import { QUESTIONS } from "../../assets/questions/index.js";
import { PROTOCOL } from "../../assets/trace/protocol.js";
import { makeTrace } from "./traces.js";

/** @param {string} name */
function question(name) {
  const match = QUESTIONS.find((each) => each.name === name);
  assert(match, name);
  return match;
}

/** @param {unknown[]} all */
function assertUnique(all) {
  assert.deepEqual(all, [...new Set(all)]);
}

test("no two questions hold the same part of the state, or the same entry of an address", () => {
  assertUnique(QUESTIONS.flatMap(({ usual }) => Object.keys(usual)));
  assertUnique(parametersOf(QUESTIONS).map(({ name }) => name));
  assert.deepEqual(usualOf([question("why"), question("lens"), question("rollout")]), {
    words: { reading: "leave_one_out", other: null, row: null, gold: null },
    rollout: { layer: null },
  });
});

test("tabs come from the questions, attention first, and there is no other one without any", () => {
  assert.deepEqual(tabsOf([]), ["attention"]);
  const some = ["lens", "bertviz", "patching", "residual"].map(question);
  assert.deepEqual(tabsOf(some), ["attention", "layers", "heads"]);
});

test("a decoder alone is not asked what needs cross-attention, and is told why", () => {
  const whole = makeTrace();
  const alone = makeTrace({ src: [], weights: { decoder_self: whole.weights.decoder_self } });
  const [here, nobody] = [{ lacking: [] }, { lacking: ["patching", "decoder_lens"] }];
  /** @type {(trace: typeof whole | null, state: {lacking: string[]}) => Record<string, string | null>} */
  const reasons = (trace, state) =>
    Object.fromEntries(
      ["why", "decoder_lens", "lens", "patching"].map((name) => [
        name,
        whyNot(question(name), { trace, models: [], ...state }),
      ]),
    );
  const all = { why: null, decoder_lens: null, lens: null, patching: null };
  assert.deepEqual(reasons(null, here), all);
  assert.deepEqual(reasons(whole, here), all);
  assert.deepEqual(reasons(alone, here), {
    ...all,
    decoder_lens: "needs.cross",
  });
  const machine = "error.needs_machine";
  assert.deepEqual(reasons(whole, nobody), { ...all, decoder_lens: machine, patching: machine });
  // Why a word is asked without the readings that need one.
  const some = { trace: whole, models: [], lacking: ["gradients", "why"] };
  assert.equal(whyNot(question("why"), some), null);
  // A question needs a machine where one of the analyses that it asks for does.
  assert.equal(whyNot(question("learnt"), { ...some, lacking: ["learnt_from"] }), machine);
});

test("an encoder alone writes nothing that could be asked about", () => {
  const { encoder_self } = makeTrace().weights;
  const trace = makeTrace({ tgt_in: [], tgt_out: [], weights: { encoder_self } });
  const state = { trace, models: [], lacking: [] };
  for (const name of ["learnt", "induction"])
    assert.equal(whyNot(question(name), state), "needs.steps", name);
  for (const name of ["why", "lens", "patching"])
    assert.equal(whyNot(question(name), state), "needs.judged", name);
  assert.equal(whyNot(question("heads"), state), null);
  // Hidden words stand for steps that are written.
  const hiding = { ...state, trace: { ...trace, hidden: [{ at: 1, token: "␣love" }] } };
  for (const name of ["why", "lens", "patching"])
    assert.equal(whyNot(question(name), hiding), null, name);
});

test("a model whose description does not offer what an analysis needs is not asked it", () => {
  const ours = { name: "en-zh", title: {}, examples: [], decoder_only: false };
  /** @type {(offers?: string[]) => (string | null)[]} */
  const reasons = (offers) => {
    const state = { trace: makeTrace(), models: [{ ...ours, offers }], lacking: [] };
    return ["learnt", "lens"].map((name) => whyNot(question(name), state));
  };
  assert.deepEqual(reasons(["states", "training_text"]), [null, null]);
  assert.deepEqual(reasons(["states"]), ["error.no_training_text", null]);
  assert.deepEqual(reasons(["training_text"]), ["error.not_offered", "error.not_offered"]);
  assert.deepEqual(reasons(), [null, null], "nobody says what a file's model offers");
});

test("a question names none of the needs of its analyses by hand", () => {
  for (const { name, needs = [] } of QUESTIONS)
    assert.deepEqual(
      needs.filter((need) => need in PROTOCOL.needs),
      [],
      name,
    );
});
