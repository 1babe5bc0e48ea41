/** The residual stream's length after every sublayer. */

import { switchView } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { numberText } from "../../kit/numbers.js";
import { analysisView } from "../../parts/awaited.js";
import { mapView } from "../../parts/map/map.js";
import { sectionView } from "../../parts/section.js";
import { unpackMatrix } from "../../trace/unpack.js";

const TOWERS = /** @type {const} */ (["decoder", "encoder"]);

/** @param {import("../../state/actions.js").Context<{residual: import("./settings.js").ResidualSettings}>} context */
export function residualView(context) {
  const { actions, t, watch } = context;
  const towers = switchView(
    t("layers.tower"),
    TOWERS,
    (tower) => t(`layers.tower.${tower}`),
    (tower) => actions.adjust("residual", { tower }),
  );
  const map = mapView(context);
  const view = analysisView(context, {
    name: "residual",
    keys: ["residual"],
    draw(answer, { trace, residual }) {
      if (!trace) return [];
      const tower = answer.encoder ? residual.tower : "decoder";
      const decodes = tower === "decoder";
      const packed = answer[tower] ?? answer.decoder;
      const names = answer[`${tower}_sublayers`].map(sublayer);
      map.show({
        name: `${t("layers.residual")}, ${t(`layers.tower.${tower}`)}`,
        unit: "",
        numbers: unpackMatrix(packed),
        rows: [[t("layers.after"), names]],
        heading: t(decodes ? "axis.reads" : "axis.queries"),
        columns: decodes ? trace.tgt_in : trace.src,
        text: (value) => numberText(value, 1),
        read: decodes,
      });
      return [map.element];
    },
  });
  watch(["trace", "residual"], ({ trace, residual }) => {
    towers.element.hidden = !trace?.weights.encoder_self;
    towers.press(residual.tower);
  });

  /** @param {string} name */
  function sublayer(name) {
    const [layer, ...rest] = name.split(" ");
    return `${layer} ${t(`layers.sublayer.${rest.join("_").replace("-", "_")}`)}`;
  }

  return sectionView(t, "layers.residual", h("div", {}, towers.element, view));
}
