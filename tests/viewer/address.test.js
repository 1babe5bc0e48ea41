import assert from "node:assert/strict";
import test from "node:test";
import { PLAIN } from "../../assets/draw/coloring.js";
import { parametersOf, tabsOf, usualOf } from "../../assets/parts/question.js";
import { DEFAULT_DIAGRAM } from "../../assets/questions/anatomy/settings.js";
import { DEFAULT_MEASURED } from "../../assets/questions/heads/settings.js";
import { QUESTIONS } from "../../assets/questions/index.js";
import { DEFAULT_TRAINING } from "../../assets/questions/training/settings.js";
import { DEFAULT_WORDS } from "../../assets/questions/why/settings.js";
import { readQuestion, writeQuestion } from "../../assets/state/address/question.js";
import { headsIn } from "../../assets/state/shown_heads.js";
import { DEFAULT_LINES, DEFAULT_OVERVIEW } from "../../assets/state/state.js";
import { goldOf } from "../../assets/trace/gold.js";
import { grow, trunk } from "../../assets/trace/tree.js";
import { makeTrace } from "./traces.js";

/** What the page's state holds, with what questions are set to. @typedef {import("../../assets/state/state.js").State & Record<string, any>} State */

const PARAMETERS = parametersOf(QUESTIONS);

/**
 * @param {Partial<State>} [given]
 * @returns {State}  of a page that shows a trace as it usually does
 */
function makeState(given = {}) {
  const trace = given.trace ?? makeTrace();
  return /** @type {State} */ ({
    ...{ trace, tree: [trunk(trace)], step: 2, kind: "cross", heads: {}, pins: {}, tables: {} },
    ...{
      coloring: PLAIN,
      compared: null,
      other: null,
      moments: null,
      presenter: false,
      ...{ tab: "attention", picture: "matrix" },
    },
    ...{ hiding: false, beyond: null, lacking: [], tempered: null, pair: "all" },
    models: [{ name: "zh-en", title: {}, examples: [], decoder_only: false }],
    ...{
      picked: null,
      frame: "vectors",
      ...{ lines: DEFAULT_LINES, overview: DEFAULT_OVERVIEW },
      outdated: false,
    },
    ...usualOf(QUESTIONS),
    ...{ tabs: tabsOf(QUESTIONS), apart: false, unfolded: [] },
    ...{ lesson: null, solved: [], patient: null },
    ...given,
  });
}

/** @param {string} name */
function parameter(name) {
  const match = PARAMETERS.find((each) => each.name === name);
  assert(match, name);
  return match;
}

/** Another sentence for the one that is shown. */
const DONOR = { donor: { text: "He left.", of: makeTrace().source }, step: null };

/** Where another sentence is chosen. */
const PATCHING = { unfolded: ["patching.title"] };

/** What few come for. */
const REST = { unfolded: ["layers.rest"] };

/**
 * What is shown, how the address says it, and what is found in an address that says so.
 *
 * @type {[string, string, Partial<State>][]}
 */
