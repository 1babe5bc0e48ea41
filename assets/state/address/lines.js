/** What of the lines between tokens an address holds: it is of no picture but them. */

import { DEFAULT_LINES, PICTURES } from "../state.js";
import { entriesOf, index, kindIn } from "./parameter.js";

/** @import { Parameter } from "./parameter.js" */

const { field, fields } = entriesOf({ lines: DEFAULT_LINES });

/** @type {(text: string, trace: import("../state.js").State["trace"]) => number[] | null} */
function headsIn(text, trace) {
  const count = Math.max(0, ...Object.values(trace?.weights ?? {}).map(({ heads }) => heads));
  const heads = text
    .split("-", count)
    .map((name) => (name.startsWith("H") ? index(name.slice(1), count) : null));
  return heads.every((head) => head !== null) ? heads : null;
}

/** @type {Parameter[]} */
export const LINES = [
  // "cross.L2": the layer that is drawn as lines, unless it is that of the head that is chosen.
  fields("lines", "lines", ["layer"], {
    write: ({ layer }, { kind }) => (layer === null ? null : `${kind}.L${layer + 1}`),
    read: (text, state) => {
      const [, name, number] = /^(\w+?)(?:\.L(\d+))?$/.exec(text) ?? [];
      const kind = kindIn(name, state);
      const layer = kind && number ? index(number, state.trace?.weights[kind]?.layers) : null;
      return kind && (layer !== null || !number) ? { layer } : null;
    },
  }),
  // "H1-H3", "none" or "all": the heads that are drawn, unless it is the chosen one.
  field("lines_heads", "lines", "heads", {
    write: (heads) =>
      Array.isArray(heads) ? heads.map((head) => `H${head + 1}`).join("-") || "none" : heads,
    read: (text, { trace }) =>
      text === "all" ? text : text === "none" ? [] : headsIn(text, trace),
  }),
  field("lines_from", "lines", "threshold", {
    read: (text) => (/^(0(\.\d{1,4})?|1(\.0{1,4})?)$/.test(text) ? Number(text) : null),
  }),
].map(ofLines);

/**
 * What an address says of lines draws lines, and is not said of a matrix.
 *
 * @param {Parameter} parameter
 * @returns {Parameter}
 */
function ofLines(parameter) {
  const { name, keys, write, read } = parameter;
  return {
    ...parameter,
    keys: [...keys, "tab", "picture", "kind"],
    write: (state) => (state.picture === "lines" ? write(state) : null),
    read: (text, state) => {
      const patch = read(text, state);
      const kind = name === "lines" ? kindIn(text.split(".")[0], state) : null;
      const picture = state.picture === PICTURES[0] ? "lines" : state.picture;
      return patch && { ...patch, picture, ...(kind && { kind }) };
    },
  };
}
