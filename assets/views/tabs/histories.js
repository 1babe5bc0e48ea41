/** Histories of trainings, asked of the server once each; two tabs show them. */

import { parseHistory } from "../../trace/history.js";

/** @typedef {import("../../trace/history.js").History} History */
/** @typedef {import("../../state/server.js").Ask} Ask */

/**
 * @typedef {object} Histories
 * @property {(model: string, pair: number) => History | null} known  null: it is to be fetched
 * @property {(model: string, pair: number) => Promise<{history?: History, error?: import("../../state/server.js").Problem}>} fetch
 */

/** @type {WeakMap<Ask, Histories>} */
const made = new WeakMap();

/**
 * @param {Ask} ask
 * @returns {Histories}
 */
export function historiesFrom(ask) {
  /** @type {Map<string, History>} */
  const kept = new Map();
  /** @type {(model: string, pair: number) => string} */
  const key = (model, pair) => JSON.stringify([model, pair]);
  const histories = made.get(ask) ?? {
    known: (/** @type {string} */ model, /** @type {number} */ pair) =>
      kept.get(key(model, pair)) ?? null,
    async fetch(/** @type {string} */ model, /** @type {number} */ pair) {
      const { history: payload, error } = await ask({ ask: "history", model, pair });
      if (!payload) return { error };
      const history = parseHistory(payload);
      kept.set(key(model, pair), history);
      return { history };
    },
  };
  made.set(ask, histories);
  return histories;
}