const SHOWN = [
  ["step", "2", { step: 1, beyond: null }],
  ["kind", "decoder_self", { kind: "decoder_self" }],
  ["cross", "L1H2", { heads: { cross: { layer: 0, head: 1 } }, pins: { cross: [] } }],
  [
    "cross",
    "L2.mean-max-L1H4",
    {
      heads: { cross: { layer: 1, head: "mean" } },
      pins: {
        cross: [
          { layer: "max", head: "max" },
          { layer: 0, head: 3 },
        ],
      },
    },
  ],
  ["tables", "encoder_self-cross", { tables: { encoder_self: true, cross: true } }],
  [
    "colors",
    "viridis-0.5-0.8",
    { coloring: { ...PLAIN, scale: "viridis", gamma: 0.5, full: 0.8 } },
  ],
  ["colors", "blue-1-1-rank", { coloring: { ...PLAIN, rank: true } }],
  ["moments", "2:0-20000", { moments: { pair: 1, from: 0, to: 20000 } }],
  ["moments", "1:40-last", { moments: { pair: 0, from: 40, to: null } }],
  ["against", "zh-en:我: 你", { other: { model: "zh-en", source: "我: 你" } }],
  ["presenter", "on", { presenter: true, tab: "attention" }],
  ["start", "2", { lesson: { part: "start", at: 1 } }],
  ["tour", "5", { lesson: { part: "tour", at: 4 } }],
  ["exercise", "8", { lesson: { part: "exercise", at: 7 } }],
  ["clinic", "6", { lesson: { part: "clinic", at: 5 } }],
  ["solved", "e1-e8-c6", { solved: ["e1", "e8", "c6"] }],
  ["presenter", "tab", { presenter: true }],
  ["layer", "all", { diagram: { ...DEFAULT_DIAGRAM, layer: "all" } }],
  ["layer", "2", { diagram: { ...DEFAULT_DIAGRAM, layer: 1 } }],
  [
    "block",
    "encoder.L2.self_attention-3",
    { diagram: { ...DEFAULT_DIAGRAM, open: "encoder.L2.self_attention", token: 2 } },
  ],
  ["block", "scale", { diagram: { ...DEFAULT_DIAGRAM, open: "scale" } }],
  ["frame", "softmax", { frame: "softmax" }],
  ["tempered", "0.5-0.9", { tempered: { temperature: 0.5, top_p: 0.9 } }],
  ["next", "hidden", { hiding: true }],
  ["tab", "heads", { tab: "heads", picture: "matrix", apart: false }],
  ["tab", "parts", { tab: "attention", picture: "matrix", apart: true }],
  ["tab", "bertviz", { tab: "attention", picture: "bertviz", apart: false }],
  [
    "cell",
    "cross.L2H4-3-1",
    { kind: "cross", picked: { kind: "cross", layer: 1, head: 3, query: 2, key: 0 } },
  ],
  [
    "cell",
    "encoder_self.H2.mean-1-3",
    {
      kind: "encoder_self",
      picked: { kind: "encoder_self", layer: "mean", head: 1, query: 0, key: 2 },
    },
  ],
  [
    "lines",
    "decoder_self.L1",
    { kind: "decoder_self", picture: "lines", lines: { ...DEFAULT_LINES, layer: 0 } },
  ],
  ["heads_order", "role", { overview: { ...DEFAULT_OVERVIEW, order: "role" } }],
  ["heads_roles", "end", { overview: { ...DEFAULT_OVERVIEW, roles: ["end"] } }],
  ["heads_layer", "2", { overview: { ...DEFAULT_OVERVIEW, layer: 1 } }],
  ["lines_heads", "H1-H4", { picture: "lines", lines: { ...DEFAULT_LINES, heads: [0, 3] } }],
  ["lines_heads", "all", { picture: "lines", lines: { ...DEFAULT_LINES, heads: "all" } }],
  ["lines_heads", "none", { picture: "lines", lines: { ...DEFAULT_LINES, heads: [] } }],
  ["over", "sentence", { measured: { ...DEFAULT_MEASURED, over: "sentence" } }],
  ["measure", "harm", { measured: { ...DEFAULT_MEASURED, measure: "harm" } }],
  ["sort", "-previous", { measured: { ...DEFAULT_MEASURED, sort: "-previous" } }],
  ["lines_from", "0.25", { picture: "lines", lines: { ...DEFAULT_LINES, threshold: 0.25 } }],
  ["words", "contributions", { words: { ...DEFAULT_WORDS, reading: "contributions" } }],
  ["words_row", "predicts", { words: { ...DEFAULT_WORDS, row: "predicts" } }],
  [
    "gold",
    "0-0 1?1",
    { words: { ...DEFAULT_WORDS, gold: { text: "0-0 1?1", of: goldOf(makeTrace()) } } },
  ],
  ["not", "9", { words: { ...DEFAULT_WORDS, other: 9 } }],
  ["learnt", "on", { learnt: { wanted: { step: 2, of: goldOf(makeTrace()) } } }],
  ["patching", "on", PATCHING],
  ["donor", DONOR.donor.text, { ...PATCHING, patching: DONOR }],
  ["residual", "encoder", { ...REST, residual: { tower: "encoder" } }],
  ["rollout", "L1", { ...REST, rollout: { layer: 0 } }],
  ["layers", "all", REST],
  ["training", "teach", { training: { ...DEFAULT_TRAINING, part: "teach" } }],
  ["toy", "repeat", { training: { ...DEFAULT_TRAINING, toy: "repeat" } }],
  ["film", "toy", { training: { ...DEFAULT_TRAINING, film: "toy" } }],
  ["teach_step", "3", { training: { ...DEFAULT_TRAINING, learnt: 3 } }],
  // Until there was another film, each moment was of the model's own.
  ["trained", "665", { training: { ...DEFAULT_TRAINING, step: 665 } }],
  ["training_pair", "3", { training: { ...DEFAULT_TRAINING, pair: 2 } }],
  [
    "training_head",
    "cross.L2H4",
    { training: { ...DEFAULT_TRAINING, head: { kind: "cross", layer: 1, head: 3 } } },
  ],
];

