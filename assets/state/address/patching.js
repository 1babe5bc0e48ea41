/** The sentence whose heads are put into the one that is shown, as an address holds it. */

import { donorOf, MAX_DONOR } from "../patching.js";
import { field, fields, index } from "./parameter.js";

/** @type {import("./parameter.js").Parameter[]} */
export const PATCHING = [
  {
    ...fields("patching", "patching", ["open"], {
      write: ({ open }, state) => (open && donorOf(state) === null ? "on" : null),
      read: (text) => (text === "on" ? { open: true } : null),
    }),
    keys: ["patching", "trace"],
  },
  {
    ...fields("donor", "patching", ["donor"], {
      write: ({ open }, state) => (open ? donorOf(state) : null),
      read: (text, { trace }) =>
        trace && text.trim() && text.length <= MAX_DONOR
          ? { donor: { text, of: trace.source }, open: true }
          : null,
    }),
    keys: ["patching", "trace"],
  },
  {
    ...field("donor_step", "patching", "step", {
      write: (step, state) =>
        state.patching.open && donorOf(state) !== null ? String(Number(step) + 1) : null,
      read: (text, { trace }) => index(text, trace?.tgt_out.length),
    }),
    keys: ["patching", "trace"],
  },
];
