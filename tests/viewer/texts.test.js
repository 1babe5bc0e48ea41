import assert from "node:assert/strict";
import test from "node:test";
import { fill, inLanguage, translator } from "../../assets/kit/i18n.js";
import {
  asTyped,
  countText,
  listed,
  numberText,
  percentText,
  probabilityText,
  roughText,
  smallText,
  typedNumber,
  weightText,
  writeNumbersIn,
} from "../../assets/kit/numbers.js";
import { NO_ANSWER } from "../../assets/state/problem.js";
import { answering } from "../../assets/state/server/ask.js";
import { isOff } from "../../assets/trace/weights.js";
import { headCsv } from "../../assets/views/export/csv.js";
import { fileName } from "../../assets/views/export/file_name.js";

test("a small probability is not said to be none", () => {
  const shown = [1.0, 0.994, 0.005, 0.0049, 1e-9].map(probabilityText);
  assert.deepEqual(shown, ["1.00", "0.99", "0.01", "<0.01", "<0.01"]);
});

test("a percent sign stands as the language has it", () => {
  const shown = ["en", "zh-CN", "fr"].map((language) => {
    writeNumbersIn(language);
    return percentText(0.906);
  });
  writeNumbersIn("en");
  assert.deepEqual(shown, ["91%", "91%", "91\u202f%"]);
});

test("a number has a true minus, unless it rounds to nothing", () => {
  const shown = [-1.5, -0.0001, 0, Number.NEGATIVE_INFINITY].map((x) => numberText(x));
  assert.deepEqual(shown, ["−1.500", "0.000", "0.000", "−∞"]);
  assert.equal(numberText(-1.25, 1), "−1.3");
});

test("thousands stand apart wherever a number is written, in a sentence too", () => {
  const t = translator({ lines: "{shown} of {total} lines", sum: "{sum}" });
  assert.equal(t("lines", { shown: 512, total: 8096 }), "512 of 8,096 lines");
  assert.equal(t("lines", { shown: "12345", total: 0 }), "12345 of 0 lines");
  assert.equal(t("sum", { sum: 0.9134 }), "0.9134");
  assert.deepEqual(
    [9889600, 512, 0].map((x) => countText(x)),
    ["9,889,600", "512", "0"],
  );
  assert.deepEqual(
    [6.2831, 62831.4].map((x) => countText(x, 1)),
    ["6.3", "62,831.4"],
  );
  assert.equal(numberText(-12345.678, 1), "−12,345.7");
  assert.deepEqual(
    [6.14, 70.31, 1234567].map((x) => roughText(x, 3)),
    ["6.14", "70.3", "1,230,000"],
  );
});

test("a text has a form for each number, where its language has several", () => {
  const texts = { heads: { one: "{count} tête éteinte", other: "{count} têtes éteintes" } };
  const french = translator(texts, "fr");
  assert.deepEqual(
    [0, 1, 2].map((count) => french("heads", { count })),
    ["0 tête éteinte", "1 tête éteinte", "2 têtes éteintes"],
  );
  assert.equal(translator(texts, "en")("heads", { count: 0 }), "0 têtes éteintes");
  assert.equal(
    translator({ heads: { other: "{count} 个头" } }, "zh-CN")("heads", { count: 1 }),
    "1 个头",
  );
});

test("what a card says in no other language is said in English, or by the model's name", () => {
  assert.equal(inLanguage({ en: "Poet", zh: "诗人" }, "zh"), "诗人");
  assert.equal(inLanguage({ en: "Poet" }, "zh"), "Poet");
  assert.equal(inLanguage(undefined, "zh") ?? "poet", "poet");
});

test("numbers are written as the page's language writes them", () => {
  writeNumbersIn("fr");
  const french = [countText(9889600), numberText(-0.5, 2), weightText(0.0004), numberText(-0.0001)];
  const list = listed([0.5, 0.25].map((x) => numberText(x, 2)));
  writeNumbersIn("en");
  assert.deepEqual(french, ["9\u202f889\u202f600", "−0,50", "<\u202f0,001", "0,000"]);
  assert.equal(list, "0,50\u202f; 0,25");
  assert.equal(listed(["0.50", "0.25"]), "0.50, 0.25");
  assert.equal(numberText(-0.5, 2), "−0.50");
});

