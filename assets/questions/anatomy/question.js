/** The whole model in one picture. */

import { entriesOf, index } from "../../state/address/parameter.js";
import { EXPLAINED, mayHave } from "../../trace/blocks.js";
import { DEFAULT_DIAGRAM } from "./settings.js";

const usual = { diagram: DEFAULT_DIAGRAM };
const { field, fields } = entriesOf(usual);

/** @type {import("../../parts/question.js").Question} */
export const ANATOMY = {
  ...{ name: "anatomy", tab: "model", title: "tab.model" },
  usual,
  address: [
    // "2" or "all": the layers that are drawn.
    field("layer", "diagram", "layer", {
      write: (layer) => (layer === "all" ? layer : String(layer + 1)),
      read: (text, { trace }) => {
        const layers = Object.values(trace?.weights ?? {}).map(({ layers }) => layers);
        return text === "all" ? text : index(text, Math.max(0, ...layers));
      },
    }),
    // "encoder.L1.self_attention-3": the block that is open, and the source token that is followed.
    {
      ...fields("block", "diagram", ["open", "token"], {
        write: ({ open, token }) =>
          token && open?.startsWith("encoder") ? `${open}-${token + 1}` : open,
        read: (text, { trace }) => {
          const [open, number] = text.split("-", 2);
          const token = number ? index(number, trace?.src.length) : 0;
          const explained = EXPLAINED.some((name) => name === open);
          return trace && token !== null && (explained || mayHave(trace, open))
            ? { open, token }
            : null;
        },
      }),
      cleared: true,
    },
  ],
  ask: ["anatomy", "costs", "flow"],
  must: ["anatomy"],
  view: async () => (await import("./view.js")).modelView,
};
