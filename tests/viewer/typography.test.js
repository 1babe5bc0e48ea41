import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { translator } from "../../assets/kit/i18n.js";
import { inARow } from "../../assets/kit/typeset.js";

/** A word of either script, and a sentence with its own full stop. */
const FILLINGS = ["电脑", "computer", "下雨了。", "It rains."];
const HAN = "\\p{Script=Han}";

/** @type {Record<string, RegExp>} */
const WRONG = {
  "two full stops": /(?<!\.)[.。!?！？][\u202f ]?[”»]?[.。](?!\.)/u,
  "no space between scripts": new RegExp(`${HAN}[A-Za-z0-9]|[A-Za-z0-9]${HAN}`, "u"),
  "a space within Chinese": new RegExp(`${HAN} +${HAN}`, "u"),
  "a dot spaced on one side": /[^\s，。：；？（）、]· | ·\S/u,
  "a space beside a sign": /[，。：；？（）、] | [，。：；？（）、]/u,
};

/** @type {(language: string) => Record<string, string | Record<string, string>>} */
const textsOf = (language) =>
  JSON.parse(
    readFileSync(new URL(`../../assets/locales/${language}.json`, import.meta.url), "utf8"),
  );

for (const [language, tag] of [
  ["en", "en"],
  ["zh", "zh-CN"],
  ["fr", "fr"],
]) {
  test(`every text of ${language} is well set with whatever fills it in`, () => {
    const texts = textsOf(language);
    const t = translator(texts, tag);
    const names = language === "zh" ? Object.keys(WRONG) : ["two full stops"];
    const mistakes = [];
    for (const [key, text] of Object.entries(texts)) {
      const holes = JSON.stringify(text).match(/(?<=\{)\w+(?=\})/g) ?? [];
      for (const filling of holes.length ? FILLINGS : []) {
        const sentence = t(key, Object.fromEntries(holes.map((hole) => [hole, filling])));
        // Between two that are filled in, the text has nothing to say.
        const parted = sentence.replace(new RegExp(`(${filling}[ →/·]*)+(?=${filling})`, "gu"), "");
        for (const name of names) if (WRONG[name].test(parted)) mistakes.push([key, name, parted]);
      }
    }
    assert.deepEqual(mistakes, []);
  });
}

test("two sentences have a space between them, and none after a Chinese full stop", () => {
  assert.equal(inARow(["It rains.", "", "It snows."]), "It rains. It snows.");
  assert.equal(
    inARow(["下雨了。", "24 个头中 9 个是集中的。"]),
    "下雨了。24 个头中 9 个是集中的。",
  );
  assert.equal(inARow(["", ""]), "");
});