test("everything that is shown is written, and read again", () => {
  for (const [name, text, shown] of SHOWN) {
    const { read, write } = parameter(name);
    const presented = text === "tab" ? { ...shown, tab: /** @type {const} */ ("why") } : shown;
    assert.equal(write(makeState(presented)), text, name);
    assert.deepEqual(read(text, makeState()), shown, text);
  }
});

/** The entries that say of a fold, and of nothing else, that it is open. */
const FOLDS = PARAMETERS.filter(
  ({ keys, read }) => keys.join() === "unfolded" && read("on", makeState()),
);

test("what is folded is opened by an address, and an address says that it is open", () => {
  assert(FOLDS.some(({ name }) => name === "induction"));
  for (const { name, read, write } of FOLDS) {
    assert.equal(write(makeState()), null, name);
    assert.equal(write(makeState(read("on", makeState()) ?? {})), "on", name);
  }
});

test("whatever an address can say is tried here", () => {
  const names = [...SHOWN.map(([name]) => name), ...FOLDS.map(({ name }) => name)];
  const tried = new Set([...names, "compared", "checkpoint"]);
  tried.add("donor_step"); // below: it is of a donor
  tried.add("gradients"); // below: "words" says it now
  tried.add("pair"); // of two sentences: guest.test.js
  assert.deepEqual(
    PARAMETERS.map(({ name }) => name).filter((name) => !tried.has(name)),
    ["encoder_self", "decoder_self"], // as "cross" is
  );
});

test("addresses of before still open what they meant", () => {
  /** @type {[string, string, Partial<State>][]} */
  const before = [
    ["tab", "lines", { tab: "attention", picture: "lines", apart: false }],
    ["lines", "decoder_self", { kind: "decoder_self", picture: "lines", lines: DEFAULT_LINES }],
    ["lines_from", "1.0", { picture: "lines", lines: { ...DEFAULT_LINES, threshold: 1 } }],
    ["lines_from", "0", { picture: "lines", lines: { ...DEFAULT_LINES, threshold: 0 } }],
    ["solved", "e1-e1", { solved: ["e1"] }],
  ];
  for (const [name, text, shown] of before) {
    assert.deepEqual(parameter(name).read(text, makeState()), shown, `${name}=${text}`);
  }
});

test("another sentence, and the step that it moves, are told of the sentence that they are for", () => {
  const state = makeState({ ...PATCHING, patching: { ...DONOR, step: 1 } });
  assert.equal(parameter("donor_step").write(state), "2");
  assert.equal(parameter("patching").write(state), null, "the other sentence says it");
  assert.deepEqual(parameter("donor_step").read("2", state), { patching: state.patching });
  const trace = { ...makeTrace(), source: "Another one." };
  for (const name of ["donor", "donor_step"]) {
    assert.equal(parameter(name).write({ ...state, trace }), null, name);
    const folded = { ...state, unfolded: [] };
    assert.equal(parameter(name).write(folded), null, name);
  }
  for (const [name, text] of [
    ["donor", " "],
    ["donor", "a".repeat(2001)],
    ["donor_step", "99"],
    ["patching", "yes"],
    ["learnt", "2"],
  ]) {
    assert.equal(parameter(name).read(text, state), null, `${name}=${text}`);
  }
});

