/** Whether a text is written in the script that a model has learnt to read. */

/** @type {Record<string, RegExp>}  of a language, its letters */
const LETTERS = {
  en: /\p{Script=Latin}/gu,
  fr: /\p{Script=Latin}/gu,
  de: /\p{Script=Latin}/gu,
  es: /\p{Script=Latin}/gu,
  ru: /\p{Script=Cyrillic}/gu,
  zh: /\p{Script=Han}/gu,
};

/** A name or two of another script make no text foreign. */
const LEAST_SHARE = 0.2;

/**
 * @param {string} text
 * @param {string} language  as a model's card names it, "en" say
 * @returns {boolean}  false too if nobody knows how the language is written
 */
export function isForeign(text, language) {
  const letters = text.match(/\p{Letter}/gu)?.length ?? 0;
  const own = LETTERS[language];
  if (!own || letters === 0) return false;
  return (text.match(own)?.length ?? 0) / letters < LEAST_SHARE;
}
