/** What a class is asked about what is shown, and what the model says to it. Nothing here asks anybody. */

import { targetOf, withChange } from "../../trace/changes.js";
import { headName } from "../../trace/choice.js";
import { decodes, walkOf } from "../../trace/kinds.js";
import { looksOf } from "../../trace/sentence.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @import { Question, State } from "../state.js" */
/** @import { Asking } from "../classroom/plan.js" */

/** @typedef {{labels: string[], shares: number[] | null, right: number | null}} Truth */

/**
 * A question, ready to be asked.
 *
 * @typedef {object} Made
 * @property {Record<string, unknown>} question  as the server reads it
 * @property {number} from  the step that is shown while it is asked; what comes after it is hidden
 * @property {number} to  the step that is shown with the answer
 * @property {Truth | null} truth  null where another translation must be seen first
 * @property {Question | null} changed  the question of that translation
 */

/** The answers to what happens if something changes, in the order that all pages know. */
const SAME_OR_OTHER = ["same", "other"];

/** Candidates to choose from. */
const CHOICES = 4;

/** The server takes no more. */
const MOST_OPTIONS = 120;

/**
 * @param {State} state
 * @param {Asking} asking
 * @returns {Made | null}  null if this cannot be asked here
 */
export function questionAbout(state, { kind, text, options }) {
  const { trace } = state;
  if (!trace || !state.question) return null;
  const last = walkOf(trace).length - 1;
  // What comes next is asked of the next step; at the last one, one goes back.
  const from = Math.min(state.step, Math.max(0, last - 1));
  const about = { source: trace.source.slice(0, 2_000), step: from + 1 };
  if (kind === "own" || kind === "sentence") {
    const question = { kind, text, options, ...about };
    const truth = { labels: options, shares: null, right: null };
    return { question, from: state.step, to: state.step, truth, changed: null };
  }
  const rows = { from, to: Math.min(last, from + 1) };
  if (kind === "off" || kind === "without") {
    const change = kind === "off" ? withHeadOff(state) : withoutWord(state.question, text);
    if (!change) return null;
    const question = { kind, text: change.text, options: SAME_OR_OTHER, ...about };
    return { question, ...rows, truth: null, changed: change.question };
  }
  const answer = last < 1 ? null : kind === "look" ? looks(state, rows.to) : comes(trace, rows.to);
  if (!answer || answer.options.length < 2 || answer.options.length > MOST_OPTIONS) return null;
  const question = {
    ...{ kind, text: answer.text, options: answer.options, ...about },
    typed: kind === "next",
  };
  return { question, ...rows, truth: answer.truth, changed: null };
}

/**
 * Whether the translation is another.
 *
 * @param {Trace} before
 * @param {Trace} after
 * @returns {Truth}
 */
export function sameOrOther(before, after) {
  const right = before.translation === after.translation ? 0 : 1;
  return { labels: SAME_OR_OTHER, shares: null, right };
}

/** The kind whose rows the steps walk over. @param {State} state @returns {Kind | null} */
function askedKind({ trace, kind }) {
  const kinds = /** @type {const} */ ([kind, "cross", "decoder_self", "encoder_self"]);
  const walks = (/** @type {Kind} */ each) => decodes(each) === (trace?.tgt_in.length ?? 0) > 0;
  return kinds.find((each) => trace?.weights[each] && walks(each)) ?? null;
}

/** @type {(state: State, row: number) => {text: string, options: string[], truth: Truth} | null} */
function looks(state, row) {
  const { trace, heads } = state;
  const kind = askedKind(state);
  const choice = kind && heads[kind];
  const look = trace && kind && choice ? looksOf(trace, kind, choice, row) : null;
  if (!kind || !choice || !look?.words.length) return null;
  const words = [...look.words].sort((one, other) => one.pieces[0] - other.pieces[0]);
  const options = words.map(({ label }) => plain(label));
  const shares = words.map(({ weight }) => Math.min(1, weight));
  const right = shares.indexOf(Math.max(...shares));
  const text = `${kind} ${headName(choice)}`;
  return { text, options, truth: { labels: options, shares, right } };
}

/** @type {(trace: Trace, row: number) => {text: string, options: string[], truth: Truth} | null} */
function comes({ candidates, tgt_out }, row) {
  const all = candidates[row] ?? [];
  const written = tgt_out[row];
  const first = all.slice(0, CHOICES);
  // What was drawn, or forced, may be none of the first.
  const drawn = all.find(({ token }) => token === written);
  if (drawn && !first.includes(drawn)) first[CHOICES - 1] = drawn;
  // In an order that tells nothing.
  const ordered = [...first].sort((one, other) => (one.token < other.token ? -1 : 1));
  const labelled = [...ordered, ...all.filter((each) => !first.includes(each))];
  const labels = labelled.map(({ token }) => plain(token));
  const shares = labelled.map(({ probability }) => probability);
  const right = labelled.findIndex(({ token }) => token === written);
  const truth = { labels, shares, right: right < 0 ? null : right };
  return { text: "", options: labels.slice(0, ordered.length), truth };
}

/** @type {(state: State) => {text: string, question: Question} | null} */
function withHeadOff({ question, trace, kind, heads }) {
  const choice = heads[kind];
  const target = choice && targetOf(kind, choice);
  const size = trace?.weights[kind];
  if (!question || !target || !size) return null;
  const change = { ...target, effect: /** @type {const} */ ("zero") };
  const interventions = withChange(question.interventions, change, size);
  if (String(interventions) === String(question.interventions)) return null; // it is off already
  return { text: `${kind} ${headName(choice)}`, question: { ...question, interventions } };
}

/** @type {(question: Question, word: string) => {text: string, question: Question} | null} */
function withoutWord(question, word) {
  const at = word ? question.source.indexOf(word) : -1;
  if (at < 0) return null;
  const rest = question.source.slice(0, at) + question.source.slice(at + word.length);
  const source = rest.replace(/ {2,}/g, " ").trim();
  return source ? { text: word, question: { ...question, source, interventions: [] } } : null;
}

/** @param {string} label */
function plain(label) {
  return (label.length > 1 ? label.replaceAll("␣", " ") : label).trim().slice(0, 120) || label;
}
