/** Parts of the model that can be taken away. */

import { partsView } from "./view.js";

/** @type {import("../../parts/question.js").Question} */
export const PARTS = {
  ...{ name: "parts", tab: "parts", title: "tab.parts" },
  ...{ needs: [], usual: {}, address: [], ask: [] },
  view: partsView,
};