test("a weight that is not masked is never said to be 0", () => {
  const shown = [1, 0.0344, 0.0005, 0.00049, 3e-5, 0].map((weight) => weightText(weight));
  assert.deepEqual(shown, ["1.000", "0.034", "0.001", "<0.001", "<0.001", "<0.001"]);
  assert.equal(weightText(0.004, { digits: 2 }), "<0.01");
  assert.deepEqual([0.034, 3.4e-5, 4.9e-4].map(smallText), ["0.034", "3e−5", "5e−4"]);
});

test("the weights of a head that was switched off are 0, and are said to be", () => {
  const values = Float32Array.of(0, 0, 1, 0);
  assert.deepEqual([isOff(values, 0, 2), isOff(values, 1, 2)], [true, false]);
  assert.equal(weightText(0, { off: true }), "0");
});

test("a formula in a table is text: a spreadsheet would compute what starts with one of =+-@", () => {
  const data = new Float32Array(4);
  const weights = { encoder_self: { layers: 1, heads: 1, queries: 2, keys: 2, data } };
  const trace = { src: ['=1+"1"', "-"], tgt_in: [], tgt_out: [], weights };
  const csv = headCsv(trace, "encoder_self", { layer: 0, head: 0 }, (key) => key);
  const lines = ['"axis.queries","\'=1+""1""","-"', '"\'=1+""1""",0,0', '"-",0,0', ""];
  assert.equal(csv, `\uFEFF${lines.join("\r\n")}`);
});

test("a file is named after what it shows, in characters that any disk takes", () => {
  const trace = { model: "en-zh", source: "I love/you: 我?" };
  assert.equal(
    fileName(trace, "svg", "cross", "L3H1"),
    "headlight_en-zh_I-love-you-我_cross_L3H1.svg",
  );
  assert.equal(fileName({ model: "m", source: "///" }, "csv"), "headlight_m.csv");
});

test("a server that is gone, or says nothing, is a problem and no exception", async () => {
  const request = { ask: "page" };
  const gone = answering(() => Promise.reject(new TypeError("Failed to fetch")));
  assert.deepEqual(await gone(request), { error: NO_ANSWER });
  const silent = answering(async () => undefined);
  assert.deepEqual(await silent(request), { error: NO_ANSWER });
  const there = answering(async () => ({ file: "AAAA" }));
  assert.deepEqual(await there(request), { file: "AAAA" });
});

test("what is filled in meets the text as its language spaces it, with one full stop", () => {
  const t = translator({
    zh: "写{word}时，各头看向 {word}（{weight}）。",
    says: "译文仍是“{word}”。撤销后再试。",
    english: "It says “{word}”. Undo it.",
    french: "Il dit «\u202f{word}\u202f». Annulez.",
    spaced: "{word} {weight}",
    open: "“{word}”。{other} 在",
  });
  const filled = (/** @type {string} */ key) =>
    ["电脑", "computer", "It rains."].map((word) => t(key, { word, weight: 0.5 }));
  assert.deepEqual(filled("zh").slice(0, 2), [
    "写电脑时，各头看向电脑（0.5）。",
    "写 computer 时，各头看向 computer（0.5）。",
  ]);
  assert.equal(t("says", { word: "下雨了。" }), "译文仍是“下雨了。”撤销后再试。");
  assert.deepEqual(filled("english"), [
    "It says “电脑”. Undo it.",
    "It says “computer”. Undo it.",
    "It says “It rains.” Undo it.",
  ]);
  assert.equal(filled("french")[2], "Il dit «\u202fIt rains.\u202f» Annulez.");
  assert.equal(filled("spaced")[0], "电脑 0.5");
  assert.equal(t("open", { word: "好。" }), "“好。”{other} 在");
});

test("nodes meet the text as their words do", () => {
  const word = /** @type {Node} */ (/** @type {unknown} */ ({ textContent: "computer" }));
  assert.deepEqual(fill("写{word}时", { word }), ["写 ", word, " 时"]);
});

test("a number may be typed with a point or a comma, and is shown with the language's own", () => {
  assert.deepEqual([" 0,02", "0.02", "1"].map(typedNumber), [0.02, 0.02, 1]);
  assert.deepEqual(["", " ", "0,0,2", "x"].map(typedNumber), [NaN, NaN, NaN, NaN]);
  writeNumbersIn("fr");
  const french = asTyped("0.02");
  writeNumbersIn("en");
  assert.deepEqual([french, asTyped("0.02")], ["0,02", "0.02"]);
});
