import assert from "node:assert/strict";
import test from "node:test";
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
