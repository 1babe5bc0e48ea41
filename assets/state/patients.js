/** The patients of the clinic: what is wrong with each, and what the page may tell of it. */

/** @import { State } from "./state.js" */
/** @typedef {"causal" | "inverted" | "scale" | "positions" | "mixed" | "unshifted"} Bug */

/** The model whose right attention everybody knows. Each patient is this one, with a bug. */
export const HEALTHY = "reverse";

/**
 * An address names a patient by its number only.
 *
 * @type {{bug: Bug, changes: string[], model?: string}[]}
 */
export const PATIENTS = [
  { bug: "causal", changes: ["causal=off"] },
  { bug: "unshifted", changes: [], model: "_patient" },
  { bug: "positions", changes: ["positions=off"] },
  { bug: "inverted", changes: ["causal=inverted"] },
  { bug: "mixed", changes: ["heads=mixed"] },
  { bug: "scale", changes: ["scale=off"] },
];

/**
 * Whether a patient can be examined on a text: the toy knows letters and digits, sixteen of them,
 * and of equal ones no order could be told.
 *
 * @param {string} source
 */
export function isExaminable(source) {
  const text = source.trim();
  return /^[A-Za-z0-9]{3,16}$/.test(text) && new Set(text).size > 1;
}

/** @param {number} at */
export function patientName(at) {
  return `c${at + 1}`;
}

/**
 * The changes to the model that may be named: until it is diagnosed, not what is wrong with a patient.
 *
 * @param {Pick<State, "trace" | "patient" | "solved">} state
 */
export function shownChanges({ trace, patient, solved }) {
  const changes = trace?.interventions ?? [];
  if (!patient || solved.includes(patientName(patient.at))) return changes;
  return changes.filter((text) => !isWrong(patient, text));
}

/**
 * Whether a change is what is wrong with a patient, which nobody can put back.
 *
 * @param {State["patient"]} patient
 * @param {string} text
 */
export function isWrong(patient, text) {
  return patient !== null && PATIENTS[patient.at].changes.includes(text);
}
