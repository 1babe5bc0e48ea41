/** What an entry of the address is, and the ways in which most of them are written and read. */

import { KINDS } from "../../trace/kinds.js";
import { wholeNumber } from "./question.js";

/** @import { State } from "../state.js" */
/** @import { Kind } from "../../trace/kinds.js" */

/**
 * @template {object} [Own={}]  what a question is set to, which the state holds, too
 * @typedef {object} Parameter
 * @property {string} name  in the address
 * @property {(keyof (State & Own))[]} keys  what it follows
 * @property {(state: State & Own) => string | null} write  null for what needs no saying
 * @property {(text: string, state: State & Own) => Partial<State & Own> | null} read  null if the trace
 *   shown has no such thing
 * @property {(state: State & Own) => Partial<State & Own>} [absent]  what an address without it shows; by
 *   default, what is shown anyway
 * @property {(text: string) => number[] | null} [branch]  the prefix of a branch that must be there
 *   before it is read
 * @property {boolean} [cleared]  a lesson's stop does away with it, unless its own address says it: what
 *   was opened before hides the next
 */

/**
 * How a value is written, as text if not told otherwise, and read.
 *
 * @template Value
 * @template {object} Whole  the state
 * @typedef {object} Form
 * @property {(text: string, state: Whole) => Value | null} read  null if it is none
 * @property {(value: Value, state: Whole) => string | null} [write]
 * @property {(keyof Whole)[]} [beside]  what else it follows
 */

/**
 * The entries for parts of the state which are not what they are at first.
 *
 * @template {object} Own
 * @param {Own} usual  what they are at first
 */
export function entriesOf(usual) {
  /**
   * A value of the state.
   *
   * @template {keyof Own} Key
   * @param {string} name
   * @param {Key} key
   * @param {Form<Own[Key], State & Own>} form
   * @returns {Parameter<Own>}
   */
  function value(name, key, { read, write = String }) {
    return entry(name, [key], {
      write: (state) => (state[key] === usual[key] ? null : write(state[key], state)),
      read: (text, state) => {
        const own = read(text, state);
        return own === null ? null : part(key, own);
      },
      absent: () => part(key, usual[key]),
    });
  }

  /**
   * One field of what a part of the page is set to.
   *
   * @template {keyof Own} Key
   * @template {keyof Own[Key]} Field
   * @param {string} name
   * @param {Key} key
   * @param {Field} field
   * @param {Form<Own[Key][Field], State & Own>} form
   */
  function field(name, key, field, { read, write = String, beside }) {
    return fields(name, key, [field], {
      beside,
      write: (set, state) => (set[field] === usual[key][field] ? null : write(set[field], state)),
      read: (text, state) => {
        const own = read(text, state);
        return own === null ? null : /** @type {any} */ ({ [field]: own });
      },
    });
  }

  /**
   * Several fields in one.
   *
   * @template {keyof Own} Key
   * @param {string} name
   * @param {Key} key
   * @param {(keyof Own[Key])[]} names
   * @param {object} form
   * @param {(text: string, state: State & Own) => Partial<Own[Key]> | null} form.read
   * @param {(set: Own[Key], state: State & Own) => string | null} form.write
   * @param {(keyof (State & Own))[]} [form.beside]
   */
  function fields(name, key, names, { read, write, beside = [] }) {
    const first = Object.fromEntries(names.map((each) => [each, usual[key][each]]));
    return entry(name, [key, ...beside], {
      write: (state) => write(state[key], state),
      read: (text, state) => {
        const own = read(text, state);
        return own && part(key, { ...state[key], ...own });
      },
      absent: (state) => part(key, { ...state[key], ...first }),
    });
  }

  /** @type {(name: string, keys: (keyof (State & Own))[], how: Pick<Parameter<Own>, "write" | "read" | "absent">) => Parameter<Own>} */
  const entry = (name, keys, how) => ({ name, keys, ...how });

  /** @type {<Key extends keyof Own>(key: Key, own: Own[Key]) => Partial<State & Own>} */
  const part = (key, own) => /** @type {any} */ ({ [key]: own });

  return { value, field, fields };
}

/**
 * Whether something folded is open.
 *
 * @param {string} name
 * @param {string} fold  its title
 * @param {string} [open]  how an address says so
 * @returns {Parameter}
 */
export function unfolding(name, fold, open = "on") {
  return {
    name,
    keys: ["unfolded"],
    write: ({ unfolded }) => (unfolded.includes(fold) ? open : null),
    read: (text, { unfolded }) => (text === open ? withOpen(unfolded, fold, true) : null),
    absent: ({ unfolded }) => withOpen(unfolded, fold, false),
  };
}

/** @type {(unfolded: string[], fold: string, open: boolean) => Pick<State, "unfolded">} */
export function withOpen(unfolded, fold, open) {
  const others = unfolded.filter((each) => each !== fold);
  return { unfolded: open ? [...others, fold] : others };
}

/**
 * An entry whose being there opens what it is folded into.
 *
 * @template {object} Own
 * @param {string} fold  its title
 * @param {Parameter<Own>} parameter
 * @returns {Parameter<Own>}
 */
export function unfolds(fold, { read, ...parameter }) {
  return {
    ...parameter,
    read: (text, state) => {
      const patch = read(text, state);
      return patch && { ...patch, ...withOpen(state.unfolded, fold, true) };
    },
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
 * @param {Parameter<any>[]} parameters
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
