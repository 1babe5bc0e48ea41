/** What of the model's picture an address holds. */

import { EXPLAINED, mayHave } from "../trace/blocks.js";
import { wholeNumber } from "./question.js";
import { DEFAULT_DIAGRAM } from "./state.js";

/** @type {import("./parameter.js").Parameter[]} */
export const DIAGRAM_PARAMETERS = [
  {
    // "2" or "all": the layers that are drawn.
    name: "layer",
    keys: ["diagram"],
    write({ diagram: { layer } }) {
      if (layer === DEFAULT_DIAGRAM.layer) return null;
      return layer === "all" ? layer : String(layer + 1);
    },
    read(text, { trace, diagram }) {
      if (text === "all") return { diagram: { ...diagram, layer: text } };
      const layers = Object.values(trace?.weights ?? {}).map(({ layers }) => layers);
      const number = wholeNumber(text) ?? 0;
      if (number < 1 || number > Math.max(...layers)) return null;
      return { diagram: { ...diagram, layer: number - 1 } };
    },
    absent: ({ diagram }) => ({ diagram: { ...diagram, layer: DEFAULT_DIAGRAM.layer } }),
  },
  {
    // "encoder.L1.self_attention-3": the block that is open, and the source token that is followed.
    name: "block",
    keys: ["diagram"],
    write({ diagram: { open, token } }) {
      if (!open) return null;
      return token && open.startsWith("encoder") ? `${open}-${token + 1}` : open;
    },
    read(text, { trace, diagram }) {
      const [open, number] = text.split("-", 2);
      const token = number ? (wholeNumber(number) ?? 0) - 1 : 0;
      const explained = EXPLAINED.some((name) => name === open);
      if (!trace || !(explained || mayHave(trace, open))) return null;
      if (token < 0 || token >= Math.max(1, trace.src.length)) return null;
      return { diagram: { ...diagram, open, token } };
    },
    absent: ({ diagram }) => ({ diagram: { ...diagram, open: null, token: 0 } }),
  },
];
