/** What an analysis needs of a model, and what a model offers (`transformer/ask/needs.py`). */

import { PROTOCOL } from "../../trace/protocol.js";
import { HeadlightError } from "../errors.js";

/** @import { Translator } from "../translator.js" */

/** What a model offers the analyses that the engine has. @type {(translator: Translator) => string[]} */
export const offers = ({ decoderOnly }) => [...(decoderOnly ? [] : ["cross"]), "steps", "states"];

/**
 * Refuses a model that does not offer all of these.
 *
 * @param {string[]} needs
 * @param {Translator} translator
 */
export function checkNeeds(needs, translator) {
  const offered = offers(translator);
  for (const [need, code] of Object.entries(PROTOCOL.needs)) {
    if (needs.includes(need) && !offered.includes(need)) throw new HeadlightError(code);
  }
}
