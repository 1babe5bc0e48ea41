/** What is changed in the model, as an address has it. */

import { inOrder } from "../../trace/changes.js";
import { canonical, EFFECTS } from "../../trace/interventions.js";

/**
 * Changes as an address has them: "cross.L2H4-decoder_self.L1.uniform-cross@4.aim:5-causal"; what is only
 * switched off needs no saying.
 *
 * @param {string[]} texts
 */
export function interventionsAddress(texts) {
  return texts.map((text) => text.replace(/=(zero|off)$/, "").replace("=", ".")).join("-");
}

const WRITTEN = new RegExp(
  `^(.+?)(?:[=.](${EFFECTS.join("|")}|aim:[^.=]*|off|inverted|mixed|\\d+(?:\\.\\d+)?))?$`,
);

/**
 * @param {string} address  as `interventionsAddress` writes it, or the text forms
 * @returns {string[] | null}
 */
export function parseInterventions(address) {
  const texts = address.split("-").map((part) => {
    const [, name, effect] = WRITTEN.exec(part) ?? [];
    return canonical(`${name}=${effect ?? "off"}`) ?? canonical(`${name}=${effect ?? "zero"}`);
  });
  return texts.every((text) => text !== null) ? inOrder(texts) : null;
}