test("what is read, or not said, changes its own field alone", () => {
  const words = {
    ...DEFAULT_WORDS,
    reading: /** @type {const} */ ("alignment"),
    gold: { text: "0-0", of: "" },
  };
  const lines = { layer: 1, heads: [2], threshold: 0.5 };
  const state = makeState({ words, lines });
  assert.deepEqual(parameter("words_row").read("reads", state), {
    words: { ...words, row: "reads" },
  });
  assert.deepEqual(parameter("words").absent?.(state), {
    words: { ...words, reading: "leave_one_out" },
  });
  assert.deepEqual(parameter("lines").absent?.(state), {
    lines: { ...lines, layer: null },
  });
});

test("what is as usual needs no saying, and is what an address without it shows", () => {
  const usual = makeState();
  for (const { name, write, absent } of PARAMETERS) {
    if (["step", "kind"].includes(name)) continue; // always said
    assert.equal(write(usual), null, name);
    if (!absent) continue;
    const patch = Object.entries(absent(makeState()));
    for (const [key, value] of patch) {
      assert.deepEqual(value, usual[/** @type {keyof State} */ (key)], name);
    }
  }
});

test("what the trace has not, and nonsense, is not read", () => {
  const WRONG = {
    step: ["0", "-1", "1e1", "", "1.5"],
    kind: ["sideways", "constructor"],
    cross: ["L3H1", "L1H5", "__proto__", "-", "aligns"],
    tables: ["cross-sideways", ""],
    colors: ["red-1-1", "blue", "blue-9-1", "blue-1-0", "blue-1-1-rang", "blue-1-1-rank-x"],
    compared: ["1-x", "99"],
    moments: ["", "0:0-1", "1:0", "1:-1-2", "1:0-lasts", "a:0-1", "1:0-9999999999"],
    gold: ["0", "0_0", "0-0,1-1", "-1-0", "0-0 x", "<b>", "0-".repeat(600)],
    against: ["", "zh-en", "nobody:x", ":"],
    presenter: ["", "1"],
    next: ["", "shown"],
    tab: ["tab", "constructor", "worked_out"],
    layer: ["0", "3", "L1", ""],
    tour: ["0", "15", "x", ""],
    exercise: ["0", "11", ""],
    clinic: ["7", "causal"],
    solved: ["e11", "c7", "e0", "e1-", "x1", ""],
    block: ["", "encoder", "encoder.L3.self_attention", "encoder.embedding-4", "scale2"],
    cell: ["cross.L2H4-4-1", "cross.L2H4-1-0", "cross.L2H4", "L2H4-1-1", "cross-1-1", "", "-1-1"],
    lines: ["cross.L3", "cross.L0", "sideways", "cross.2", ""],
    words: ["magic", ""],
    words_row: ["writes", ""],
    not: ["2", "7", "x", ""],
    residual: ["decoder", "tower"],
    rollout: ["L3", "L0", "2", ""],
    trained: ["-1", "x", ""],
    training: ["films", ""],
    film: ["mine", ""],
    teach_step: ["-1", "x", ""],
    training_pair: ["0", "99", "x"],
    training_head: ["L2H4", "cross", "cross.mean", "sideways.L1H1"],
    heads_roles: ["induction", "end-x", ""],
    lines_from: ["2", "1.5", "-1", "x", ""],
  };
  for (const [name, texts] of Object.entries(WRONG)) {
    for (const text of texts) {
      assert.equal(parameter(name).read(text, makeState()), null, `${name}=${text}`);
    }
  }
});

test("a step beyond the end is the last one, and the page is told which was asked for", () => {
  const { read } = parameter("step");
  assert.deepEqual(read("4", makeState()), { step: 2, beyond: 4 });
  assert.deepEqual(read("3", makeState()), { step: 2, beyond: null });
});

test("a decoder-only trace has neither an encoder's heads nor cells", () => {
  const { decoder_self } = makeTrace().weights;
  const state = makeState({ trace: makeTrace({ src: [], weights: { decoder_self } }) });
  assert.equal(parameter("kind").read("cross", state), null);
  assert.equal(parameter("cross").read("L1H1", state), null);
  assert.equal(parameter("cell").read("cross.L1H1-1-1", state), null);
  assert.equal(parameter("lines").read("encoder_self", state), null);
});

