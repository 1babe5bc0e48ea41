/** Text for people, in every language that has a file in locales/. */

import { readJson } from "./files.js";
import { countText } from "./numbers.js";
import { typeset } from "./typeset.js";

/** @typedef {typeof LANGUAGES[number]["code"]} Language */
/** @typedef {(key: string, values?: Record<string, string | number>) => string} Translate */

/**
 * One language's texts by their keys. One that depends on how many has its forms by the names of
 * `Intl.PluralRules`, of which "other" must be there; its `{count}` chooses.
 *
 * @typedef {Record<string, string | Record<string, string>>} Texts
 */

/**
 * `code` names the language's file, `tag` is what HTML calls it, `name` is its own. To add a language, add
 * its file and a line here and, as long as it lacks texts, its code to `PARTIAL`.
 */
export const LANGUAGES = /** @type {const} */ ([
  { code: "en", tag: "en", name: "English" },
  { code: "zh", tag: "zh-CN", name: "中文" },
  { code: "fr", tag: "fr", name: "Français" },
]);

/** Codes of languages whose file lacks texts: who chooses one fetches the English file, too. @type {string[]} */
const PARTIAL = [];

/** @type {Language}  where a browser asks for no language that is here, or a file lacks a text */
const OTHERWISE = "en";

/**
 * The language of the page that suits a wish best.
 *
 * @param {string} wish  such as "zh-TW", as a browser says it
 * @returns {Language}
 */
export function nearestLanguage(wish) {
  const [primary] = wish.toLowerCase().split("-");
  return LANGUAGES.find(({ code }) => code === primary)?.code ?? OTHERWISE;
}

/** @param {string} language */
export function languageTag(language) {
  return LANGUAGES.find(({ code }) => code === language)?.tag ?? language;
}

/** Texts that have been read. @type {Map<Language, Texts>} */
const texts = new Map();

/**
 * Reads a language's texts and, for those that it lacks, the English ones. Others are read once
 * they are chosen.
 *
 * @param {Language} language
 */
export async function loadTexts(language) {
  const wanted = PARTIAL.includes(language) ? [language, OTHERWISE] : [language];
  const lacking = wanted.filter((each) => !texts.has(each));
  const read = await Promise.all(lacking.map((each) => readJson(`locales/${each}.json`)));
  for (const [i, each] of lacking.entries()) texts.set(each, read[i]);
}

/** @param {Language} language  whose texts have been loaded */
export function textsIn(language) {
  return translator({ ...texts.get(OTHERWISE), ...texts.get(language) }, languageTag(language));
}

/**
 * @param {Texts} texts
 * @param {string} [tag]  of their language
 * @returns {Translate}  fills {name} in; an unknown key shows itself, so that nobody misses it
 */
export function translator(texts, tag = OTHERWISE) {
  const plurals = new Intl.PluralRules(tag);
  return (key, values = {}) => {
    const forms = texts[key] ?? key;
    const text =
      typeof forms === "string"
        ? forms
        : (forms[plurals.select(Number(values.count))] ?? forms.other);
    return joined(text, (name) => {
      const value = values[name];
      return typeof value === "number" ? countText(value, 4) : value;
    }).join("");
  };
}

/**
 * What somebody has written in several languages, in this one or else in English.
 *
 * @template Content
 * @param {Record<string, Content> | undefined} written  by language, as a model's card has it
 * @param {Language} language
 * @returns {Content | undefined}
 */
export function inLanguage(written, language) {
  return written?.[language] ?? written?.[OTHERWISE];
}

/**
 * The same text as nodes, so that a value can be an element.
 *
 * @param {string} text  with {name} left in, as `t(key)` without values gives it
 * @param {Record<string, Node | string>} values
 * @returns {(Node | string)[]}
 */
export function fill(text, values) {
  return joined(text, (name) => values[name] ?? name);
}

/**
 * A text's own parts and what fills its holes, by turns. A hole without a value stays open.
 *
 * @template {Node | string} Value
 * @param {string} text
 * @param {(name: string) => Value | undefined} valueAt
 * @returns {(Value | string)[]}
 */
function joined(text, valueAt) {
  const parts = text.split(/\{(\w+)\}/);
  const values = parts.filter((_, i) => i % 2).map(valueAt);
  const own = typeset(
    parts.filter((_, i) => i % 2 === 0),
    values.map((value) => (typeof value === "string" ? value : (value?.textContent ?? null))),
  );
  return parts.map((name, i) =>
    i % 2 ? (values[(i - 1) / 2] ?? `{${name}}`) : (own[i / 2] ?? ""),
  );
}
