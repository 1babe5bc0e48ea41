/** Why this token and not that one. */

import { entriesOf } from "../../state/address/parameter.js";
import { wholeNumber } from "../../state/address/question.js";
import { otherCandidate } from "../../trace/trace.js";
import { DEFAULT_WHY } from "./settings.js";

const usual = { why: DEFAULT_WHY };

/** @type {import("../../parts/question.js").Question} */
export const WHY = {
  ...{ name: "why", tab: "why", title: "why.title" },
  needs: ["steps"],
  usual,
  address: [
    // The id of the candidate of the current step that was not chosen.
    entriesOf(usual).field("not", "why", "other", {
      beside: ["step"],
      write: (other, { trace, step }) =>
        trace && otherCandidate(trace, step, other) ? String(other) : null,
      read: (text, { trace, step }) =>
        (trace && otherCandidate(trace, step, wholeNumber(text))?.id) ?? null,
    }),
  ],
  ask: ["leave_one_out", "why"],
  view: async () => (await import("./view.js")).insteadView,
};
