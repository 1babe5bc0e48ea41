/** What an entry of the address is: how it is written, and how it is read. */

/** @typedef {import("./state.js").State} State */

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

export {};
