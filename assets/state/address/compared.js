/** What is set beside what is shown, as an address holds it. */

import { branchWith } from "../../trace/tree.js";
import { USUAL } from "../state.js";
import { entriesOf } from "./parameter.js";
import { parsePrefix, prefixText } from "./question.js";

/** @import { State } from "../state.js" */

const { value } = entriesOf(/** @type {Pick<State, "compared" | "other" | "moments">} */ (USUAL));

/** @type {import("./parameter.js").Parameter[]} */
export const COMPARED = [
  {
    ...value("compared", "compared", {
      write: (compared) => compared && (prefixText(compared.prefix) || "trunk"),
      read: (text, { tree, trace }) => {
        const prefix = text === "trunk" ? [] : parsePrefix(text);
        const compared = prefix && branchWith(tree, prefix);
        return compared && compared.trace !== trace ? compared : null;
      },
    }),
    branch: parsePrefix,
  },
  // "zh-en:我爱你": the model and the sentence that stand in the tab Compare.
  value("against", "other", {
    write: (other) => other && `${other.model}:${other.source}`,
    read: (text, { models }) => {
      const [name, ...rest] = text.split(":");
      const model = models.find((each) => each.name === name)?.name;
      return model && rest.length ? { model, source: rest.join(":") } : null;
    },
  }),
  // "2:0-20000", "1:40-last": a pair of the training's history, and two steps in the tab Compare.
  value("moments", "moments", {
    write: (moments) => moments && `${moments.pair + 1}:${moments.from}-${moments.to ?? "last"}`,
    read: (text) => {
      const [, pair, from, to] = /^([1-9]):(\d{1,9})-(\d{1,9}|last)$/.exec(text) ?? [];
      if (!pair) return null;
      return { pair: Number(pair) - 1, from: Number(from), to: to === "last" ? null : Number(to) };
    },
  }),
];
