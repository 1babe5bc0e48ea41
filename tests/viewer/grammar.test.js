import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { plainToken, tokenTerm } from "../../assets/draw/token.js";
import { MAX_DONOR } from "../../assets/questions/patching/settings.js";
import { parseInterventions } from "../../assets/state/address/changed.js";
import { parseSampling, samplingText } from "../../assets/state/sampling.js";
import { parseHead } from "../../assets/trace/choice.js";
import { parseGold } from "../../assets/trace/gold.js";
import { ROWS } from "../../assets/trace/gradients.js";
import { isSharp } from "../../assets/trace/history.js";
import { canonical } from "../../assets/trace/interventions.js";
import { isMasked } from "../../assets/trace/kinds.js";
import { clearest } from "../../assets/trace/statistics.js";
import { parseTrace, ROLES } from "../../assets/trace/trace.js";
import { makeTrace } from "./traces.js";

// The same table is Python's: tests/test_grammar.py.
const TABLE = JSON.parse(readFileSync(new URL("../data/grammar.json", import.meta.url), "utf8"));

/**
 * @template Value
 * @param {Record<string, Value>} cases
 * @param {(text: string) => unknown} read
 */
function readsAll(cases, read) {
  assert(Object.keys(cases).length);
  for (const [text, value] of Object.entries(cases)) assert.deepEqual(read(text), value, text);
}

/** @type {(texts: string[], read: (text: string) => unknown) => void} */
function refusesAll(texts, read) {
  for (const text of texts) assert.equal(read(text), null, text);
}

test("an intervention is read in the forms that Python reads, and written in one", () => {
  const { accepted, refused } = TABLE.interventions;
  readsAll(accepted, canonical);
  refusesAll(refused, canonical);
  // Of what an address says, too, nothing is kept that the server would refuse.
  for (const text of refused) {
    const changes = parseInterventions(text.replaceAll("-", "_")) ?? [];
    for (const each of changes) assert.equal(canonical(each), each, text);
  }
});

test("a head is named as in Python", () => {
  readsAll(TABLE.heads.accepted, (name) => {
    const choice = parseHead(name);
    return choice && [choice.layer, choice.head];
  });
  const joined = ["L1H1.mean"];
  refusesAll([...TABLE.heads.refused, ...joined], parseHead);
});

test("links between words are read as in Python", () => {
  const read = (/** @type {string} */ text) => {
    const result = parseGold(text);
    return "gold" in result ? result.gold : null;
  };
  readsAll(TABLE.links.accepted, read);
  refusesAll(TABLE.links.refused, read);
});

test("what an address says of drawing by lot, Python takes", () => {
  readsAll(TABLE.sampling.accepted, parseSampling);
  for (const sampling of TABLE.sampling.refused) {
    assert.equal(parseSampling(samplingText(sampling)), null, samplingText(sampling));
  }
});

test("special tokens and the mark of a word's start are Python's", () => {
  const [pad, ...shown] = TABLE.tokens.special;
  for (const token of shown) assert(tokenTerm(token), token);
  assert.equal(tokenTerm(pad), null, "no text is filled up where one looks at it");
  assert.equal(plainToken(`${TABLE.tokens.word_start}love`), "love");
});

test("roles are Python's, and clear from the same threshold on", () => {
  assert.deepEqual(ROLES, TABLE.roles.names);
  for (const [share, chance, clear] of TABLE.roles.clear) {
    const numbers = { previous: share };
    const row = /** @type {any} */ ({ kind: "cross", numbers });
    const statistics = /** @type {any} */ ({ cross: { by_chance: { previous: chance } } });
    assert.equal(clearest([row], statistics, "previous") !== null, clear, `${share} ${chance}`);
  }
});

test("a head is sharp from the same threshold on", () => {
  for (const [sharpness, chance, sharp] of TABLE.sharp) {
    assert.equal(isSharp(sharpness, chance), sharp, `${sharpness} ${chance}`);
  }
});

test("gradients are read as Python reads them", () => {
  assert.deepEqual(ROWS.slice(0, -1), TABLE.gradients);
});

test("another sentence is as long as the server takes it", () => {
  assert.equal(MAX_DONOR, TABLE.donor.characters);
});

/** @type {Record<string, import("../../assets/trace/kinds.js").Causal>} */
const CAUSAL = { kept: true, off: false, inverted: "inverted" };

test("the same cells are masked", () => {
  for (const [kind, mask, picture] of TABLE.masked) {
    const rows = [0, 1, 2].map((query) =>
      [0, 1, 2].map((key) => (isMasked(kind, query, key, CAUSAL[mask]) ? "#" : ".")).join(""),
    );
    assert.equal(rows.join(" "), picture, `${kind} ${mask}`);
  }
});

test("of several changes of the mask the last acts", () => {
  const decoder_self = { shape: [1, 1, 1, 1], dtype: "float32", data: "AACAPw==" };
  for (const [changes, mask] of TABLE.changed_mask) {
    const interventions = changes.split(" ").filter(Boolean);
    const trace = parseTrace({ ...makeTrace(), decoder_self, interventions });
    assert.equal(trace.weights.decoder_self?.causal, CAUSAL[mask], changes);
  }
});
