/** What a static site holds, as `site.json` tells it; `transformer/site/contents.py` writes it. */

/** @typedef {{ask: string} & Record<string, any>} Request */

/**
 * @typedef {object} ModelFiles
 * @property {string} checkpoint  the hash that its traces name
 * @property {number} bytes  of all its files
 * @property {Part[]} files
 */

/** @typedef {{name: string, path: string, size: number, sha256: string, optional?: boolean}} Part  a file */

/**
 * Paths of answers that were made in advance: of a trace of each example, by model and source; of what
 * a model's makers say of it; of its history, one a pair; of analyses that are the same for all traces
 * of a model, by their names.
 *
 * @typedef {object} Answers
 * @property {Record<string, Record<string, string>>} trace
 * @property {Record<string, string>} card
 * @property {Record<string, string[]>} history
 * @property {Record<string, Record<string, string>>} inside
 */

/**
 * @typedef {object} Site
 * @property {string} engine  the Worker's script
 * @property {string} replay  a page for a saved trace
 * @property {Record<string, ModelFiles>} models
 * @property {Answers} answers
 */

/**
 * The path of an answer that was made in advance.
 *
 * @param {Site} site
 * @param {Request} request
 * @returns {string | null}  null if somebody has to compute it
 */
export function knownAnswer({ answers }, request) {
  const { ask, model, source, name, pair } = request;
  if (ask === "card") return own(answers.card, model);
  if (ask === "history") return own(answers.history, model)?.[pair] ?? null;
  if (ask === "inside") return own(own(answers.inside, name), model);
  if (ask !== "trace" || request.sampling || request.taught) return null;
  const plain = !request.prefix?.length && !request.interventions?.length;
  return plain ? own(own(answers.trace, model), source) : null;
}

/**
 * What an object of JSON has by a name that anybody may have typed: "constructor", say.
 *
 * @template Value
 * @param {Record<string, Value> | null} object
 * @param {string} name
 * @returns {Value | null}
 */
export function own(object, name) {
  return object && Object.hasOwn(object, name) ? object[name] : null;
}
