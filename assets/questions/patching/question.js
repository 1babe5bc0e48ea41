/** This sentence again, with one part of the model as it was for another sentence. */

import { entriesOf, index, unfolding, unfolds } from "../../state/address/parameter.js";
import { judgedOf } from "../../trace/judged.js";
import { DEFAULT_PATCHING, donorOf, MAX_DONOR } from "./settings.js";

const usual = { patching: DEFAULT_PATCHING };
const { field, fields } = entriesOf(usual);

const FOLD = "patching.title";

/** Said where no other sentence says it. @type {import("../../state/address/parameter.js").Parameter<typeof usual>} */
const open = unfolding("patching", FOLD);

/** @type {import("../../parts/question.js").Question} */
export const PATCHING = {
  ...{ name: "patching", tab: "heads", title: FOLD, fold: FOLD },
  needs: ["judged"],
  usual,
  address: [
    { ...open, write: (state) => (donorOf(state) === null ? open.write(state) : null) },
    unfolds(
      FOLD,
      fields("donor", "patching", ["donor"], {
        beside: ["trace", "unfolded"],
        write: (_, state) => (state.unfolded.includes(FOLD) ? donorOf(state) : null),
        read: (text, { trace }) =>
          trace && text.trim() && text.length <= MAX_DONOR
            ? { donor: { text, of: trace.source } }
            : null,
      }),
    ),
    field("donor_step", "patching", "step", {
      beside: ["trace", "unfolded"],
      write: (step, state) =>
        state.unfolded.includes(FOLD) && donorOf(state) !== null ? String(Number(step) + 1) : null,
      read: (text, { trace }) => trace && index(text, judgedOf(trace).rows.length),
    }),
  ],
  ask: ["patching", "swaps"],
  ofGuests: ["patching"],
  view: async () => (await import("./view.js")).patchingView,
};
