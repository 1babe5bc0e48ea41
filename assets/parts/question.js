/** What a question declares of itself, and what the page is built from of all of them. */

import { PARAMETERS } from "../state/address/parameters.js";
import { DEFAULT_TAB } from "../state/state.js";

/** @import { Need } from "./needs.js" */

/**
 * A way of asking the model something about what is shown.
 *
 * @typedef {object} Question
 * @property {string} name  as `lacking` has it, where nobody here can answer it
 * @property {string} tab  in which it stands
 * @property {string} title  the key of the text that names it
 * @property {string} [fold]  the key of the title of what it is folded into, alone or with others of its tab
 * @property {import("../state/state.js").Picture} [picture]  how it draws attention, in the matrix's place
 * @property {Need[]} [needs]  of the trace that is shown, beside what its analyses need
 * @property {Record<string, unknown>} usual  what it is set to at first, by the state's key
 * @property {import("../state/address/parameter.js").Parameter<any>[]} address  what of it an address holds
 * @property {string[]} ask  the analyses that it asks for
 * @property {string[]} [must]  without which it is not asked at all; by default its name, and all of them
 * @property {() => Promise<View>} view  in a module that need not be there at first
 */

/** @typedef {(context: import("../state/actions.js").Context<any>) => HTMLElement} View */

/**
 * Names of the tabs that these questions stand in, each once, attention first.
 *
 * @param {Question[]} questions
 */
export function tabsOf(questions) {
  return [...new Set([DEFAULT_TAB, ...questions.map(({ tab }) => tab)])];
}

/**
 * Settings of all questions at first.
 *
 * @param {Question[]} questions
 */
export function usualOf(questions) {
  return Object.assign({}, ...questions.map(({ usual }) => usual));
}

/**
 * What an address holds, in the order in which it is read.
 *
 * @param {Question[]} questions
 */
export function parametersOf(questions) {
  return [...PARAMETERS, ...questions.flatMap(({ address }) => address)];
}
