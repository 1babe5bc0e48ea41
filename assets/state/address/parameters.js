/**
 * Ways of looking that an address holds, one entry each. Layers, heads, steps and cells count from
 * 1 there, as on the page. What is as it usually is needs no saying.
 */

import { coloringText, PLAIN, parseColoring } from "../../draw/coloring.js";
import { FRAMES } from "../../trace/arithmetic.js";
import { hasHead, headName, parseHead } from "../../trace/choice.js";
import { KINDS, walkOf } from "../../trace/kinds.js";
import { headOfRole } from "../../trace/measured.js";
import { openingHead, representativeHead } from "../../trace/trace.js";
import { strongestKey } from "../../trace/weights.js";
import { hasPair, PAIR_FILTERS } from "../pair.js";
import { startingColoring } from "../preferences.js";
import { parseTempering, temperingText } from "../sampling.js";
import { DEFAULT_TAB, PICTURES, USUAL } from "../state.js";
import { COMPARED } from "./compared.js";
import { LESSON_PARAMETERS } from "./lessons.js";
import { LINES } from "./lines.js";
import { OVERVIEW } from "./overview.js";
import { entriesOf, index, kindIn, oneOf } from "./parameter.js";
import { wholeNumber } from "./question.js";

/** @import { State } from "../state.js" */
/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Parameter } from "./parameter.js" */

const { value } = entriesOf(
  /** @type {Pick<State, "tables" | "hiding" | "frame" | "tempered">} */ (USUAL),
);

/**
 * The open tab, or in what else than a matrix attention is drawn; or that the model is taken apart.
 *
 * @type {Parameter}
 */
const TAB = {
  name: "tab",
  keys: ["tab", "picture", "apart"],
  write: ({ tab, picture, apart }) => {
    if (tab !== DEFAULT_TAB) return tab;
    if (apart) return "parts";
    return picture === PICTURES[0] ? null : picture;
  },
  read: (text, { lacking, tabs }) => {
    const picture = PICTURES.find((each) => each === text && !lacking.includes(each));
    if (picture) return { tab: DEFAULT_TAB, picture, apart: false };
    if (text === "parts") return { tab: DEFAULT_TAB, picture: PICTURES[0], apart: true };
    const tab = tabs.find((each) => each === text);
    return tab ? { tab, picture: PICTURES[0], apart: false } : null;
  },
  absent: () => ({ tab: DEFAULT_TAB, picture: PICTURES[0], apart: false }),
};

