/** The beam, taken away: a picture, a drawing for a paper, a page to print. */

import { beamFigure } from "../../draw/beam/figure.js";
import { shownBeam } from "../../state/beam.js";
import { headName } from "../../trace/choice.js";
import { fileName } from "./file_name.js";
import { pictures } from "./picture.js";

/**
 * @param {import("../../state/actions.js").Context} context
 * @returns {import("../../kit/menu.js").Group}
 */
export function beamGroup({ store, t }) {
  const items = pictures(t, "save.beam", () => {
    const { trace, ...state } = store.get();
    const beam = shownBeam({ ...state, trace, hover: null, token: null });
    if (!trace || !beam) return null;
    const parts = [beam.kind, beam.choices.map(headName).join("-"), `step${state.step + 1}`];
    const sentence = document.querySelector(".beam .sentence")?.textContent ?? "";
    return {
      figure: beamFigure({ trace, ...beam, sentence }, t),
      name: (suffix) => fileName(trace, suffix, "beam", ...parts),
    };
  });
  return { title: t("save.beam"), items };
}
