/**
 * Ways of looking that an address holds, one entry each. Layers, heads, steps and cells count from
 * 1 there, as on the page. What is as it usually is needs no saying.
 */

import { coloringText, PLAIN, parseColoring } from "../draw/coloring.js";
import { hasHead, headName, parseHead } from "../trace/heads.js";
import { KINDS } from "../trace/kinds.js";
import { MEASURES } from "../trace/statistics.js";
import { tellingHead } from "../trace/trace.js";
import { strongestKey } from "../trace/weights.js";
import { DIAGRAM_PARAMETERS } from "./diagram_parameters.js";
import { LESSON_PARAMETERS } from "./lesson_parameters.js";
import { COMPARED } from "./parameters_compared.js";
import { INSIDE } from "./parameters_inside.js";
import { startingColoring } from "./preferences.js";
import { wholeNumber } from "./question.js";
import { DEFAULT_LINES, DEFAULT_MEASURED, DEFAULT_TAB, SHADINGS, TABS } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("../trace/kinds.js").Kind} Kind */
/** @typedef {import("./parameter.js").Parameter} Parameter */

/** @type {Parameter[]} */
export const PARAMETERS = [
  {
    name: "step",
    keys: ["step"],
    write: ({ step }) => String(step + 1),
    read: (text, { trace }) => {
      const count = trace?.tgt_out.length ?? 0;
      const number = wholeNumber(text);
      if (number !== null && number > count) return { step: count - 1, beyond: number };
      const step = index(text, count);
      return step === null ? null : { step, beyond: null };
    },
    absent: () => ({ beyond: null }),
  },
  {
    name: "kind",
    keys: ["kind"],
    write: ({ kind }) => kind,
    read: (text, state) => {
      const kind = kindIn(text, state);
      return kind && { kind };
    },
  },
  ...KINDS.map(headsOf),
  {
    name: "shading",
    keys: ["shading"],
    write: ({ shading }) => (shading === SHADINGS[0] ? null : shading),
    read: (text) => {
      const shading = SHADINGS.find((known) => known === text);
      return shading ? { shading } : null;
    },
    absent: () => ({ shading: SHADINGS[0] }),
  },
  {
    name: "tables",
    keys: ["tables"],
    write: ({ tables }) => KINDS.filter((kind) => tables[kind]).join("-") || null,
    read: (text, state) => {
      const kinds = text.split("-", KINDS.length).map((part) => kindIn(part, state));
      return kinds.every((kind) => kind !== null)
        ? { tables: Object.fromEntries(kinds.map((kind) => [kind, true])) }
        : null;
    },
    absent: () => ({ tables: {} }),
  },
  {
    name: "colors",
    keys: ["coloring"],
    write: ({ coloring }) => {
      const text = coloringText(coloring);
      return text === coloringText(PLAIN) ? null : text;
    },
    read: (text) => {
      const coloring = parseColoring(text);
      return coloring && { coloring };
    },
    absent: () => ({ coloring: startingColoring() }),
  },
  ...COMPARED,
  {
    name: "presenter",
    keys: ["presenter", "tabbed"],
    write: ({ presenter, tabbed }) => (presenter ? (tabbed ? "tab" : "on") : null),
    read: (text) =>
      text === "on" || text === "tab" ? { presenter: true, tabbed: text === "tab" } : null,
    absent: () => ({ presenter: false, tabbed: false }),
  },
  {
    name: "next",
    keys: ["hiding"],
    write: ({ hiding }) => (hiding ? "hidden" : null),
    read: (text) => (text === "hidden" ? { hiding: true } : null),
    absent: () => ({ hiding: false }),
  },
  {
    name: "tab",
    keys: ["tab"],
    write: ({ tab }) => (tab === DEFAULT_TAB ? null : tab),
    read: (text, { lacking }) => {
      if (text === "worked_out") return {}; // a tab until 1.0; now `cell` alone says it
      const tab = TABS.find((known) => known === text && !lacking.includes(known));
      return tab ? { tab } : null;
    },
    absent: () => ({ tab: DEFAULT_TAB }),
  },
  {
    // "cross.L2H4-3-1": the cell whose arithmetic is shown, by its row and column. A lesson may ask
    // for the strongest cell of the telling head at whatever step is shown: "cross.telling-step-most".
    name: "cell",
    keys: ["picked"],
    write: ({ picked }) =>
      picked && `${picked.kind}.${headName(picked)}-${picked.query + 1}-${picked.key + 1}`,
    read: (text, state) => {
      const [name, row, column] = text.split("-", 4);
      const [first, ...rest] = (name ?? "").split(".");
      const kind = kindIn(first, state);
      const weights = kind && state.trace?.weights[kind];
      const told = rest.join(".");
      const telling = kind && state.trace ? tellingHead(state.trace, kind) : null;
      const choice = told === "telling" ? telling?.choice : parseHead(told);
      if (!kind || !weights || !choice || !hasHead(choice, weights)) return null;
      const query = row === "step" ? state.step : index(row, weights.queries);
      const key =
        column === "most" && query !== null
          ? strongestKey(weights, choice, query)
          : index(column, weights.keys);
      if (query === null || key === null) return null;
      return { kind, picked: { kind, ...choice, query, key } };
    },
    absent: () => ({ picked: null }),
  },
  ...DIAGRAM_PARAMETERS,
  ...LESSON_PARAMETERS,
  {
    // "decoder_self", "cross.L2": the kind and the layer that are drawn as lines, unless they follow
    // the large matrix and the head that is chosen in it.
    name: "lines",
    keys: ["lines"],
    write: ({ lines: { kind, layer } }) =>
      kind && (layer === null ? kind : `${kind}.L${layer + 1}`),
    read: (text, state) => {
      const [, name, number] = /^(\w+?)(?:\.L(\d+))?$/.exec(text) ?? [];
      const kind = kindIn(name, state);
      const layer = kind && number ? index(number, state.trace?.weights[kind]?.layers) : null;
      if (!kind || (number && layer === null)) return null;
      return { lines: { ...state.lines, kind, layer } };
    },
    absent: ({ lines }) => {
      const { kind, layer } = DEFAULT_LINES;
      return { lines: { ...lines, kind, layer } };
    },
  },
  {
    // "H1-H3": the heads that are left out of the lines.
    name: "lines_off",
    keys: ["lines"],
    write: ({ lines }) => lines.off.map((head) => `H${head + 1}`).join("-") || null,
    read: (text, { trace, lines }) => {
      const count = Math.max(0, ...Object.values(trace?.weights ?? {}).map(({ heads }) => heads));
      const off = text
        .split("-", count)
        .map((name) => (name.startsWith("H") ? index(name.slice(1), count) : null));
      return off.every((head) => head !== null) ? { lines: { ...lines, off } } : null;
    },
    absent: ({ lines }) => ({ lines: { ...lines, off: DEFAULT_LINES.off } }),
  },
  {
    name: "lines_from",
    keys: ["lines"],
    write: ({ lines: { threshold } }) =>
      threshold === DEFAULT_LINES.threshold ? null : String(threshold),
    read: (text, { lines }) => {
      const threshold = /^[01](\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
      return threshold <= 1 ? { lines: { ...lines, threshold } } : null;
    },
    absent: ({ lines }) => ({ lines: { ...lines, threshold: DEFAULT_LINES.threshold } }),
  },
  ...INSIDE,
  ...["over", "measure", "sort"].map((name) =>
    measuredBy(/** @type {keyof State["measured"]} */ (name)),
  ),
  {
    // Whose token ids and heads the rest of the address means.
    name: "checkpoint",
    keys: ["trace"],
    write: ({ trace, patient }) => (patient?.healthy ?? trace)?.checkpoint || null,
    read(text, { trace, patient }) {
      const { checkpoint } = (patient?.healthy ?? trace) || {};
      return { outdated: Boolean(checkpoint) && checkpoint !== text };
    },
    absent: () => ({ outdated: false }),
  },
];

/**
 * The head that is enlarged and those pinned beside it: "L3H1" or "L3H1-L2.mean-L1H4". A role can
 * stand for the head that has it: "aligns".
 *
 * @param {Kind} kind
 * @returns {Parameter}
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
      const telling = trace && tellingHead(trace, kind);
      const [chosen, ...pinned] = text.split("-", 5).map((name) => {
        const told = name === "telling" || name === telling?.role;
        const head = told ? telling?.choice : parseHead(name);
        return head && weights && hasHead(head, weights) ? head : null;
      });
      if (!chosen) return null;
      const there = pinned.filter((head) => head !== null);
      return { heads: { ...heads, [kind]: chosen }, pins: { ...pins, [kind]: there } };
    },
  };
}

/** What there is to choose from in the tab of all heads. */
const MEASURED = {
  over: ["sentence", "corpus"],
  measure: [...MEASURES, "harm"],
  sort: ["head", ...[...MEASURES, "harm"].flatMap((name) => [name, `-${name}`])],
};

/**
 * @param {keyof State["measured"]} name
 * @returns {Parameter}
 */
function measuredBy(name) {
  return {
    name,
    keys: ["measured"],
    write: ({ measured }) => (measured[name] === DEFAULT_MEASURED[name] ? null : measured[name]),
    read: (text, { measured }) =>
      MEASURED[name].includes(text) ? { measured: { ...measured, [name]: text } } : null,
    absent: ({ measured }) => ({ measured: { ...measured, [name]: DEFAULT_MEASURED[name] } }),
  };
}

/**
 * @param {string | undefined} text
 * @param {State} state
 * @returns {Kind | null}  null if the trace has none of this name
 */
function kindIn(text, { trace }) {
  return KINDS.find((kind) => kind === text && trace?.weights[kind]) ?? null;
}

/**
 * @param {string | undefined} text  a number from 1
 * @param {number} [count]  how many there are
 * @returns {number | null}  counted from 0; null if there is no such one
 */
function index(text, count = 0) {
  const number = wholeNumber(text ?? "");
  return number !== null && number > 0 && number <= count ? number - 1 : null;
}
