/** How much each decoder head looks at the token after an earlier copy of the one being read. */

import { inkOn, weightColor } from "../../draw/color.js";
import { numberTable } from "../../draw/number_table.js";
import { headTitle } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { briefText } from "../../kit/numbers.js";
import { analysisView } from "../../parts/awaited.js";
import { headName, sameHead } from "../../trace/choice.js";
import { unpackMatrix } from "../../trace/unpack.js";

/** @param {import("../../state/actions.js").Context} context */
export function inductionView(context) {
  const { actions, t } = context;
  const view = analysisView(context, {
    name: "induction",
    keys: ["heads", "theme", "coloring"],
    draw({ shares, by_chance, rows }, { heads, theme, coloring }) {
      if (by_chance === null) return [h("p", { class: "quiet" }, t("induction.none"))];
      const { rows: layers, columns: count, values } = unpackMatrix(shares);
      const table = numberTable({
        caption: t("induction.chance", { count: rows, chance: briefText(by_chance) }),
        corner: `${t("heads.layer")} ╲ ${t("heads.head")}`,
        rows: Array.from({ length: layers }, (_, layer) => [String(layer + 1)]),
        columns: Array.from({ length: count }, (_, head) => String(head + 1)),
        cell(layer, head) {
          const choice = { layer, head };
          const share = values[layer * count + head];
          const shown = briefText(share);
          return {
            text: `${headName(choice)} · ${headTitle(t, choice)}${t("colon")}${shown}`,
            shown,
            chosen: sameHead(heads.decoder_self, choice),
            choose: () => actions.enlarge("decoder_self", choice),
            ...{ color: weightColor(share, theme, coloring), ink: inkOn(share, theme, coloring) },
          };
        },
      });
      return [h("div", { class: "scrolling" }, table)];
    },
  });
  return h("div", {}, h("p", { class: "prose" }, t("induction.about")), view);
}
