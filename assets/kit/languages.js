/** Languages by their names, in a language. */

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
  const found = codes.map((code) => (code === "ROMANCE" ? code : names.of(code)));
  return found.every(Boolean) ? /** @type {[string, string]} */ (found) : null;
}
