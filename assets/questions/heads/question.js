/** What each head does. */

import { entriesOf, oneOf } from "../../state/address/parameter.js";
import { MEASURES } from "../../trace/statistics.js";
import { DEFAULT_MEASURED } from "./settings.js";

const usual = { measured: DEFAULT_MEASURED };
const { field } = entriesOf(usual);

/** Measures that there are to choose from. */
const MEASURED = /** @type {const} */ ([...MEASURES, "harm"]);

/** @type {import("../../parts/question.js").Question} */
export const HEADS = {
  ...{ name: "heads", tab: "heads", title: "tab.heads" },
  usual,
  address: [
    field("over", "measured", "over", oneOf(["sentence", "corpus"])),
    field("measure", "measured", "measure", oneOf(MEASURED)),
    field("sort", "measured", "sort", oneOf(["head", ...MEASURED.flatMap((by) => [by, `-${by}`])])),
  ],
  ask: ["heads", "sweep"],
  must: [],
  view: async () => (await import("./view.js")).headsView,
};
