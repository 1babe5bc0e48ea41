/** What an entry of the address is, and the ways in which most of them are written and read. */

import { KINDS } from "../../trace/kinds.js";
import { USUAL } from "../state.js";
import { wholeNumber } from "./question.js";

/** @import { Settings, State } from "../state.js" */
/** @import { Kind } from "../../trace/kinds.js" */

/**
 * @typedef {object} Parameter
 * @property {string} name  in the address
 * @property {(keyof State)[]} keys  what it follows
 * @property {(state: State) => string | null} write  null for what needs no saying
 * @property {(text: string, state: State) => Partial<State> | null} read  null if the trace shown
 *   has no such thing
 * @property {(state: State) => Partial<State>} [absent]  what an address without it shows; by
 *   default, what is shown anyway
 * @property {(text: string) => number[] | null} [branch]  the prefix of a branch that must be there
 *   before it is read
 */

/**
 * How a value is written, as text if not told otherwise, and read.
 *
 * @template Value
 * @typedef {object} Form
 * @property {(text: string, state: State) => Value | null} read  null if it is none
 * @property {(value: Value, state: State) => string | null} [write]
 * @property {(keyof State)[]} [beside]  what else it follows
 */

/**
 * A value of the state.
 *
 * @template {Exclude<keyof typeof USUAL, Settings>} Key
 * @param {string} name
 * @param {Key} key
 * @param {Form<State[Key]>} form
 * @returns {Parameter}
 */
export function value(name, key, { read, write = String }) {
  const usual = /** @type {State[Key]} */ (USUAL[key]);
  return {
    name,
    keys: [key],
    write: (state) => (state[key] === usual ? null : write(state[key], state)),
    read: (text, state) => {
      const found = read(text, state);
      return found === null ? null : { [key]: found };
    },
    absent: () => ({ [key]: usual }),
  };
}

/**
 * One field of what a part of the page is set to.
 *
 * @template {Settings} Key
 * @template {keyof State[Key] & string} Field
 * @param {string} name
 * @param {Key} key
 * @param {Field} field
 * @param {Form<State[Key][Field]>} form
 */
export function field(name, key, field, { read, write = String, beside }) {
  const usual = /** @type {State[Key]} */ (USUAL[key])[field];
  return fields(name, key, [field], {
    beside,
    write: (set, state) => (set[field] === usual ? null : write(set[field], state)),
    read: (text, state) => {
      const found = read(text, state);
      return found === null ? null : /** @type {Partial<State[Key]>} */ ({ [field]: found });
    },
  });
}

/**
 * Several fields in one.
 *
 * @template {Settings} Key
 * @param {string} name
 * @param {Key} key
 * @param {(keyof State[Key])[]} names
 * @param {object} form
 * @param {(text: string, state: State) => Partial<State[Key]> | null} form.read
 * @param {(set: State[Key], state: State) => string | null} form.write
 * @param {(keyof State)[]} [form.beside]
 * @returns {Parameter}
 */
export function fields(name, key, names, { read, write, beside = [] }) {
  const all = /** @type {State[Key]} */ (USUAL[key]);
  const usual = Object.fromEntries(names.map((each) => [each, all[each]]));
  return {
    name,
    keys: [key, ...beside],
    write: (state) => write(state[key], state),
    read: (text, state) => {
      const found = read(text, state);
      return found && { [key]: { ...state[key], ...found } };
    },
    absent: (state) => ({ [key]: { ...state[key], ...usual } }),
  };
}

/**
 * One of a few names.
 *
 * @template {string} Name
 * @param {readonly Name[]} names
 * @param {(name: Name, state: State) => boolean} [there]  whether it can be shown
 * @returns {{read: (text: string, state: State) => Name | null}}
 */
export function oneOf(names, there = () => true) {
  return {
    read: (text, state) => names.find((each) => each === text && there(each, state)) ?? null,
  };
}

/**
 * @param {string | undefined} text
 * @param {State} state
 * @returns {Kind | null}  null if the trace has none of this name
 */
export function kindIn(text, { trace }) {
  return KINDS.find((kind) => kind === text && trace?.weights[kind]) ?? null;
}

/**
 * @param {string | undefined} text  a number from 1
 * @param {number} [count]  how many there are
 * @returns {number | null}  counted from 0; null if there is no such one
 */
export function index(text, count = 0) {
  const number = wholeNumber(text ?? "");
  return number !== null && number > 0 && number <= count ? number - 1 : null;
}

/**
 * What parameters say of a state, one after the other; each sees what those before it have said.
 *
 * @param {State} state
 * @param {Parameter[]} parameters
 * @param {URLSearchParams} address
 * @returns {{patch: Partial<State>, ignored: string[]}}  and the names of those that say nothing
 */
export function readAll(state, parameters, address) {
  /** @type {Partial<State>} */
  let patch = {};
  /** @type {string[]} */
  const ignored = [];
  for (const { name, read, absent } of parameters) {
    const now = { ...state, ...patch };
    const text = address.get(name);
    const part = text === null ? null : read(text, now);
    if (text !== null && !part) ignored.push(name);
    patch = { ...patch, ...(part ?? absent?.(now)) };
  }
  return { patch, ignored };
}
