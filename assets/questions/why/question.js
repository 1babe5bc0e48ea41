/** Why this token and not that one: what each word says for it, by one reading at a time. */

import { entriesOf, oneOf } from "../../state/address/parameter.js";
import { wholeNumber } from "../../state/address/question.js";
import { goldOf, MAX_GOLD, parseGold } from "../../trace/gold.js";
import { otherCandidate } from "../../trace/trace.js";
import { ALIGNING_ROWS, DEFAULT_WORDS, READINGS } from "./settings.js";

const usual = { words: DEFAULT_WORDS };
const { field } = entriesOf(usual);

/** @type {import("../../parts/question.js").Question} */
export const WHY = {
  ...{ name: "why", tab: "why", title: "why.title" },
  needs: ["judged"],
  usual,
  address: [
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
  ],
  ask: ["leave_one_out", "why", "contributions", "value_norms", "value_zeroing", "gradients"],
  must: ["leave_one_out"],
  view: async () => (await import("./view.js")).whyView,
};
