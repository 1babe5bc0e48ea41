/** What each layer would say. */

import { lensSection } from "./view.js";

/** @type {import("../../parts/question.js").Question} */
export const LENS = {
  ...{ name: "lens", tab: "layers", title: "layers.lens" },
  ...{ needs: ["steps"], usual: {}, address: [], ask: ["lens"] },
  view: lensSection,
};
