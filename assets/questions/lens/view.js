/** The logit lens: layers × steps, what each layer would say, and where the emitted token stands. */

import { inkOn, weightColor } from "../../draw/color.js";
import { tokenNode } from "../../draw/token.js";
import { region } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { probabilityText } from "../../kit/numbers.js";
import { scrollRow } from "../../kit/place.js";
import { tableOf, tableRow } from "../../kit/table.js";
import { analysisView } from "../../parts/awaited.js";
import { sectionView } from "../../parts/section.js";
import { judgedOf } from "../../trace/judged.js";
import { onlyReads } from "../../trace/kinds.js";
import { unpackMatrix } from "../../trace/unpack.js";

/** What the likeliest token has less than is no answer: the layer's state is nearly flat. */
const FAINT = 0.1;

/** @param {import("../../state/actions.js").Context} context */
export function lensSection(context) {
  return sectionView(context.t, "layers.lens", lensView(context));
}

/** @param {import("../../state/actions.js").Context} context */
function lensView(context) {
  const { actions, t, watch } = context;
  /** @type {{row: number, column: HTMLElement[]}[]} */
  let steps = [];

  const view = analysisView(context, {
    name: "lens",
    keys: ["theme"],
    draw({ tokens, probability, emitted, rank }, { trace, theme }) {
      if (!trace) return [];
      const [top, own] = [unpackMatrix(probability), unpackMatrix(emitted)];
      /** @type {(layer: number, step: number) => HTMLElement} */
      const cell = (layer, step) => {
        const i = layer * top.columns + step;
        const value = top.values[i];
        const same = rank[layer][step] === 1;
        const color = `background: ${weightColor(value, theme)}; color: ${inkOn(value, theme)}`;
        return h(
          "td",
          { style: color, class: value < FAINT ? "faint" : null },
          h("span", { class: "says" }, tokenNode(tokens[layer][step])),
          h(
            "span",
            { class: "how" },
            probabilityText(value),
            " · ",
            same ? "✓" : t("layers.rank", { rank: rank[layer][step] }),
          ),
          h(
            "span",
            { class: "spoken" },
            t("layers.own", { probability: probabilityText(own.values[i]) }),
          ),
        );
      };
      const { rows, reads, says } = judgedOf(trace);
      const heads = says.map((token, i) =>
        h(
          "th",
          { scope: "col" },
          h(
            "button",
            {
              click: () => actions.goTo(rows[i]),
              title: t(onlyReads(trace) ? "layers.go_word" : "layers.go"),
            },
            h("span", { class: "quiet" }, tokenNode(reads[i]), " →"),
            tokenNode(token),
          ),
        ),
      );
      const cells = tokens.map((_, layer) => says.map((_, step) => cell(layer, step)));
      steps = heads.map((head, i) => ({
        row: rows[i],
        column: [head, ...cells.map((row) => row[i])],
      }));
      const table = tableOf({
        caption: t("layers.lens"),
        columns: [t("layers.steps"), ...heads],
        rows: cells.map((row, layer) => tableRow([t("head.layer", { n: layer + 1 })], row)),
      });
      table.caption?.classList.add("spoken");
      queueMicrotask(mark);
      return [
        region("lens", t("layers.lens"), table),
        h("p", { class: "quiet prose" }, t("layers.lens_not")),
      ];
    },
  });

  function mark() {
    const { step, hiding, trace } = context.store.get();
    const veils = hiding && !onlyReads(trace);
    for (const { row, column } of steps) {
      for (const cell of column) {
        cell.classList.toggle("current", row === step);
        cell.classList.toggle("veiled", veils && row > step);
      }
      const table = column[0].closest("table");
      if (row !== step || !table?.parentElement) continue;
      scrollRow(table.parentElement, column[0], table.rows[0].cells[0].offsetWidth);
    }
  }
  watch(["step", "hiding"], mark);
  return view;
}
