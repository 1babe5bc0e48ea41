/** Which words belong together. */

import { linkedWordsView } from "./view.js";

/** @type {import("../../parts/question.js").Question} */
export const LINKS = {
  ...{ name: "links", tab: "why", title: "why.links" },
  ...{ needs: ["cross"], usual: {}, address: [], ask: [] },
  view: async () => linkedWordsView, // in the first picture
};
