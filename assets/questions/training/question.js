/** How the model learnt, and how it learns. */

import { entriesOf, index, oneOf } from "../../state/address/parameter.js";
import { wholeNumber } from "../../state/address/question.js";
import { headName, isOneHead, parseHead } from "../../trace/choice.js";
import { KINDS } from "../../trace/kinds.js";
import { DEFAULT_TRAINING, TOYS, TRAINING_PARTS } from "./settings.js";

const usual = { training: DEFAULT_TRAINING };
const { field } = entriesOf(usual);

/** @type {import("../../parts/question.js").Question} */
export const TRAINING = {
  ...{ name: "training", tab: "training", title: "tab.training" },
  usual,
  address: [
    field("training", "training", "part", oneOf(TRAINING_PARTS)),
    field("film", "training", "film", oneOf(["own", "toy"])),
    field("toy", "training", "toy", oneOf([...TOYS])),
    // After so many steps of training; what is shown is the nearest moment that was kept.
    field("trained", "training", "step", { read: wholeNumber }),
    field("training_pair", "training", "pair", {
      write: (pair) => String(pair + 1),
      read: (text) => index(text, 10),
    }),
    // After so many steps of a run.
    field("teach_step", "training", "learnt", { read: wholeNumber }),
    // "cross.L2H4": the head that is shown large.
    field("training_head", "training", "head", {
      write: (head) => head && `${head.kind}.${headName(head)}`,
      read: (text) => {
        const [name, rest] = text.split(".", 2);
        const kind = KINDS.find((each) => each === name);
        const choice = rest ? parseHead(rest) : null;
        if (!kind || !choice || !isOneHead(choice)) return null;
        return { kind, ...choice };
      },
    }),
  ],
  ask: [],
  view: async () => (await import("./view.js")).trainingView,
};
