import assert from "node:assert/strict";
import test from "node:test";
import { representativeHeads } from "../../assets/engine/measure/representative.js";
import { nearestLanguage } from "../../assets/kit/i18n.js";
import { codeName } from "../../assets/kit/languages.js";
import { codeOf, withCode } from "../../assets/trace/language_code.js";
import { wordsOf } from "../../assets/trace/whole_words.js";

test("the code of a language is found, put, changed and taken away", () => {
  assert.equal(codeOf(" >>fra<< I"), ">>fra<<");
  assert.equal(codeOf("a >>fra<< b"), "");
  assert.equal(codeOf(">> a << b"), "");
  assert.equal(withCode("I love", ">>fra<<"), ">>fra<< I love");
  assert.equal(withCode(">>fra<<I love", ">>cmn_Hans<<"), ">>cmn_Hans<< I love");
  assert.equal(withCode(">>xyz<< I love", ""), "I love");
});

test("it is named in the page's language, and as it is where it is none's", () => {
  assert.equal(codeName(">>fra<<", "fr"), "français (fra)");
  assert.equal(codeName(">>fra<<", "zh"), "法语 (fra)");
  assert.equal(/Chinese.* \(cmn_Hans\)$/.test(codeName(">>cmn_Hans<<", "en")), true);
  assert.equal(codeName(">>tai_1<<", "en"), "tai_1");
});

test("it is no word", () => {
  assert.deepEqual(wordsOf([">>fra<<", "␣I", "␣lo", "ve", "</s>"]), {
    words: ["I", "love"],
    pieces: [[1], [2, 3]],
  });
});

test("a head that tells it from the words is none that aligns", () => {
  // Of two steps, the first head looks at the code and then at a word, the second at either word.
  const rows = [...[1, 0, 0, 0, 1, 0, 1, 0, 0], ...[0, 0.9, 0.1, 0, 0.9, 0.1, 0, 0.1, 0.9]];
  const trace = {
    ...{ src: [">>fra<<", "␣a", "␣b"], tgt_in: ["<s>", "␣c", "␣d"] },
    ...{ tgt_out: ["␣c", "␣d", "</s>"], heads: {} },
    weights: { cross: { shape: [1, 2, 3, 3], values: Float32Array.from(rows) } },
  };
  const heads = representativeHeads(/** @type {any} */ (trace));
  assert.equal(heads?.cross?.head, "L1H2");
});

test("a browser's language is met by the page's nearest", () => {
  const met = ["zh", "zh-TW", "ZH-cn", "en-GB", "fr-CA", "de-DE", ""].map(nearestLanguage);
  assert.deepEqual(met, ["zh", "zh", "zh", "en", "fr", "en", "en"]);
});
