/** Languages by their names, in a language. */

/**
 * The language of a code such as ">>cmn_Hans<<", by its name and what stands in the code.
 *
 * @param {string} code
 * @param {string} language  to name it in
 */
export function codeName(code, language) {
  const own = code.slice(2, -2);
  try {
    const names = new Intl.DisplayNames(language, { type: "language", fallback: "none" });
    const name = names.of(own.replaceAll("_", "-"));
    return name ? `${name} (${own})` : own;
  } catch {
    return own; // no language's code, as some are of dialects and scripts
  }
}

/**
 * The two languages that a model's name tells, as OPUS-MT's do: "opus-mt-en-zh".
 *
 * @param {string} model
 * @param {string} language  to name them in
 * @returns {[string, string] | null}  null if the name tells no two languages
 */
export function languagesOf(model, language) {
  const [, ...codes] = model.match(/-([a-z]{2,3})-([a-z]{2,3}|ROMANCE)$/) ?? [];
  if (!codes.length) return null;
  const names = new Intl.DisplayNames(language, { type: "language", fallback: "none" });
  // Of a family there is a code, but no name.
  const languages = codes.map((code) => (code === "ROMANCE" ? code : names.of(code)));
  return languages.every(Boolean) ? /** @type {[string, string]} */ (languages) : null;
}
