/** Scripts: whether a text is written in the one that a model has learnt to read, and which way it runs. */

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
 * Whether a text is written in another script than its language.
 *
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

/**
 * The models that have learnt to read a text's script, if another one has not: Chinese typed into
 * English → Chinese belongs to Chinese → English.
 *
 * @template {{source_language?: string, target_language?: string}} Model
 * @param {string} text
 * @param {Model[]} models  to choose from
 * @param {string} wished  the language that it was to be said in, or else any
 * @returns {Model | null}
 */
export function readerOf(text, models, wished) {
  const readers = models.filter(({ source_language: language = "" }) => {
    const own = LETTERS[language];
    return own && text.match(own) && !isForeign(text, language);
  });
  return readers.find((model) => model.target_language === wished) ?? readers[0] ?? null;
}

/** Letters that run from right to left: Hebrew's, Arabic's and their neighbours'. */
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Which way a row of tokens runs, so that it is read as its script is: as most of its letters do.
 *
 * @param {string[]} tokens
 * @returns {"ltr" | "rtl"}
 */
export function directionOf(tokens) {
  const special = /^<\/?(s|pad|unk)>$/;
  const letters = tokens
    .filter((token) => !special.test(token))
    .join("")
    .match(/\p{Letter}/gu);
  const leftward = letters?.filter((letter) => LEFTWARD.test(letter)).length ?? 0;
  return leftward > (letters?.length ?? 0) / 2 ? "rtl" : "ltr";
}
