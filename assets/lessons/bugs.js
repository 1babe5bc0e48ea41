/** The stops of the clinic: what a patient may have, where it is best seen, and how it is known. */

import { SIGNS } from "./signs.js";

const DECODER = "tab=attention&kind=decoder_self&decoder_self=";
const ENCODER = "tab=attention&kind=encoder_self&encoder_self=";

/**
 * In the order in which the learner chooses among them.
 *
 * @type {(import("./stop.js").Stop & {judge: import("./signs.js").Sign})[]}
 */
export const BUGS = [
  { name: "causal", address: `${DECODER}L1H1`, judge: SIGNS.causal },
  { name: "inverted", address: `${DECODER}L1H1`, judge: SIGNS.inverted },
  {
    ...{ name: "scale", judge: SIGNS.scale },
    address: `${ENCODER}L1H1&cell=encoder_self.L1H1-1-1&frame=scale`,
  },
  { name: "positions", address: `${ENCODER}L1H1`, judge: SIGNS.positions },
  { name: "mixed", address: `${ENCODER}L1H1`, judge: SIGNS.mixed },
  { name: "unshifted", address: `${DECODER}mean&step=3`, judge: SIGNS.unshifted },
];
