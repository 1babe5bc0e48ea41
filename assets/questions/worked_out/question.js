/** How one weight came about. Its cell is in the address of whatever shows a matrix. */

/** @type {import("../../parts/question.js").Question} */
export const WORKED_OUT = {
  ...{ name: "worked_out", tab: "attention", title: "tab.worked_out" },
  ...{ usual: {}, address: [], ask: [] },
  view: async () => (await import("./view.js")).workedOutView,
};
