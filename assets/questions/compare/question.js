/** The trace that is shown, beside something else. */

/** @type {import("../../parts/question.js").Question} */
export const COMPARE = {
  ...{ name: "compare", tab: "compare", title: "tab.compare" },
  ...{ usual: {}, address: [], ask: ["effect"], must: [] },
  view: async () => (await import("./view.js")).compareView,
};
