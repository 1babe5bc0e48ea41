/** BertViz's own picture of the same trace. */

/** @type {import("../../parts/question.js").Question} */
export const BERTVIZ = {
  ...{ name: "bertviz", tab: "attention", title: "lines.bertviz", picture: "bertviz" },
  ...{ usual: {}, address: [], ask: [] },
  view: async () => (await import("./view.js")).bertvizView,
};
