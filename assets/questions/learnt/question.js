/** Where the model learnt this. */

import { entriesOf } from "../../state/address/parameter.js";
import { goldOf } from "../../trace/gold.js";
import { DEFAULT_LEARNT } from "./settings.js";

const usual = { learnt: DEFAULT_LEARNT };

/** @type {import("../../parts/question.js").Question} */
export const LEARNT = {
  ...{ name: "learnt", tab: "why", title: "learnt.title" },
  usual,
  address: [
    // The token of the current step was looked for in the model's training text.
    entriesOf(usual).field("learnt", "learnt", "wanted", {
      beside: ["step", "trace"],
      write: (wanted, { trace, step }) =>
        trace && wanted?.step === step && wanted.of === goldOf(trace) ? "on" : null,
      read: (text, { trace, step }) =>
        trace && text === "on" ? { step, of: goldOf(trace) } : null,
    }),
  ],
  ask: ["learnt_from"],
  view: async () => (await import("./view.js")).learntView,
};
