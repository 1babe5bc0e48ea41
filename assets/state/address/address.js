/** The address bar holds what is shown, so that a link is the picture, and back and forward work. */

import { branchWith } from "../../trace/tree.js";
import { readAll } from "./parameter.js";
import { QUESTION, readQuestion, writeQuestion } from "./question.js";

/** @import { State } from "../state.js" */
/** @import { Branch } from "../../trace/tree.js" */
/** @import { Parameter } from "./parameter.js" */
/** @typedef {import("../store.js").Store<State>} Store */
/** @typedef {(question: import("../state.js").Question, prefix: number[], others: number[][]) => Promise<Branch | null>} Open */

/**
 * What is shown, as parameters of an address.
 *
 * @param {State} state
 * @param {Parameter<any>[]} parameters  of looking
 * @returns {[string, string][] | null}  null if no address shows it
 */
export function written(state, parameters) {
  const { tree, trace, patient } = state;
  // Of a patient only the number is told: what is wrong is for the learner to say.
  const question = patient?.question ?? state.question;
  if (!question) return null;
  const shown = tree.find((branch) => branch.trace === trace);
  const prefix = (patient ? null : shown?.prefix) ?? [];
  const parts = writeQuestion(question, prefix);
  for (const { name, write } of parameters) {
    const text = write(state);
    if (text !== null) parts.push([name, text]);
  }
  return parts;
}

/**
 * The address of what is shown. Parameters that are not ours stay.
 *
 * @param {State} state
 * @param {Parameter<any>[]} parameters
 */
export function addressOf(state, parameters) {
  const parts = written(state, parameters);
  if (!parts) return location.href;
  const address = new URL(location.href);
  const { searchParams } = address;
  for (const name of [...QUESTION, ...parameters.map(({ name }) => name)])
    searchParams.delete(name);
  for (const [name, text] of parts) searchParams.set(name, text);
  // "cross@4.aim:5,6" as it is: a query may hold these, and a person is to read it.
  address.search = String(searchParams).replace(/%(?:2C|3A|40)/g, decodeURIComponent);
  return address.href;
}

/** @param {string} address */
function questionIn(address) {
  const { searchParams } = new URL(address);
  return QUESTION.map((name) => searchParams.get(name)).join("\n");
}

/**
 * Shows what the address asks for, as far as it can be shown.
 *
 * @param {Store} store
 * @param {Open} open
 * @param {Parameter<any>[]} parameters
 */
export async function openAddress(store, open, parameters) {
  await openParameters(store, open, parameters, new URLSearchParams(location.search));
}

/**
 * The same of what somebody else shows, say.
 *
 * @param {Store} store
 * @param {Open} open
 * @param {Parameter<any>[]} parameters  of looking; the others stay as they are
 * @param {URLSearchParams} address
 * @param {boolean} [same]  whether what it asks is shown already
 * @returns {Promise<boolean>}  whether it is shown
 */
export async function openParameters(store, open, parameters, address, same = false) {
  const { question, prefix, ignored } = readQuestion(address, store.get());
  if (!same) {
    const others = parameters.flatMap(({ name, branch }) => [
      branch?.(address.get(name) ?? "") ?? [],
    ]);
    const shown = await open(question, prefix, others);
    if (!shown) return false;
    if (shown !== branchWith(store.get().tree, prefix)) ignored.push("prefix");
  }
  // Read one after the other, set at once: the page follows once.
  const looking = readAll(store.get(), parameters, address);
  const unread = [...ignored, ...looking.ignored];
  store.set({
    ...looking.patch,
    ignored: unread.map((name) => `${name}=${address.get(name)?.slice(0, 40)}`),
  });
  return true;
}

/**
 * How long looking must rest before the address follows, in milliseconds. Browsers refuse more than
 * 100 changes in 30 seconds.
 */
const REST = 400;

/**
 * Keeps the address at what is shown: another trace is another entry of the browser's history,
 * another way of looking at it is not.
 *
 * @param {Store} store
 * @param {Open} open
 * @param {Parameter<any>[]} parameters
 */
export function followAddress(store, open, parameters) {
  let timer = 0;
  let shown = store.get();
  changeHistory("replaceState", addressOf(shown, parameters));
  const rest = () => {
    clearTimeout(timer);
    timer = 0;
  };
  /** @param {State} state */
  const write = (state) => {
    rest();
    const address = addressOf(state, parameters);
    // Going back or forward, the address is there before the picture.
    const same = questionIn(address) === questionIn(location.href);
    if (same && address !== location.href) changeHistory("replaceState", address);
  };
  const keys = new Set([
    "trace",
    "question",
    "report",
    ...parameters.flatMap((parameter) => parameter.keys),
  ]);
  store.watch(/** @type {(keyof State)[]} */ ([...keys]), (state) => {
    const before = shown;
    shown = state;
    // Nor has a report an address; going back leads to the same one, and so to the picture.
    if (state.report && !before.report) changeHistory("pushState", location.href);
    if (state.trace === before.trace) {
      clearTimeout(timer);
      timer = setTimeout(write, REST, state);
      return;
    }
    if (timer) write(before);
    const address = addressOf(state, parameters);
    // A file has no address; but going back from it leads to what was shown before.
    const unaddressed = before.question && !state.question;
    if (unaddressed || questionIn(address) !== questionIn(location.href)) {
      changeHistory("pushState", address);
    } else {
      timer = setTimeout(write, REST, state);
    }
  });
  window.addEventListener("popstate", () => {
    rest();
    openAddress(store, open, parameters);
  });
  window.addEventListener("pagehide", () => timer && write(shown));
}

/** How many pictures of ours lie before this one in the browser's history. */
function depthOf() {
  return Number(history.state?.depth) || 0;
}

/** Shows what was shown before, if that was on this page. */
export function goBack() {
  if (depthOf()) history.back();
}

/** Shows again what one has gone back from. */
export function goForward() {
  history.forward();
}

/** @type {(how: "pushState" | "replaceState", address: string) => void} */
function changeHistory(how, address) {
  try {
    const depth = depthOf() + (how === "pushState" ? 1 : 0);
    history[how]({ depth }, "", address);
  } catch {
    // The browser counted too many changes, or allows none: the page works without.
  }
}
