/** Changes to the model, as data; `trace/interventions.js` has their text form. */

import { canonical, parseIntervention } from "../../trace/interventions.js";
import { HeadlightError } from "../errors.js";
import { numLayers } from "./places.js";

/** @typedef {import("../../trace/kinds.js").Kind} Kind */
/** @typedef {import("../model/config.js").TransformerConfig} TransformerConfig */

/**
 * A change to one head, every head of a layer or of a kind; or a part taken away
 * (`transformer/recording/interventions.py`). Layer and head count from 0; null means every one, and a
 * kind of null the whole model.
 *
 * @typedef {object} Intervention
 * @property {string} text  the one form that means it
 * @property {Kind | null} kind
 * @property {number | null} layer
 * @property {number | null} head
 * @property {string} effect
 * @property {number} value  of a temperature
 */

/**
 * @param {string} text
 * @returns {Intervention}
 * @throws {HeadlightError} it is of another form
 */
function read(text) {
  const written = canonical(text);
  if (written === null) throw new HeadlightError("bad_intervention", { intervention: text });
  const change = parseIntervention(written);
  if (change) return { text: written, value: 1, ...change };
  const whole = { text: written, kind: null, layer: null, head: null, value: 1 };
  const [name, value] = written.split("=");
  const [kind, ...place] = name.split(".");
  if (place.at(-1) === "residual") {
    const layer = place.length > 1 ? Number(place[0].slice(1)) - 1 : null;
    return { ...whole, kind: /** @type {Kind} */ (kind), layer, effect: "residual" };
  }
  if (name === "temperature") return { ...whole, effect: name, value: Number(value) };
  return { ...whole, effect: value === "off" ? name : value };
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
  const known = new Map(all.map((change) => [change.text, change]));
  const changes = [...known.values()];
  const heats = changes.filter(({ effect }) => effect === "temperature");
  const kept = changes.filter((change) => !heats.slice(0, -1).includes(change));
  const masks = kept.filter(({ effect }) => effect === "causal" || effect === "inverted");
  const rows = kept.find(({ effect, kind }) => effect === "first" && kind === "decoder_self");
  if (masks.at(-1)?.effect === "inverted" && rows) {
    throw new HeadlightError("masked_row", { intervention: rows.text });
  }
  return kept;
}

/**
 * Refuses a kind, layer or head that a model of this config does not have.
 *
 * @param {Intervention} change
 * @param {TransformerConfig} config
 * @throws {HeadlightError}
 */
export function checkIntervention({ kind, layer, head, text }, config) {
  if (kind === null) return;
  if ((layer ?? 0) >= numLayers(config, kind) || (head ?? 0) >= config.num_heads) {
    throw new HeadlightError("bad_intervention", { intervention: text });
  }
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
