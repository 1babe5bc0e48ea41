/** Codes of the language to translate into, such as >>fra<< (`transformer/text/codes.py`). */

/** Whether a token names a language, such as >>fra<<. @type {(label: string) => boolean} */
export function isCode(label) {
  return /^>>[^<>\s]+<<$/.test(label);
}

/**
 * The code that a source begins with; empty if it begins with none.
 *
 * @param {string} source
 */
export function codeOf(source) {
  return /^\s*(>>[^<>\s]+<<)/.exec(source)?.[1] ?? "";
}

/**
 * A source with this code before it, in the place of another one.
 *
 * @param {string} source
 * @param {string} code  or empty
 */
export function withCode(source, code) {
  const text = source.trimStart().slice(codeOf(source).length).trimStart();
  return code ? `${code} ${text}` : text;
}
