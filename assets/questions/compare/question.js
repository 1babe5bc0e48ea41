/** What is shown, beside something else. */

import { compareView } from "./view.js";

/** @type {import("../../parts/question.js").Question} */
export const COMPARE = {
  ...{ name: "compare", tab: "compare", title: "tab.compare" },
  ...{ needs: [], usual: {}, address: [], ask: ["effect"] },
  view: compareView,
};
