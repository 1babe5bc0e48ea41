/** Text for people, in two languages, from locales/*.json. */

import { fileAddress } from "./files.js";

/** @typedef {"en" | "zh"} Language */
/** @typedef {(key: string, values?: Record<string, string | number>) => string} Translate */

/** @type {Language[]} */
export const LANGUAGES = ["en", "zh"];

/**
 * Both languages at once: they are small, and switching must work without the server.
 *
 * @returns {Promise<Record<Language, Record<string, string>>>}
 */
export async function loadLocales() {
  const [en, zh] = await Promise.all(
    LANGUAGES.map(async (language) => {
      const response = await fetch(fileAddress(`locales/${language}.json`));
      return response.json();
    }),
  );
  return { en, zh };
}

/**
 * @param {Record<string, string>} texts
 * @returns {Translate}  fills {name} in; an unknown key shows itself, so that nobody misses it
 */
export function translator(texts) {
  return (key, values = {}) =>
    (texts[key] ?? key).replace(/\{(\w+)\}/g, (hole, name) => String(values[name] ?? hole));
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
