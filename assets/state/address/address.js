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
 * The address of what is shown. Parameters that are not ours stay.
 *
 * @param {State} state
 * @param {Parameter<any>[]} parameters
 */
function addressOf(state, parameters) {
  const { tree, trace, patient } = state;
  // Of a patient only the number is told: what is wrong is for the learner to say.
  const question = patient?.question ?? state.question;
  if (!question) return location.href;
  const shown = tree.find((branch) => branch.trace === trace);
  const prefix = (patient ? null : shown?.prefix) ?? [];
  const address = new URL(location.href);
  const { searchParams } = address;
  for (const name of [...QUESTION, ...parameters.map(({ name }) => name)])
    searchParams.delete(name);
  for (const [name, text] of writeQuestion(question, prefix)) searchParams.set(name, text);
  for (const { name, write } of parameters) {
    const text = write(state);
    if (text !== null) searchParams.set(name, text);
  }
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
  const address = new URLSearchParams(location.search);
  const { question, prefix, ignored } = readQuestion(address, store.get());
  const others = parameters.flatMap(({ name, branch }) => [
    branch?.(address.get(name) ?? "") ?? [],
  ]);
  const shown = await open(question, prefix, others);
  if (!shown) return;
  if (shown !== branchWith(store.get().tree, prefix)) ignored.push("prefix");
  // Read one after the other, set at once: the page follows once.
  const looking = readAll(store.get(), parameters, address);
  const unread = [...ignored, ...looking.ignored];
  store.set({
    ...looking.patch,
    ignored: unread.map((name) => `${name}=${address.get(name)?.slice(0, 40)}`),
  });
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

/** @type {(how: "pushState" | "replaceState", address: string) => void} */
function changeHistory(how, address) {
  try {
    history[how](null, "", address);
  } catch {
    // The browser counted too many changes, or allows none: the page works without.
  }
}
