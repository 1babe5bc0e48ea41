/** Ways of looking at what the tabs Words, Layers and Training show, as an address holds them. */

import { goldOf, MAX_GOLD, parseGold } from "../trace/gold.js";
import { headName, parseHead } from "../trace/heads.js";
import { KINDS } from "../trace/kinds.js";
import { wholeNumber } from "./question.js";
import {
  ALIGNING_ROWS,
  DEFAULT_LAYERS,
  DEFAULT_TRAINING,
  DEFAULT_WORDS,
  READINGS,
} from "./state.js";

/**
 * Whether a token is a candidate of the current step that was not chosen.
 *
 * @param {import("./state.js").State} state
 * @param {number | null} other  its id
 */
function isOther({ trace, step }, other) {
  const known = trace?.candidates[step]?.some(({ id }) => id === other) ?? false;
  return known && other !== trace?.tgt_ids[step];
}

/** @type {import("./parameter.js").Parameter[]} */
export const INSIDE = [
  {
    name: "words",
    keys: ["words"],
    write: ({ words: { reading } }) => (reading === DEFAULT_WORDS.reading ? null : reading),
    read: (text, { words }) => {
      const reading = READINGS.find((known) => known === text);
      return reading ? { words: { ...words, reading } } : null;
    },
    absent: ({ words }) => ({ words: { ...words, reading: DEFAULT_WORDS.reading } }),
  },
  {
    name: "words_row",
    keys: ["words"],
    write: ({ words: { row } }) => row,
    read: (text, { words }) => {
      const row = ALIGNING_ROWS.find((known) => known === text);
      return row ? { words: { ...words, row } } : null;
    },
    absent: ({ words }) => ({ words: { ...words, row: DEFAULT_WORDS.row } }),
  },
  {
    // "0-0 1-2 2?3": the links that a person gave for this very translation.
    name: "gold",
    keys: ["words", "trace"],
    write: ({ words: { gold }, trace }) =>
      trace && gold?.of === goldOf(trace) ? gold.text.trim() || null : null,
    read: (text, { words, trace }) =>
      trace && text.length <= MAX_GOLD && "gold" in parseGold(text)
        ? { words: { ...words, gold: { text, of: goldOf(trace) } } }
        : null,
    absent: ({ words }) => ({ words: { ...words, gold: DEFAULT_WORDS.gold } }),
  },
  {
    // The id of the candidate of the current step that was not chosen.
    name: "not",
    keys: ["words", "step"],
    write: (state) => (isOther(state, state.words.other) ? String(state.words.other) : null),
    read: (text, state) => {
      const other = wholeNumber(text);
      return isOther(state, other) ? { words: { ...state.words, other } } : null;
    },
    absent: ({ words }) => ({ words: { ...words, other: DEFAULT_WORDS.other } }),
  },
  {
    name: "residual",
    keys: ["layers"],
    write: ({ layers: { tower } }) => (tower === DEFAULT_LAYERS.tower ? null : tower),
    read: (text, { layers, trace }) =>
      text === "encoder" && trace?.weights.encoder_self
        ? { layers: { ...layers, tower: "encoder" } }
        : null,
    absent: ({ layers }) => ({ layers: { ...layers, tower: DEFAULT_LAYERS.tower } }),
  },
  {
    // "L2": up to which layer attention is multiplied.
    name: "rollout",
    keys: ["layers"],
    write: ({ layers: { rollout } }) => (rollout === null ? null : `L${rollout + 1}`),
    read: (text, { layers, trace }) => {
      const weights = trace?.weights.encoder_self ?? trace?.weights.decoder_self;
      const rollout = text.startsWith("L") ? (wholeNumber(text.slice(1)) ?? 0) - 1 : -1;
      const there = rollout >= 0 && rollout < (weights?.layers ?? 0);
      return there ? { layers: { ...layers, rollout } } : null;
    },
    absent: ({ layers }) => ({ layers: { ...layers, rollout: DEFAULT_LAYERS.rollout } }),
  },
  {
    // After so many steps of training; what is shown is the nearest moment that was kept.
    name: "trained",
    keys: ["training"],
    write: ({ training: { step } }) => (step === null ? null : String(step)),
    read: (text, { training }) => {
      const step = wholeNumber(text);
      return step === null ? null : { training: { ...training, step } };
    },
    absent: ({ training }) => ({ training: { ...training, step: DEFAULT_TRAINING.step } }),
  },
  {
    name: "training_pair",
    keys: ["training"],
    write: ({ training: { pair } }) => (pair === DEFAULT_TRAINING.pair ? null : String(pair + 1)),
    read: (text, { training }) => {
      const pair = (wholeNumber(text) ?? 0) - 1;
      return pair >= 0 && pair < 10 ? { training: { ...training, pair } } : null;
    },
    absent: ({ training }) => ({ training: { ...training, pair: DEFAULT_TRAINING.pair } }),
  },
  {
    // "cross.L2H4": the head that is shown large.
    name: "training_head",
    keys: ["training"],
    write: ({ training: { head } }) => head && `${head.kind}.${headName(head)}`,
    read: (text, { training }) => {
      const [name, rest] = text.split(".", 2);
      const kind = KINDS.find((known) => known === name);
      const choice = rest ? parseHead(rest) : null;
      if (!kind || !choice || typeof choice.layer === "string" || typeof choice.head === "string")
        return null;
      return { training: { ...training, head: { kind, ...choice } } };
    },
    absent: ({ training }) => ({ training: { ...training, head: DEFAULT_TRAINING.head } }),
  },
];
