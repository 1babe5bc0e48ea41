/** The beam, taken away: a picture, a drawing for a paper, a page to print. */

import { beamFigure } from "../../draw/beam/figure.js";
import { download } from "../../kit/download.js";
import { shownBeam } from "../../state/beam.js";
import { problemText } from "../../state/server/ask.js";
import { headName } from "../../trace/choice.js";
import { fileName } from "./file_name.js";
import { png, print, svg } from "./picture.js";

/** @typedef {(shown: import("./picture.js").Shown, name: string) => Promise<Blob> | Blob | void} Make */

/**
 * @param {import("../../state/actions.js").Context} context
 * @returns {import("../../kit/menu.js").Group}
 */
export function beamGroup({ store, t }) {
  /** @type {(make: Make, suffix: string) => () => Promise<string | null>} */
  const saved = (make, suffix) => async () => {
    const { trace, ...state } = store.get();
    const beam = shownBeam({ ...state, trace, hover: null, token: null });
    if (!trace || !beam) return null;
    const parts = [beam.kind, beam.choices.map(headName).join("-"), `step${state.step + 1}`];
    const name = fileName(trace, suffix, "beam", ...parts);
    try {
      const sentence = document.querySelector(".beam .sentence")?.textContent ?? "";
      const content = await make({ figure: beamFigure({ trace, ...beam, sentence }, t) }, name);
      if (content) download(name, content);
      return null;
    } catch {
      return problemText(t);
    }
  };
  return {
    title: t("save.beam"),
    items: [
      { label: t("save.beam.png"), run: saved(png, "png") },
      { label: t("save.beam.svg"), run: saved(svg, "svg") },
      { label: t("save.beam.pdf"), run: saved(print, "pdf") },
    ],
  };
}
