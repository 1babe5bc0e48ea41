/**
 * The address bar holds what is shown, so that a link is the picture, and back and forward work.
 * Layers, heads and steps count from 1 there, as on the page.
 */

import { hasHead, headName, parseHead } from "./head.js";
import { TEMPERATURES } from "./sampling.js";
import { KINDS } from "./trace.js";
import { lineWith } from "./tree.js";

/** @typedef {import("./actions.js").State} State */
/** @typedef {import("./actions.js").Actions} Actions */
/** @typedef {import("./decoding.js").Question} Question */
/** @typedef {import("./store.js").Store<State>} Store */

/**
 * A way of looking that the address holds. To add one, add it to LOOKS.
 *
 * @typedef {object} Look
 * @property {string} name  of its parameter
 * @property {(keyof State)[]} keys  what it follows
 * @property {(state: State) => string | null} write  null for what needs no saying
 * @property {(text: string, state: State) => Partial<State> | null} read  null if the trace shown
 *   has no such thing
 */

/** @type {Look[]} */
export const LOOKS = [
  {
    name: "step",
    keys: ["step"],
    write: ({ step }) => String(step + 1),
    read(text, { trace }) {
      const step = wholeNumber(text);
      return trace && step !== null && step > 0 && step <= trace.tgt_out.length
        ? { step: step - 1 }
        : null;
    },
  },
  {
    name: "kind",
    keys: ["kind"],
    write: ({ kind }) => kind,
    read(text, { trace }) {
      const kind = KINDS.find((kind) => kind === text);
      return kind && trace?.weights[kind] ? { kind } : null;
    },
  },
  ...KINDS.map(headsOf),
];

/**
 * The head that is enlarged and those pinned beside it: "3.1" or "3.1-2.mean-1.4".
 *
 * @param {import("./trace.js").Kind} kind
 * @returns {Look}
 */
function headsOf(kind) {
  return {
    name: kind,
    keys: ["heads", "pins"],
    write({ trace, heads, pins }) {
      const chosen = trace?.weights[kind] && heads[kind];
      return chosen ? [chosen, ...(pins[kind] ?? [])].map(headName).join("-") : null;
    },
    read(text, { trace, heads, pins }) {
      const weights = trace?.weights[kind];
      const [chosen, ...pinned] = text.split("-", 5).map((name) => {
        const head = parseHead(name);
        return head && weights && hasHead(head, weights) ? head : null;
      });
      if (!chosen) return null;
      const there = pinned.filter((head) => head !== null);
      return { heads: { ...heads, [kind]: chosen }, pins: { ...pins, [kind]: there } };
    },
  };
}

const QUESTION = ["model", "source", "sampling", "prefix"];

/**
 * What the address asks for, and what of it cannot be. Nothing in it is trusted.
 *
 * @param {URLSearchParams} address
 * @param {State} state
 * @returns {{question: Question, prefix: number[], ignored: string[]}}
 */
function readQuestion(address, { models, model: usual }) {
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
  const known = part("model", (text) => models.find(({ name }) => name === text)?.name, usual);
  const [example = ""] = models.find(({ name }) => name === known)?.examples ?? [];
  const sampling = part("sampling", readSampling, null);
  const question = { model: known, source: part("source", (text) => text, example), sampling };
  const prefix = part("prefix", readPrefix, /** @type {number[]} */ ([]));
  return { question, prefix, ignored };
}

/** @param {string} text  such as "0.8-40-7": temperature, top-k, seed */
function readSampling(text) {
  const parts = /^(\d{1,3}(?:\.\d{1,6})?)-(\d+)-(\d+)$/.exec(text)?.slice(1).map(Number);
  if (!parts) return null;
  const [temperature, top_k, seed] = parts;
  const { min, max } = TEMPERATURES;
  const fine =
    temperature >= min && temperature <= max && [top_k, seed].every(Number.isSafeInteger);
  return fine ? { temperature, top_k, seed } : null;
}

/** @param {string} text  such as "17-42": token ids */
function readPrefix(text) {
  const ids = text.split("-").map(wholeNumber);
  return ids.every((id) => id !== null) ? ids : null;
}

/** @param {string} text */
function wholeNumber(text) {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/**
 * The part of an address that says which trace is shown.
 *
 * @param {Question} question
 * @param {number[]} prefix
 * @returns {[string, string][]}
 */
function writeQuestion({ model, source, sampling }, prefix) {
  /** @type {[string, string][]} */
  const parts = [
    ["model", model],
    ["source", source],
  ];
  if (sampling) {
    const { temperature, top_k, seed } = sampling;
    parts.push(["sampling", [temperature, top_k, seed].join("-")]);
  }
  if (prefix.length) parts.push(["prefix", prefix.join("-")]);
  return parts;
}

/**
 * The address of what is shown. Parameters that are not ours stay.
 *
 * @param {State} state
 */
function addressOf(state) {
  const { question, tree, trace } = state;
  if (!question) return location.href;
  const prefix = tree.find((line) => line.trace === trace)?.prefix ?? [];
  const address = new URL(location.href);
  const { searchParams } = address;
  for (const name of [...QUESTION, ...LOOKS.map(({ name }) => name)]) searchParams.delete(name);
  for (const [name, text] of writeQuestion(question, prefix)) searchParams.set(name, text);
  for (const { name, write } of LOOKS) {
    const text = write(state);
    if (text !== null) searchParams.set(name, text);
  }
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
 * @param {Actions} actions
 */
export async function openLink(store, actions) {
  const address = new URLSearchParams(location.search);
  const { question, prefix, ignored } = readQuestion(address, store.get());
  const line = await actions.open(question, prefix);
  if (!line) return;
  if (line !== lineWith(store.get().tree, prefix)) ignored.push("prefix");
  for (const { name, read } of LOOKS) {
    const text = address.get(name);
    if (text === null) continue;
    const patch = read(text, store.get());
    if (patch) store.set(patch);
    else ignored.push(name);
  }
  store.set({ ignored: ignored.map((name) => `${name}=${address.get(name)?.slice(0, 40)}`) });
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
 * @param {Actions} actions
 */
export function followLink(store, actions) {
  let timer = 0;
  let shown = store.get();
  changeHistory("replaceState", addressOf(shown));
  const rest = () => {
    clearTimeout(timer);
    timer = 0;
  };
  /** @param {State} state */
  const write = (state) => {
    rest();
    const address = addressOf(state);
    // Going back or forward, the address is there before the picture.
    const same = questionIn(address) === questionIn(location.href);
    if (same && address !== location.href) changeHistory("replaceState", address);
  };
  const keys = new Set(["trace", "question", ...LOOKS.flatMap((look) => look.keys)]);
  store.watch(/** @type {(keyof State)[]} */ ([...keys]), (state) => {
    const before = shown;
    shown = state;
    if (state.trace === before.trace) {
      clearTimeout(timer);
      timer = setTimeout(write, REST, state);
      return;
    }
    if (timer) write(before);
    const address = addressOf(state);
    if (questionIn(address) !== questionIn(location.href)) changeHistory("pushState", address);
  });
  window.addEventListener("popstate", () => {
    rest();
    openLink(store, actions);
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
