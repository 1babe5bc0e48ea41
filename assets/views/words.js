/** The words, and what comes of them: the beam between source and target, the translation, the branches. */

import { h } from "../kit/dom.js";
import { beamView } from "./beam/beam.js";
import { branchesView } from "./branches.js";
import { translationView } from "./translation.js";

/** @param {import("../state/actions.js").Context} context */
export function wordsView(context) {
  return h(
    "section",
    { class: "scene" },
    beamView(context),
    translationView(context),
    branchesView(context),
  );
}
