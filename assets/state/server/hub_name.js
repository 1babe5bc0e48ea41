/**
 * A model's name on the hub, which may have been typed as its address, with a revision behind an @.
 *
 * @param {string} text
 */
export function hubName(text) {
  return text
    .trim()
    .replace(/^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/tree\/(.+)$/, "$1@$2")
    .replace(/^https?:\/\/[^/]+\//, "");
}
