/** One head of a moment of training, large and with its tokens. */

import { figureTitle } from "../../../draw/titles.js";
import { h } from "../../../kit/dom.js";
import { countText, weightText } from "../../../kit/numbers.js";
import { mapView } from "../../../parts/map/map.js";
import { isMasked, keyTokens, rowLabels, rowNames } from "../../../trace/kinds.js";
import { headWeights } from "../../../trace/weights.js";

/** @param {import("../settings.js").Context} context */
export function largeHead(context) {
  const { store, t } = context;
  const title = h("h3");
  const map = mapView(context);
  const element = h("section", { class: "large-head" }, title, map.element);
  return {
    element,
    /** @type {(history: import("../../../trace/history.js").History, moment: number, of: number) => void} */
    show(history, moment, of) {
      const { head } = store.get().training;
      const weights = head && history.at(moment)[head.kind];
      const there =
        head && weights && Number(head.layer) < weights.layers && Number(head.head) < weights.heads;
      element.hidden = !there;
      if (!there) return;
      const { kind } = head;
      const pair = history.pairs[of];
      const values = headWeights(weights, head).map((weight, i) =>
        isMasked(kind, Math.floor(i / weights.keys), i % weights.keys) ? Number.NaN : weight,
      );
      const labels = rowLabels(pair, kind);
      const name = figureTitle(t, kind, head);
      title.textContent = `${name}, ${t("training.at", { step: countText(history.steps[moment]) })}`;
      map.show({
        name,
        unit: "",
        numbers: { rows: weights.queries, columns: weights.keys, values },
        most: 1,
        rows: rowNames(kind).map((row, i) => [t(`axis.${row}`), labels[i]]),
        heading: t("axis.keys"),
        columns: keyTokens(pair, kind),
        text: (value) => weightText(value, { digits: 2 }),
      });
    },
  };
}
