/** Which heads look up what came next before. */

import { unfolding } from "../../state/address/parameter.js";

const FOLD = "induction.title";

/** @type {import("../../parts/question.js").Question} */
export const INDUCTION = {
  ...{ name: "induction", tab: "heads", title: FOLD, fold: FOLD },
  ...{ usual: {}, address: [unfolding("induction", FOLD)], ask: ["induction"] },
  view: async () => (await import("./view.js")).inductionView,
};