test("a role stands for the head that has it", () => {
  const heads = { cross: { head: "L1H3", role: "aligns" } };
  const state = makeState({ trace: makeTrace({ heads }) });
  assert.deepEqual(parameter("cross").read("aligns-L2H1", state), {
    heads: { cross: { layer: 0, head: 2 } },
    pins: { cross: [{ layer: 1, head: 0 }] },
  });
  assert.equal(parameter("cross").read("previous", state), null);
  assert.equal(parameter("decoder_self").read("aligns", state), null);
  // Another role stands for the head that does it most in this text.
  const trace = makeTrace({ heads });
  const decoder_self = trace.weights.decoder_self;
  assert(decoder_self);
  for (const at of [3, 5]) {
    // L1H4 and, half as much, L2H2 look at the token before.
    const rows = at === 3 ? [1, 0, 0, 1, 0, 0, 0, 1, 0] : [1, 0, 0, 0.4, 0.6, 0, 0, 0.6, 0.4];
    decoder_self.data.set(rows, 9 * at);
  }
  const read = parameter("decoder_self").read("previous", makeState({ trace }));
  assert.deepEqual(read?.heads?.decoder_self, { layer: 0, head: 3 });
  assert.equal(parameter("decoder_self").read("next", makeState({ trace })), null);
});

test("a lesson asks for the representative head, whatever it does, and for its strongest cell", () => {
  const trace = makeTrace({ heads: { cross: { head: "L1H3", role: "unclear" } } });
  const { cross } = trace.weights;
  assert(cross);
  cross.data[(2 * 3 + 1) * 3 + 2] = 0.9; // step 2 of L1H3 looks at the third token
  const state = makeState({ trace, step: 1 });
  assert.deepEqual(parameter("cross").read("representative", state), {
    heads: { cross: { layer: 0, head: 2 } },
    pins: { cross: [] },
  });
  const { read } = parameter("cell");
  assert.deepEqual(read("cross.representative-step-most", state)?.picked, {
    ...{ kind: "cross", layer: 0, head: 2, query: 1, key: 2 },
  });
  assert.equal(read("encoder_self.representative-step-most", state), null); // nobody measured one
});

test("an address made with other weights is outdated, unless nobody knows the weights", () => {
  const { read, write } = parameter("checkpoint");
  const state = makeState({ trace: makeTrace({ checkpoint: "3f9a" }) });
  assert.equal(write(state), "3f9a");
  assert.deepEqual(read("3f9a", state), { outdated: false });
  assert.deepEqual(read("0000", state), { outdated: true });
  assert.deepEqual(read("0000", makeState()), { outdated: false });
  assert.deepEqual(read("0000", makeState({ trace: makeTrace({ checkpoint: "" }) })), {
    outdated: false,
  });
});

test("the branch that is compared is named by its prefix, and asked for first", () => {
  const { branch, read, write } = parameter("compared");
  const [root, other] = [trunk(makeTrace()), makeTrace({ tgt_ids: [5, 9, 2], prefix_length: 2 })];
  const tree = grow([root], [5, 9], other);
  assert.equal(write(makeState({ compared: tree[1] })), "5-9");
  assert.equal(write(makeState({ compared: root })), "trunk");
  assert.deepEqual(branch?.("5-9"), [5, 9]);
  assert.equal(branch?.("trunk"), null);
  const ofTrunk = makeState({ tree, trace: root.trace });
  assert.equal(read("5-9", ofTrunk)?.compared, tree[1]);
  assert.equal(read("trunk", makeState({ tree, trace: other }))?.compared, root);
  assert.equal(read("trunk", ofTrunk), null, "nothing is compared with itself");
});

test("a question is written and read again, and what it cannot be is said", () => {
  const models = [
    { name: "en-zh", title: {}, examples: ["I love you."], decoder_only: false },
    { name: "poet", title: {}, examples: [], decoder_only: true },
  ];
  const state = { models, model: "en-zh", language: /** @type {const} */ ("en") };
  const question = {
    model: "poet",
    source: "我 & <b>",
    sampling: { temperature: 0.8, top_k: 40, seed: 7, top_p: 0.9 },
    interventions: ["decoder_self.L1=uniform", "cross.L2H4=zero"],
    taught: null,
  };
  const address = new URLSearchParams(writeQuestion(question, [17, 42]));
  assert.deepEqual(readQuestion(address, state), { question, prefix: [17, 42], ignored: [] });

  const wrong = new URLSearchParams({
    model: "nobody",
    sampling: "0-0-0",
    off: "L2H4",
    prefix: "1-x",
  });
  assert.deepEqual(readQuestion(wrong, state), {
    question: {
      ...{ model: "en-zh", source: "I love you.", sampling: null },
      ...{ interventions: [], taught: null },
    },
    prefix: [],
    ignored: ["model", "sampling", "off", "prefix"],
  });
});

