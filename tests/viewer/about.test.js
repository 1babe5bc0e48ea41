import assert from "node:assert/strict";
import test from "node:test";
import { markdownBlocks } from "../../assets/kit/markdown.js";
import { brokenWords, certainty, isUnsure } from "../../assets/trace/certainty.js";
import { doubt } from "../../assets/trace/doubt.js";
import { otherLanguage } from "../../assets/trace/function_words.js";
import { directionOf, isForeign } from "../../assets/trace/scripts.js";
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

test("a text in another language of the same script is told by its commonest words", () => {
  /** @type {[string, string, string | null][]} */
  const cases = [
    ["Où est la gare ?", "en", "fr"],
    ["Je t’aime.", "en", "fr"],
    ["Bonjour !", "en", "fr"],
    ["Il n'y a plus de lait.", "de", "fr"],
    ["Wo ist der Bahnhof?", "en", "de"],
    ["Ich liebe dich.", "fr", "de"],
    ["Danke!", "en", "de"],
    ["¿Dónde está mi gato?", "en", "es"],
    ["Dov'è il mio gatto?", "en", "it"],
    ["Onde está o meu gato?", "en", "pt"],
    ["Waar is mijn kat?", "en", "nl"],
    ["Where is my cat?", "fr", "en"],
    ["I don't know what you mean.", "de", "en"],
    ["Where is my cat?", "en", null],
    ["Où est la gare ?", "fr", null],
    ["He said “bonjour” with a certain je ne sais quoi.", "en", null],
    ["Die hard was on at ten.", "en", null],
    ["I live in Los Angeles, not in La Paz.", "en", null],
    ["Marie Curie", "en", null],
    ["Don’t! I’m in a hurry.", "en", null],
    ["Jag är inte hemma", "en", null],
    ["Où est la gare ?", "zh", null],
    ["Où est la gare ?", "", null],
    ["", "en", null],
  ];
  for (const [text, language, other] of cases) {
    assert.equal(otherLanguage(text, language), other, `${text} (${language})`);
  }
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

test("words are named that a model reads in pieces", () => {
  const src = ["␣He", "␣g", "a", "ev", "␣her", "␣don", "'", "t", "␣fl", "wer", ".", "</s>"];
  assert.deepEqual(brokenWords(src), ["gaev", "flwer"]);
  assert.deepEqual(brokenWords(["我", "爱", "你", "。", "</s>"]), []);
});

test("signs part words, so that no name is made of what stands around them", () => {
  /** @type {string[][]} */
  const sources = [
    ["␣cats", ",", "dogs", ",", "birds"],
    ["␣mother", "-", "in", "-", "law"],
    ["␣print", "(", '"', "hello", '"', ")"],
    ["␣", "<", "b", ">", "bold", "<", "/", "b", ">"],
    ["␣x", "2", "+", "y", "2", "=", "z", "2"],
    ["我", "爱", "New", "␣York", "。"],
    ["␣should", "n", "'", "t"],
  ];
  for (const src of sources) assert.deepEqual(brokenWords([...src, "</s>"]), [], src.join(" "));
  assert.deepEqual(brokenWords(["␣mother", "-", "in", "-", "l", "aww", "</s>"]), ["laww"]);
  assert.deepEqual(brokenWords(["我", "在", "N", "ASA", "。"]), ["NASA"]);
});

test("a row of tokens runs as its script is read", () => {
  assert.equal(directionOf(["<s>", "␣أين", "␣المح", "طة", "؟", "</s>"]), "rtl");
  assert.equal(directionOf(["<s>", "␣איפה", "␣Tom", "?", "</s>"]), "rtl");
  for (const tokens of [
    ["<s>", "我", "</s>"],
    ["<s>", "</s>"],
    ["␣He", "␣said", "␣سلام", "</s>"],
  ]) {
    assert.equal(directionOf(tokens), "ltr", tokens.join(" "));
  }
});

test("a text of which the model knows little is doubted, and where its training ended is told", () => {
  const model = { source_language: "en", longest: 3 };
  /** @type {(src: string[], probability?: number, given?: Partial<import("./traces.js").Trace>) => import("./traces.js").Trace} */
  const read = (src, probability = 0.9, given = {}) =>
    makeTrace({
      source: src.join("").replaceAll("␣", " "),
      src: [...src, "</s>"],
      candidates: [5, 6, 2].map((id) => [{ token: String(id), id, probability }]),
      ...given,
    });
  /** @type {(trace: import("./traces.js").Trace, source?: string) => unknown} */
  const says = (trace, source = trace.source) => doubt(trace, model, source)?.says ?? null;

  assert.equal(says(read(["␣I", "␣love", "."])), null);
  const long = read(["␣I", "␣love", "␣you", "."]);
  assert.deepEqual(doubt(long, model, long.source), { says: "long", length: 4, longest: 3 });
  assert.equal(doubt(long, { ...model, longest: 0 }, long.source), null, "nobody knows");

  const misspelt = ["␣l", "uve", "␣you"];
  const reason = doubt(read(misspelt, 0.3), model, "");
  assert(reason?.says === "broken");
  assert.deepEqual([reason.words, reason.probability.toFixed(2)], [["luve"], "0.30"]);
  assert.equal(says(read(misspelt, 0.6)), null, "it knows the pieces well");
  assert.equal(says(read(misspelt, 0.5)), "broken", "half of the words are in pieces");
  const third = read([...misspelt, "␣too"], 0.5);
  assert.equal(doubt(third, { ...model, longest: 0 }, ""), null, "a third are, and it is sure");
  assert.equal(says(read(["␣love", "␣you"], 0.3)), null, "it knows the words well");
  assert.equal(says(read(["␣love", "␣you"], 0.1)), "unsure");
  assert.equal(says(read(misspelt, 0.3, { interventions: ["cross=zero"] })), null);

  const { src, ...prompt } = read([], 0.9, { tgt_in: ["<s>", "<unk>", "马"] });
  assert.equal(doubt({ ...prompt, src: [] }, {}, "")?.says, "unknown", "a poet's prompt");

  const foreign = read(["我", "爱", "你"]);
  assert.equal(says(foreign), "foreign");
  assert.equal(says(foreign, "I"), null, "the keystroke that mends it takes it back");
  assert.equal(says(foreign, "我爱"), "foreign");
  const coded = makeTrace({ source: ">>cmn_Hans<< 你" });
  assert.equal(doubt(coded, { source_language: "zh" }, coded.source)?.says ?? null, null);
});

test("a text in another script is offered a model that reads it, back to the language it was typed for", () => {
  /** @type {(name: string) => import("../../assets/trace/doubt.js").Reader} */
  const model = (name) => {
    const [source_language, target_language] = name.split("-");
    return { name, source_language, target_language };
  };
  const models = ["en-fr", "en-zh", "zh-fr", "zh-en", "-"].map(model);
  /** @type {(name: string, source: string, some?: typeof models) => string | null} */
  const offered = (name, source, some = models) => {
    const reason = doubt(makeTrace({ source }), model(name), source, some);
    assert(reason?.says === "foreign", source);
    return reason.reader;
  };
  assert.equal(offered("en-zh", "你好吗"), "zh-en");
  assert.equal(offered("en-fr", "你好吗"), "zh-fr", "what was asked for is French");
  assert.equal(offered("zh-en", "Where is my cat?"), "en-zh");
  assert.equal(offered("en-zh", "مرحبا"), null);
  assert.equal(offered("en-zh", "你好吗", [model("en-zh"), model("en-de")]), null);
});

test("a text in another language is offered a model that reads it", () => {
  /** @type {(name: string) => import("../../assets/trace/doubt.js").Reader} */
  const model = (name) => {
    const [source_language, target_language] = name.split("-");
    return { name, source_language, target_language };
  };
  const models = ["en-fr", "en-zh", "fr-zh", "fr-en"].map(model);
  /** @type {(name: string, text: string, source?: string, some?: typeof models) => unknown} */
  const says = (name, text, source = text, some = models) =>
    doubt(makeTrace({ source: text }), model(name), source, some);
  const french = "Où est mon chat ?";
  const reason = (/** @type {string | null} */ reader, language = "fr") => ({
    ...{ says: "language", language, reader },
  });
  assert.deepEqual(says("en-fr", french), reason("fr-en"));
  assert.deepEqual(says("en-zh", french), reason("fr-zh"), "what was asked for is Chinese");
  assert.deepEqual(says("en-fr", french, french, [model("en-fr")]), reason(null));
  assert.deepEqual(says("fr-en", "Where is my cat?"), reason("en-fr", "en"));
  assert.deepEqual(says("en-de", "Wo ist meine Katze?"), reason(null, "de"));
  assert.equal(says("en-fr", french, "Where is my cat?"), null, "another text takes it back");
});
