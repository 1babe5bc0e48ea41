import assert from "node:assert/strict";
import test from "node:test";
import { markdownBlocks } from "../../assets/kit/markdown.js";
import { certainty, isUnsure } from "../../assets/trace/certainty.js";
import { isForeign } from "../../assets/trace/scripts.js";
import { makeTrace } from "./traces.js";

test("a text is foreign to a model that never learnt its script", () => {
  /** @type {[string, string][]} */
  const foreign = [
    ["مرحبا", "en"],
    ["你好吗", "en"],
    ["Hello there", "zh"],
    ["Привет, Том!", "fr"],
  ];
  for (const [text, language] of foreign) assert(isForeign(text, language), text);
  /** @type {[string, string][]} */
  const own = [
    ["naïve café 2026", "fr"],
    ["我爱 New York 的冬天", "zh"],
    ["12:30!", "en"],
    ["headlight", ""],
    ["salut", "ro"],
  ];
  for (const [text, language] of own) assert(!isForeign(text, language), text);
});

test("a card is read as plain text, block by block", () => {
  const card = [
    "# A model",
    "",
    "It is **small** and",
    "[linked](https://x.test), says `a`.",
    "![picture](attention.png)",
    "- one",
    "  more",
    "```",
    "<img src=x onerror=alert(1)>",
    "```",
    "| a | b |",
    "| - | - |",
  ];
  assert.deepEqual(markdownBlocks(card.join("\n")), [
    { type: "heading", text: "A model" },
    { type: "paragraph", text: "It is small and linked, says a." },
    { type: "item", text: "one more" },
    { type: "code", text: "<img src=x onerror=alert(1)>" },
    { type: "code", text: "| a | b |\n| - | - |" },
  ]);
});

test("a model that gave its own words little probability was unsure", () => {
  /** @type {(probabilities: number[], given?: Partial<import("./traces.js").Trace>) => import("./traces.js").Trace} */
  const written = (probabilities, given) =>
    makeTrace({
      candidates: probabilities.map((probability, i) => [
        { token: "other", id: 99, probability: 1 - probability },
        { token: String([5, 6, 2][i]), id: [5, 6, 2][i], probability },
      ]),
      ...given,
    });
  const low = [0.1, 0.2, 0.05];
  assert.equal(certainty(written(low)).toFixed(4), "0.1000"); // the cube root of 0.001
  assert(isUnsure(written(low)));
  assert(!isUnsure(written([0.9, 0.02, 0.9])), "one rare word among others");
  const sampling = { temperature: 1, top_k: 0, seed: 1 };
  for (const given of [{ sampling }, { prefix_length: 1 }, { interventions: ["cross=zero"] }]) {
    assert(!isUnsure(written(low, given)), JSON.stringify(given));
  }
  const poem = makeTrace();
  assert(!isUnsure({ ...written(low), weights: { decoder_self: poem.weights.decoder_self } }));
});