test("whoever brings no question meets a model that writes the page's language", () => {
  /** @type {(language: "en" | "zh" | "fr", query?: string) => string} */
  const met = (language, query = "") => {
    const languages = { "en-zh": "zh", "zh-en": "en", "en-fr": "fr" };
    const models = Object.entries(languages).map(([name, target_language]) => ({
      ...{ name, target_language, source_language: name.slice(0, 2) },
      ...{ title: {}, examples: [], decoder_only: false },
    }));
    const state = { models, model: "en-zh", language };
    return readQuestion(new URLSearchParams(query), state).question.model;
  };
  assert.deepEqual([met("en"), met("zh"), met("fr")], ["en-zh", "en-zh", "en-fr"]);
  assert.equal(met("fr", "step=2&tab=why"), "en-fr");
  assert.equal(met("fr", "source=I+love+you."), "en-zh", "as such a link always meant");
});

test("a head that a trace merely opened on gives way to the next trace's own", () => {
  const first = makeTrace({ heads: { cross: { head: "L1H2", role: "aligns" } } });
  const next = makeTrace({ heads: { cross: { head: "L2H4", role: "aligns" } } });
  /** @type {Pick<State, "trace" | "heads" | "pins" | "kind">} */
  const nothing = { trace: null, heads: {}, pins: {}, kind: "cross" };
  const opened = headsIn(first, nothing);
  assert.deepEqual(opened.heads.cross, { layer: 0, head: 1 });
  assert.deepEqual(headsIn(next, { ...opened, trace: first }).heads.cross, { layer: 1, head: 3 });

  const chosen = { ...opened, trace: first, heads: { cross: { layer: 0, head: 0 } } };
  assert.deepEqual(headsIn(next, chosen).heads.cross, { layer: 0, head: 0 });
  const lacking = { ...chosen, heads: { cross: { layer: 7, head: 0 } } };
  assert.deepEqual(headsIn(next, lacking).heads.cross, { layer: 1, head: 3 });
});

test("what the model was taught is written and read again, for which sentence, and how", () => {
  const models = [{ name: "en-zh", title: {}, examples: ["Hi."], decoder_only: false }];
  const state = { models, model: "en-zh", language: /** @type {const} */ ("en") };
  const question = {
    ...{ model: "en-zh", source: "I love you.", sampling: null, interventions: [] },
    taught: { target: "我 & 你", source: "I love you.", how: "adam-5-0.0003" },
  };
  const own = writeQuestion(question, []);
  assert.deepEqual(own.slice(2), [
    ["teach", "我 & 你"],
    ["teach_how", "adam-5-0.0003"],
  ]);
  const other = { ...question, source: "Good morning." };
  for (const each of [question, other]) {
    const address = new URLSearchParams(writeQuestion(each, [17]));
    assert.deepEqual(readQuestion(address, state), { question: each, prefix: [17], ignored: [] });
  }
  /** @param {string} address */
  const read = (address) => {
    const { question, ignored } = readQuestion(new URLSearchParams(address), state);
    return [question.taught, ignored];
  };
  assert.deepEqual(read("teach=a"), [{ target: "a", source: "Hi.", how: "sgd-10-0.02" }, []]);
  const same = { target: "a", source: "Hi.", how: "sgd-9-0.02" };
  assert.deepEqual(read("teach=a&teach_how=sgd-9-0.020"), [same, []]);
  // Other weights than the address means would be shown in its name.
  for (const how of ["sgd-51-0.02", "sgd-0-0.02", "sgd-9-0", "sgd-9-1.5", "lion-9-0.1", "x", ""])
    assert.deepEqual(read(`teach=a&teach_how=${how}`), [null, ["teach_how"]], how);
  assert.deepEqual(read("teach=+"), [null, ["teach"]]);
  assert.deepEqual(read("teach_how=sgd-9-0.02"), [null, []]);
});
