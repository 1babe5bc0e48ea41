/** Ways of looking at what the tabs Why this word, Layers and Training show, as an address holds them. */

import { ALIGNING_ROWS, READINGS } from "../../questions/readings/settings.js";
import { TOYS, TRAINING_PARTS } from "../../questions/training/settings.js";
import { headName, parseHead } from "../../trace/choice.js";
import { goldOf, MAX_GOLD, parseGold } from "../../trace/gold.js";
import { KINDS } from "../../trace/kinds.js";
import { otherCandidate } from "../../trace/trace.js";
import { field, index, oneOf } from "./parameter.js";
import { wholeNumber } from "./question.js";

/**
 * What an address says of a moment is of the model's own film, unless it says of which, too: there was
 * no other one once.
 *
 * @param {import("./parameter.js").Parameter} parameter
 * @returns {import("./parameter.js").Parameter}
 */
function ofOwnFilm({ read, ...parameter }) {
  return {
    ...parameter,
    read: (text, state) => {
      const found = read(text, state);
      return found?.training
        ? { training: { ...found.training, film: found.training.film ?? "own" } }
        : null;
    },
  };
}

/** @type {import("./parameter.js").Parameter[]} */
export const INSIDE = [
  field("words", "words", "reading", oneOf(READINGS)),
  field("words_row", "words", "row", oneOf(ALIGNING_ROWS)),
  // "0-0 1-2 2?3": the links that a person gave for this very translation.
  field("gold", "words", "gold", {
    beside: ["trace"],
    write: (gold, { trace }) =>
      trace && gold?.of === goldOf(trace) ? gold.text.trim() || null : null,
    read: (text, { trace }) =>
      trace && text.length <= MAX_GOLD && "gold" in parseGold(text)
        ? { text, of: goldOf(trace) }
        : null,
  }),
  // The id of the candidate of the current step that was not chosen.
  field("not", "words", "other", {
    beside: ["step"],
    write: (other, { trace, step }) =>
      trace && otherCandidate(trace, step, other) ? String(other) : null,
    read: (text, { trace, step }) =>
      (trace && otherCandidate(trace, step, wholeNumber(text))?.id) ?? null,
  }),
  field("gradients", "words", "gradients", {
    write: () => "on",
    read: (text) => (text === "on" ? true : null),
  }),
  field("readings", "words", "readings", {
    write: () => "on",
    read: (text) => (text === "on" ? true : null),
  }),
  // The token of the current step was looked for in the model's training text.
  field("learnt", "words", "learnt", {
    beside: ["step", "trace"],
    write: (learnt, { trace, step }) =>
      trace && learnt?.step === step && learnt.of === goldOf(trace) ? "on" : null,
    read: (text, { trace, step }) => (trace && text === "on" ? { step, of: goldOf(trace) } : null),
  }),
  field("layers", "layers", "rest", {
    write: (rest) => (rest ? "all" : null),
    read: (text) => (text === "all" ? true : null),
  }),
  field(
    "residual",
    "layers",
    "tower",
    oneOf(["encoder"], (_, { trace }) => Boolean(trace?.weights.encoder_self)),
  ),
  // "L2": up to which layer attention is multiplied.
  field("rollout", "layers", "rollout", {
    write: (layer) => `L${Number(layer) + 1}`,
    read: (text, { trace }) => {
      const { layers } = trace?.weights.encoder_self ?? trace?.weights.decoder_self ?? {};
      return text.startsWith("L") ? index(text.slice(1), layers) : null;
    },
  }),
  field("training", "training", "part", oneOf(TRAINING_PARTS)),
  field("film", "training", "film", oneOf(["own", "toy"])),
  field("toy", "training", "toy", oneOf([...TOYS])),
  // After so many steps of training; what is shown is the nearest moment that was kept.
  ofOwnFilm(field("trained", "training", "step", { read: wholeNumber })),
  ofOwnFilm(
    field("training_pair", "training", "pair", {
      write: (pair) => String(pair + 1),
      read: (text) => index(text, 10),
    }),
  ),
  // After so many steps of a lesson.
  field("teach_step", "training", "learnt", { read: wholeNumber }),
  // "cross.L2H4": the head that is shown large.
  field("training_head", "training", "head", {
    write: (head) => head && `${head.kind}.${headName(head)}`,
    read: (text) => {
      const [name, rest] = text.split(".", 2);
      const kind = KINDS.find((known) => known === name);
      const choice = rest ? parseHead(rest) : null;
      if (!kind || !choice || typeof choice.layer === "string" || typeof choice.head === "string")
        return null;
      return { kind, ...choice };
    },
  }),
];