/** @type {Parameter[]} */
export const PARAMETERS = [
  {
    name: "step",
    keys: ["step"],
    write: ({ step }) => String(step + 1),
    read: (text, { trace }) => {
      const count = trace ? walkOf(trace).length : 0;
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
  value("tables", "tables", {
    write: (tables) => KINDS.filter((kind) => tables[kind]).join("-") || null,
    read: (text, state) => {
      const kinds = text.split("-", KINDS.length).map((part) => kindIn(part, state));
      return kinds.every((kind) => kind !== null)
        ? Object.fromEntries(kinds.map((kind) => [kind, true]))
        : null;
    },
  }),
  value("tempered", "tempered", {
    write: (tempered) => tempered && temperingText(tempered),
    read: parseTempering,
  }),
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
    ...value("next", "hiding", {
      write: () => "hidden",
      read: (text) => (text === "hidden" ? true : null),
    }),
    cleared: true,
  },
  TAB,
  {
    // "on" is attention, whatever tab stood below it; "tab" is what the tab shows.
    name: "presenter",
    keys: ["presenter", "tab"],
    write: ({ presenter, tab }) => (presenter ? (tab === DEFAULT_TAB ? "on" : "tab") : null),
    read: (text) => {
      if (text === "on") return { presenter: true, tab: DEFAULT_TAB };
      return text === "tab" ? { presenter: true } : null;
    },
    absent: () => ({ presenter: false }),
  },
  // "cross.L2H4-3-1": the cell whose arithmetic is shown, by its row and column. A lesson may ask
  // for the strongest cell of the representative head at whatever step is shown: "cross.representative-step-most".
  {
    name: "cell",
    keys: ["picked"],
    write: ({ picked }) =>
      picked && `${picked.kind}.${headName(picked)}-${picked.query + 1}-${picked.key + 1}`,
    read: (text, state) => {
      const [name, row, column] = text.split("-", 4);
      const [first, ...rest] = (name ?? "").split(".");
      const kind = kindIn(first, state);
      const weights = kind && state.trace?.weights[kind];
      const headText = rest.join(".");
      const representative = kind && state.trace ? representativeHead(state.trace, kind) : null;
      const choice = headText === "representative" ? representative?.choice : parseHead(headText);
      if (!kind || !weights || !choice || state.trace?.guest || !hasHead(choice, weights))
        return null;
      const query = row === "step" ? state.step : index(row, weights.queries);
      const key =
        column === "most" && query !== null
          ? strongestKey(weights, choice, query)
          : index(column, weights.keys);
      if (query === null || key === null) return null;
      return { kind, picked: { kind, ...choice, query, key } };
    },
    absent: () => ({ picked: null }),
    cleared: true,
  },
  { ...value("frame", "frame", oneOf(FRAMES)), cleared: true },
  {
    // "ab": of two sentences, what those of A look at in B.
    name: "pair",
    keys: ["pair", "trace", "kind"],
    write: (state) =>
      state.pair === PAIR_FILTERS[0] || !hasPair(state, state.kind) ? null : state.pair,
    read: (text, state) => {
      const pair = PAIR_FILTERS.find((each) => each === text);
      return pair && hasPair(state, state.kind) ? { pair } : null;
    },
    absent: () => ({ pair: PAIR_FILTERS[0] }),
  },
  ...LESSON_PARAMETERS,
  ...LINES,
  ...OVERVIEW,
  {
    // Whose token ids and heads the rest of the address means.
    name: "checkpoint",
    keys: ["trace"],
    write: ({ trace, patient }) => (patient?.healthy ?? trace)?.checkpoint || null,
    read: (text, { trace, patient }) => {
      const { checkpoint } = (patient?.healthy ?? trace) || {};
      return { outdated: Boolean(checkpoint) && checkpoint !== text };
    },
    absent: () => ({ outdated: false }),
  },
];

/**
 * The head that is enlarged and those pinned beside it: "L3H1" or "L3H1-L2.mean-L1H4". A role can
 * stand for the head that has it: "aligns" for the representative one, "previous" for the one of this text that does
 * it most; and "opening" for what a picture begins with.
 *
 * @param {Kind} kind
 * @returns {Parameter}
 */
function headsOf(kind) {
  return {
    name: kind,
    keys: ["heads", "pins"],
    write: ({ trace, heads, pins }) => {
      const chosen = trace?.weights[kind] && heads[kind];
      return chosen ? [chosen, ...(pins[kind] ?? [])].map(headName).join("-") : null;
    },
    read: (text, { trace, heads, pins }) => {
      const weights = trace?.weights[kind];
      const representative = trace && representativeHead(trace, kind);
      const [chosen, ...pinned] = text.split("-", 5).map((name) => {
        const opening = name === "opening" && trace ? openingHead(trace, kind) : null;
        if (opening) return opening;
        const isRepresentative = name === "representative" || name === representative?.role;
        const head = isRepresentative
          ? representative?.choice
          : (parseHead(name) ?? (trace && headOfRole(trace, kind, name)));
        return head && weights && hasHead(head, weights) ? head : null;
      });
      if (!chosen) return null;
      const there = pinned.filter((head) => head !== null);
      return { heads: { ...heads, [kind]: chosen }, pins: { ...pins, [kind]: there } };
    },
  };
}
