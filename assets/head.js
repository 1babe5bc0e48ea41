/** Which head is looked at: one of them, or the mean or the maximum over several. */

/** @typedef {"mean" | "max"} Aggregate */

/**
 * Counted from 0. Where both are aggregates, the heads of each layer are joined first.
 *
 * @typedef {{layer: number | Aggregate, head: number | Aggregate}} Choice
 */

/** So many heads of a kind can be read side by side. */
export const MAX_PINS = 4;

/** @type {Aggregate[]} */
export const AGGREGATES = ["mean", "max"];

/**
 * The short form that people and addresses use, counted from 1: "2.3", "2.mean", "max.max".
 *
 * @param {Choice} choice
 */
export function headName({ layer, head }) {
  return [layer, head].map((part) => (typeof part === "number" ? part + 1 : part)).join(".");
}

/**
 * @param {string} name  as `headName` writes it
 * @returns {Choice | null}  null if it is of another form
 */
export function parseHead(name) {
  const parts = /^(\d{1,3}|mean|max)\.(\d{1,3}|mean|max)$/.exec(name)?.slice(1).map(parsePart);
  if (!parts) return null;
  const [layer, head] = parts;
  return layer === -1 || head === -1 ? null : { layer, head };
}

/**
 * @param {string} part
 * @returns {number | Aggregate}
 */
function parsePart(part) {
  return part === "mean" || part === "max" ? part : Number(part) - 1;
}

/**
 * @param {Choice | undefined} one
 * @param {Choice | undefined} other
 */
export function sameHead(one, other) {
  return one?.layer === other?.layer && one?.head === other?.head;
}

/**
 * @param {Choice} choice
 * @param {import("./trace.js").Weights} weights
 */
export function hasHead({ layer, head }, { layers, heads }) {
  return (
    (typeof layer === "string" || layer < layers) && (typeof head === "string" || head < heads)
  );
}

/**
 * "Layer 2, head 3", "Layer 2, mean over heads", …
 *
 * @param {import("./i18n.js").Translate} t
 * @param {Choice} choice
 */
export function headTitle(t, { layer, head }) {
  const ofLayers = typeof layer === "string" ? `layers_${layer}` : "layer";
  const ofHeads = typeof head === "string" ? `heads_${head}` : "head";
  return t("head.title", {
    layers: t(`head.${ofLayers}`, { n: Number(layer) + 1 }),
    heads: t(`head.${ofHeads}`, { n: Number(head) + 1 }),
  });
}

/**
 * The heads that a panel shows large: those pinned, then the chosen one if it is none of them. A
 * chosen one that finds no place takes the oldest pin's, for as long as it is chosen.
 *
 * @param {Pick<import("./actions.js").State, "heads" | "pins">} state
 * @param {import("./trace.js").Kind} kind
 * @returns {Choice[]}
 */
export function shownHeads({ heads, pins }, kind) {
  const chosen = heads[kind];
  const pinned = pins[kind] ?? [];
  if (!chosen || pinned.some((pin) => sameHead(pin, chosen))) return pinned;
  return [...pinned, chosen].slice(-MAX_PINS);
}
