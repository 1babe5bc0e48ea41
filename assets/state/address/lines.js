/** What of the lines between tokens an address holds. */

import { field, fields, index, kindIn } from "./parameter.js";

/** @type {import("./parameter.js").Parameter[]} */
export const LINES = [
  // "decoder_self", "cross.L2": the kind and the layer that are drawn as lines, unless they follow
  // the large matrix and the head that is chosen in it.
  fields("lines", "lines", ["kind", "layer"], {
    write: ({ kind, layer }) => kind && (layer === null ? kind : `${kind}.L${layer + 1}`),
    read: (text, state) => {
      const [, name, number] = /^(\w+?)(?:\.L(\d+))?$/.exec(text) ?? [];
      const kind = kindIn(name, state);
      const layer = kind && number ? index(number, state.trace?.weights[kind]?.layers) : null;
      return kind && (layer !== null || !number) ? { kind, layer } : null;
    },
  }),
  // "H1-H3": the heads that are left out of the lines.
  field("lines_off", "lines", "off", {
    write: (off) => off.map((head) => `H${head + 1}`).join("-") || null,
    read: (text, { trace }) => {
      const count = Math.max(0, ...Object.values(trace?.weights ?? {}).map(({ heads }) => heads));
      const off = text
        .split("-", count)
        .map((name) => (name.startsWith("H") ? index(name.slice(1), count) : null));
      return off.every((head) => head !== null) ? off : null;
    },
  }),
  field("lines_from", "lines", "threshold", {
    read: (text) => (/^(0(\.\d{1,4})?|1(\.0{1,4})?)$/.test(text) ? Number(text) : null),
  }),
];
