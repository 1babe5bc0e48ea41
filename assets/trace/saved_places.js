/**
 * Heads, layers and tokens that a saved trace names beside its weights: whether they are there
 * (`transformer/trace/named_places.py`).
 */

import { parseHead } from "./choice.js";
import { Unreadable } from "./fields.js";
import { isPastTheEnd, readIntervention } from "./interventions.js";
import { keyTokens } from "./kinds.js";
import { has, layerCount } from "./weights.js";

/** @import { Trace } from "./trace.js" */
/** @import { Weights } from "./weights.js" */

const HEAD = /^L[1-9]\d{0,2}H[1-9]\d{0,2}$/;
const MEAN = /^L[1-9]\d{0,2}\.mean$/;

/**
 * A row past the end may be named: a translation can end before it.
 *
 * @param {Trace} trace
 * @throws {Unreadable} representative heads, or interventions, are of what it does not have
 */
export function checkNamedPlaces(trace) {
  for (const [kind, representative] of Object.entries(trace.heads ?? {})) {
    const weights = trace.weights[/** @type {import("./kinds.js").Kind} */ (kind)];
    const opening = representative?.opening?.head;
    const heads = HEAD.test(representative?.head ?? "") && isThere(weights, representative.head);
    const opens =
      opening == null ||
      (HEAD.test(opening) || MEAN.test(opening) ? isThere(weights, opening) : false);
    if (!heads || !opens) throw new Unreadable("file_field", { field: "heads" });
  }
  for (const text of trace.interventions ?? []) {
    if (!acts(trace, text)) {
      throw new Unreadable("file_field", { field: "interventions" });
    }
  }
}

/** @type {(weights: Weights | undefined, name: string) => boolean} */
function isThere(weights, name) {
  const { layer, head } = parseHead(name) ?? {};
  return (
    weights !== undefined && isPlace(weights, Number(layer), head === "mean" ? null : Number(head))
  );
}

/** @type {(weights: Weights, layer: number | null, head: number | null) => boolean} */
function isPlace(weights, layer, head) {
  if (layer === null) return true;
  return head === null ? layer < layerCount(weights) : has(weights, layer, head);
}

/** @type {(trace: Trace, text: string) => boolean} */
function acts(trace, text) {
  const { kind = null, layer = null, head = null, row, keys = [] } = readIntervention(text) ?? {};
  if (kind === null) return true; // of the whole model
  const weights = trace.weights[kind];
  if (!weights || !isPlace(weights, layer, head)) return false;
  if (isPastTheEnd({ kind, row: row ?? 0 }, trace)) return true;
  const { length } = keyTokens(trace, kind);
  return keys.every((key) => key < length);
}
