/** What each reading says a translation rested on. */

import { entriesOf, oneOf, unfolding, unfolds } from "../../state/address/parameter.js";
import { goldOf, MAX_GOLD, parseGold } from "../../trace/gold.js";
import { ALIGNING_ROWS, DEFAULT_WORDS, READINGS } from "./settings.js";

const usual = { words: DEFAULT_WORDS };
const { field } = entriesOf(usual);

const FOLD = "why.readings";

/** @type {import("../../parts/question.js").Question} */
export const READINGS_OF_WORDS = {
  ...{ name: "readings", tab: "why", title: "why.readings", fold: FOLD },
  needs: ["steps"],
  usual,
  address: [
    unfolding("readings", FOLD),
    unfolds(FOLD, field("words", "words", "reading", oneOf(READINGS))),
    field("words_row", "words", "row", oneOf(ALIGNING_ROWS)),
    // "0-0 1-2 2?3": the links that a person gave for this very translation.
    unfolds(
      FOLD,
      field("gold", "words", "gold", {
        beside: ["trace"],
        write: (gold, { trace }) =>
          trace && gold?.of === goldOf(trace) ? gold.text.trim() || null : null,
        read: (text, { trace }) =>
          trace && text.length <= MAX_GOLD && "gold" in parseGold(text)
            ? { text, of: goldOf(trace) }
            : null,
      }),
    ),
  ],
  ask: ["contributions", "leave_one_out", "value_norms", "value_zeroing"],
  ofGuests: ["leave_one_out"],
  view: async () => (await import("./view.js")).sideBySideView,
};
