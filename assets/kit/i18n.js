/** Text for people, in every language that has a file in locales/. */

import { readJson } from "./files.js";
import { countText } from "./numbers.js";

/** @typedef {typeof LANGUAGES[number]["code"]} Language */
/** @typedef {(key: string, values?: Record<string, string | number>) => string} Translate */

/**
 * `code` names the language's file, `tag` is what HTML calls it, `label` stands on its button. To
 * add a language, add its file and a line here.
 */
export const LANGUAGES = /** @type {const} */ ([
  { code: "zh", tag: "zh-CN", label: "中文", name: "中文" },
  { code: "en", tag: "en", label: "EN", name: "English" },
]);

/** @type {Language}  for those whose browsers ask for none of them */
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

/**
 * All languages at once: they are small, and switching must work without the server.
 *
 * @returns {Promise<Record<Language, Record<string, string>>>}
 */
export async function loadLocales() {
  const texts = await Promise.all(
    LANGUAGES.map(async ({ code }) => [code, await readJson(`locales/${code}.json`)]),
  );
  return Object.fromEntries(texts);
}

/**
 * @param {Record<string, string>} texts
 * @returns {Translate}  fills {name} in; an unknown key shows itself, so that nobody misses it
 */
export function translator(texts) {
  return (key, values = {}) =>
    (texts[key] ?? key).replace(/\{(\w+)\}/g, (hole, name) => {
      const value = values[name] ?? hole;
      return typeof value === "number" ? countText(value, 4) : value;
    });
}

/**
 * The same text as nodes, so that a value can be an element.
 *
 * @param {string} text  with {name} left in, as `t(key)` without values gives it
 * @param {Record<string, Node | string>} values
 * @returns {(Node | string)[]}
 */
export function fill(text, values) {
  return text.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? (values[part] ?? part) : part));
}
