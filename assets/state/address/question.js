/** The part of an address that says which trace is shown: model, correction, source, sampling, changes, prefix. */

import { howText, parseHow, USUAL_HOW } from "../../trace/correction.js";
import { OF_GUEST, readOfGuest, writeOfGuest } from "../of_guest.js";
import { parseSampling, samplingText } from "../sampling.js";
import { interventionsAddress, parseInterventions } from "./changed.js";

/** @import { Question, State } from "../state.js" */
/** @typedef {Pick<State, "models" | "model" | "language">} Asked */

/** The parameters' names. */
export const QUESTION = [
  ...["model", "source", "sampling", "off", "prefix"],
  ...["teach", "teach_source", "teach_how"],
  ...OF_GUEST,
];

/**
 * The model for whoever brings no question: from English into the page's language, if there is one.
 *
 * @param {Asked} state
 */
function welcoming({ models, model, language }) {
  const suits = models.find(
    ({ source_language, target_language }) =>
      source_language === "en" && target_language === language,
  );
  return models.find(({ chosen }) => chosen)?.name ?? suits?.name ?? model;
}

/**
 * What the address asks for, and what of it cannot be. Nothing in it is trusted.
 *
 * @param {URLSearchParams} address
 * @param {Asked} state
 * @returns {{question: Question, prefix: number[], ignored: string[]}}
 */
export function readQuestion(address, state) {
  const { models } = state;
  const usual = QUESTION.some((name) => address.has(name)) ? state.model : welcoming(state);
  /** @type {string[]} */
  const ignored = [];
  /**
   * @template Value
   * @param {string} name
   * @param {(text: string) => Value | null | undefined} read
   * @param {Value} fallback
   */
  const part = (name, read, fallback) => {
    const text = address.get(name);
    if (text === null) return fallback;
    const value = read(text);
    if (value === null || value === undefined) ignored.push(name);
    return value ?? fallback;
  };
  const model = part("model", (text) => models.find(({ name }) => name === text)?.name, usual);
  const [example = ""] = models.find(({ name }) => name === model)?.examples ?? [];
  const sampling = part("sampling", parseSampling, null);
  const interventions = part("off", parseInterventions, /** @type {string[]} */ ([]));
  const source = part("source", (text) => text, example);
  const how = part("teach_how", parseHow, address.has("teach") ? USUAL_HOW : null);
  const target = part("teach", (text) => (text.trim() ? text : null), null);
  // Weights that the address does not mean are not shown in its name.
  const taught =
    target && how && !ignored.includes("teach_how")
      ? { target, source: address.get("teach_source") ?? source, how: howText(how) }
      : null;
  const isGuest = models.some(({ name, guest }) => name === model && guest);
  const ofGuest = readOfGuest(/** @type {any} */ (part), isGuest);
  const question = { model: model, source, sampling, interventions, taught, ...ofGuest };
  const prefix = part("prefix", parsePrefix, /** @type {number[]} */ ([]));
  return { question, prefix, ignored };
}

/** @type {(question: Question, prefix: number[]) => [string, string][]} */
export function writeQuestion({ model, source, sampling, interventions, taught, guest }, prefix) {
  /** @type {[string, string][]} */
  const parts = [
    ["model", model],
    ["source", source],
  ];
  if (sampling) parts.push(["sampling", samplingText(sampling)]);
  if (interventions.length) parts.push(["off", interventionsAddress(interventions)]);
  if (taught) {
    parts.push(["teach", taught.target]);
    if (taught.source !== source) parts.push(["teach_source", taught.source]);
    parts.push(["teach_how", taught.how]);
  }
  parts.push(...writeOfGuest(guest));
  if (prefix.length) parts.push(["prefix", prefixText(prefix)]);
  return parts;
}

/** @param {number[]} prefix */
export function prefixText(prefix) {
  return prefix.join("-");
}

/** @param {string} text  such as "17-42": token ids */
export function parsePrefix(text) {
  const ids = text.split("-").map(wholeNumber);
  return ids.every((id) => id !== null) ? ids : null;
}

/** @param {string} text */
export function wholeNumber(text) {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
