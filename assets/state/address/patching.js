/** The sentence whose heads are put into the one that is shown, as an address holds it. */

import { donorOf, MAX_DONOR } from "../../questions/patching/settings.js";
import { field, fields, index } from "./parameter.js";

/** @type {import("./parameter.js").Parameter[]} */
export const PATCHING = [
  fields("patching", "patching", ["open"], {
    beside: ["trace"],
    write: ({ open }, state) => (open && donorOf(state) === null ? "on" : null),
    read: (text) => (text === "on" ? { open: true } : null),
  }),
  fields("donor", "patching", ["donor"], {
    beside: ["trace"],
    write: ({ open }, state) => (open ? donorOf(state) : null),
    read: (text, { trace }) =>
      trace && text.trim() && text.length <= MAX_DONOR
        ? { donor: { text, of: trace.source }, open: true }
        : null,
  }),
  field("donor_step", "patching", "step", {
    beside: ["trace"],
    write: (step, state) =>
      state.patching.open && donorOf(state) !== null ? String(Number(step) + 1) : null,
    read: (text, { trace }) => index(text, trace?.tgt_out.length),
  }),
];
