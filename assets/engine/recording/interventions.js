/** What changes to the model do together, and in a model; `trace/interventions.js` reads each. */

import { readIntervention } from "../../trace/interventions.js";
import { HeadlightError } from "../errors.js";
import { numLayers } from "./places.js";

/** @import { Intervention } from "../../trace/interventions.js" */
/** @import { TransformerConfig } from "../model/config.js" */

/**
 * @param {string} text
 * @returns {Intervention}
 * @throws {HeadlightError} it is of another form
 */
function read(text) {
  const change = readIntervention(text);
  if (!change) throw new HeadlightError("bad_intervention", { intervention: text });
  return change;
}

/**
 * Interventions in text form. What is said twice is done once; of several temperatures, the last acts.
 *
 * @param {string[]} texts
 * @returns {Intervention[]}
 * @throws {HeadlightError} a text has another form, or two of them leave a row nothing to attend to
 */
export function readInterventions(texts) {
  const all = texts.map(read);
  const byText = new Map(all.map((change) => [change.text, change]));
  const distinct = [...byText.values()];
  const heats = distinct.filter(({ effect }) => effect === "temperature");
  const changes = distinct.filter((change) => !heats.slice(0, -1).includes(change));
  const masks = changes.filter(({ effect }) => effect === "causal" || effect === "inverted");
  const back = changes.find((change) => change.kind === "decoder_self" && !looksAhead(change));
  if (masks.at(-1)?.effect === "inverted" && back) {
    throw new HeadlightError("masked_row", { intervention: back.text });
  }
  return changes;
}

/**
 * Whether a row sees itself, or what comes later: whether anything, where nothing else is.
 *
 * @param {Intervention} change
 */
function looksAhead({ effect, row, keys }) {
  if (effect !== "first" && effect !== "aim") return true;
  return row !== null && (keys.length ? keys : [0]).includes(row);
}

/**
 * Refuses a kind, layer or head that a model of this config does not have, and what is aimed past the
 * end of the source, if its length is known.
 *
 * @param {Intervention} change
 * @param {TransformerConfig} config
 * @param {number} [srcLength]  in tokens
 * @throws {HeadlightError}
 */
export function checkIntervention(change, config, srcLength = Number.POSITIVE_INFINITY) {
  const { kind, layer, head, keys, text } = change;
  if (kind === null) return;
  const past = kind !== "decoder_self" && keys.some((key) => key >= srcLength);
  if ((layer ?? 0) >= numLayers(config, kind) || (head ?? 0) >= config.num_heads || past) {
    throw new HeadlightError("bad_intervention", { intervention: text });
  }
}

/**
 * The same changes of a text without some of its tokens: what stood after them moves up.
 *
 * @param {Intervention[]} changes  to the whole text
 * @param {"src" | "tgt"} side  whose tokens they are, the encoder's or the decoder's
 * @param {number[]} removed  their places
 * @returns {Intervention[]}  without those of rows that are gone, or that were aimed at nothing else
 */
export function withoutTokens(changes, side, removed) {
  const moved = (/** @type {number} */ place) =>
    place - removed.filter((gone) => gone < place).length;
  return changes.flatMap((change) => {
    let { row, keys } = change;
    if (row !== null && (change.kind === "encoder_self" ? "src" : "tgt") === side) {
      if (removed.includes(row)) return [];
      row = moved(row);
    }
    if (keys.length && (change.kind === "decoder_self" ? "tgt" : "src") === side) {
      keys = keys.filter((key) => !removed.includes(key)).map(moved);
      if (!keys.length) return [];
    }
    return [{ ...change, row, keys }];
  });
}

/**
 * Whether a decoder that writes token after token can have it: what shows later tokens, or shuffles
 * positions, can be done to a whole text only.
 *
 * @param {Intervention} change
 */
export function isStepwise({ effect }) {
  return !["causal", "inverted", "mixed"].includes(effect);
}
