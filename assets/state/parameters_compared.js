/** What is set beside what is shown, as an address holds it. */

import { branchWith } from "../trace/tree.js";
import { parsePrefix, prefixText } from "./question.js";

/** @type {import("./parameter.js").Parameter[]} */
export const COMPARED = [
  {
    name: "compared",
    keys: ["compared"],
    write: ({ compared }) => compared && (prefixText(compared.prefix) || "trunk"),
    read: (text, { tree, trace }) => {
      const prefix = text === "trunk" ? [] : parsePrefix(text);
      const compared = prefix && branchWith(tree, prefix);
      return compared && compared.trace !== trace ? { compared } : null;
    },
    absent: () => ({ compared: null }),
    branch: parsePrefix,
  },
  {
    // "zh-en:我爱你": the model and the sentence that stand in the tab Compare.
    name: "against",
    keys: ["other"],
    write: ({ other }) => other && `${other.model}:${other.source}`,
    read: (text, { models }) => {
      const [name, ...rest] = text.split(":");
      const model = models.find((known) => known.name === name)?.name;
      return model && rest.length ? { other: { model, source: rest.join(":") } } : null;
    },
    absent: () => ({ other: null }),
  },
  {
    // "2:0-20000", "1:40-last": a pair of the training's history, and two steps in the tab Compare.
    name: "moments",
    keys: ["moments"],
    write: ({ moments }) =>
      moments && `${moments.pair + 1}:${moments.from}-${moments.to ?? "last"}`,
    read: (text) => {
      const [, pair, from, to] = /^([1-9]):(\d{1,9})-(\d{1,9}|last)$/.exec(text) ?? [];
      if (!pair) return null;
      const last = to === "last" ? null : Number(to);
      return { moments: { pair: Number(pair) - 1, from: Number(from), to: last } };
    },
    absent: () => ({ moments: null }),
  },
];
