/** How did it learn this, and how does it learn? A film, a toy from noise, and a correction. */

import { switchView } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { historyView } from "./film/history.js";
import { noiseView } from "./noise.js";
import { TRAINING_PARTS } from "./settings.js";
import { teachView } from "./teach/teach.js";

const VIEWS = { film: historyView, noise: noiseView, teach: teachView };

/** @param {import("./settings.js").Context} context */
export function trainingView(context) {
  const { actions, t, watch } = context;
  const parts = switchView(
    t("training.parts"),
    TRAINING_PARTS,
    (part) => t(`training.part.${part}`),
    (part) => actions.adjust("training", { part }),
  );
  const places = TRAINING_PARTS.map(() => h("div"));
  watch(["training"], ({ training }) => {
    parts.press(training.part);
    for (const [i, part] of TRAINING_PARTS.entries()) {
      const shown = part === training.part;
      places[i].hidden = !shown;
      if (shown && !places[i].hasChildNodes()) places[i].append(VIEWS[part](context));
    }
  });
  return h("div", { class: "training-tab" }, parts.element, ...places);
}
