/** The words, and what comes of them: the beam between source and target, the translation, the branches. */

import { h } from "../kit/dom.js";
import { beamView } from "./beam/beam.js";
import { branchesView } from "./branches.js";
import { translationView } from "./translation.js";

/**
 * @param {import("../state/actions.js").Context} context
 * @param {((context: import("../state/actions.js").Context) => HTMLElement) | undefined} cardView  what
 *   leads a newcomer
 */
export function wordsView(context, cardView) {
  return h(
    "section",
    { class: "scene" },
    beamView(context),
    h("div", { class: "outcome" }, translationView(context), cardView?.(context) ?? null),
    branchesView(context),
  );
}
