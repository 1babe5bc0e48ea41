/** What each word adds to a prediction. */

import { unfolding } from "../../state/address/parameter.js";

/** @type {import("../../parts/question.js").Question} */
export const GRADIENTS = {
  ...{ name: "gradients", tab: "why", title: "gradients.title", fold: "gradients.title" },
  needs: ["judged"],
  usual: {},
  address: [unfolding("gradients", "gradients.title")],
  ask: ["gradients", "leave_one_out", "why"],
  ofGuests: ["gradients", "leave_one_out"],
  view: async () => (await import("./view.js")).gradientsView,
};
