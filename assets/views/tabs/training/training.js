/** How did it learn this, and how does it learn? A film, a toy that begins at noise, and a lesson. */

import { h } from "../../../kit/dom.js";
import { TRAINING_PARTS } from "../../../state/training.js";
import { historyView } from "./history.js";
import { noiseView } from "./noise.js";
import { teachView } from "./teach/teach.js";

const VIEWS = { film: historyView, noise: noiseView, teach: teachView };

/** @param {import("../../../state/actions.js").Context} context */
export function trainingView(context) {
  const { actions, t, watch } = context;
  const buttons = TRAINING_PARTS.map((part) =>
    h("button", { click: () => actions.changeTraining({ part }) }, t(`training.part.${part}`)),
  );
  const places = TRAINING_PARTS.map(() => h("div"));
  watch(["training"], ({ training }) => {
    for (const [i, part] of TRAINING_PARTS.entries()) {
      const shown = part === training.part;
      buttons[i].ariaPressed = String(shown);
      places[i].hidden = !shown;
      if (shown && !places[i].hasChildNodes()) places[i].append(VIEWS[part](context));
    }
  });
  return h(
    "div",
    { class: "training-tab" },
    h("div", { class: "switch", role: "group", "aria-label": t("training.parts") }, ...buttons),
    ...places,
  );
}
