/** What each layer would say. */

/** @type {import("../../parts/question.js").Question} */
export const LENS = {
  ...{ name: "lens", tab: "layers", title: "layers.lens" },
  ...{ needs: ["judged"], usual: {}, address: [], ask: ["lens"] },
  view: async () => (await import("./view.js")).lensSection,
};
