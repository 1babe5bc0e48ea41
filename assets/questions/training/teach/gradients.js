/** Where a step acts: how large the gradient is, part by part and head by head. */

import { inkOn, weightColor } from "../../../draw/color.js";
import { numberTable } from "../../../draw/number_table.js";
import { h } from "../../../kit/dom.js";
import { sizeText } from "../../../kit/numbers.js";
import { inARow } from "../../../kit/typeset.js";
import { headName, sameHead } from "../../../trace/choice.js";
import { KINDS } from "../../../trace/kinds.js";

/** @import { Run } from "../../../trace/run.js" */

/** @param {import("../settings.js").Context} context */
export function gradientsView({ store, actions, t }) {
  const title = h("h3");
  const parts = h("dl", { class: "gradient-parts" });
  const shared = h("p", { class: "quiet" });
  const byHead = h("div", { class: "gradient-heads" });
  const element = h(
    "section",
    {},
    title,
    h("p", { class: "prose" }, t("teach.gradient_about")),
    parts,
    shared,
    h("h4", {}, t("teach.by_head")),
    byHead,
  );

  /**
   * "Encoder L1, self-attention"
   *
   * @param {string} part
   */
  function partText(part) {
    const [, tower, layer, name] = /^(?:(\w+)\.)?(?:(L\d+)\.)?(\w+)$/.exec(part) ?? [];
    const where = [tower && t(`layers.tower.${tower}`), layer].filter(Boolean).join(" ");
    const what = layer ? t(`layers.sublayer.${name}`) : t(`teach.part.${name}`);
    return [where, what].filter(Boolean).join(t("words.comma"));
  }

  return {
    element,
    /** @type {(run: Run, moment: number) => void} */
    draw(run, moment) {
      const step = Math.min(moment, run.gradients.length - 1);
      const sizes = run.gradients[step];
      title.textContent = t("teach.gradient", {
        step: step + 1,
        size: sizeText(Math.hypot(...sizes)),
      });
      const most = largest(sizes);
      parts.replaceChildren(
        ...run.parts.flatMap((part, i) => {
          const size = sizes[i];
          return [
            h("dt", {}, partText(part)),
            h(
              "dd",
              { class: "abreast", style: `--share: ${Number.isFinite(size) ? size / most : 1}` },
              h("span", { class: "bar" }),
              h("span", { class: "number" }, sizeText(size)),
            ),
          ];
        }),
      );
      shared.textContent = inARow(
        Object.entries(run.shared).map(([part, owner]) =>
          t("teach.shared", { part: partText(part), owner: partText(owner) }),
        ),
      );
      drawHeads(run, step);
    },
  };

  /** @type {(run: Run, step: number) => void} */
  function drawHeads({ head_gradients }, step) {
    const { theme, coloring, training } = store.get();
    const most = largest(KINDS.flatMap((kind) => [...(head_gradients[kind]?.steps[step] ?? [])]));
    byHead.replaceChildren(
      ...KINDS.flatMap((kind) => {
        const of = head_gradients[kind];
        if (!of) return [];
        const { layers, heads, steps } = of;
        const table = numberTable({
          caption: t(`${kind}.title`),
          corner: `${t("heads.layer")} ╲ ${t("heads.head")}`,
          rows: Array.from({ length: layers }, (_, layer) => [String(layer + 1)]),
          columns: Array.from({ length: heads }, (_, head) => String(head + 1)),
          cell: (layer, head) => {
            const size = steps[step][layer * heads + head];
            const share = Number.isFinite(size) ? size / most : 1;
            const choice = { layer, head };
            return {
              text: `${headName(choice)}${t("colon")}${sizeText(size)}`,
              color: weightColor(share, theme, coloring),
              ink: inkOn(share, theme, coloring),
              chosen: training.head?.kind === kind && sameHead(training.head, choice),
              choose: () => actions.adjust("training", { head: { kind, ...choice } }),
            };
          },
        });
        return [h("div", { class: "scrolling" }, table)];
      }),
    );
  }
}

/** @param {Iterable<number>} sizes */
function largest(sizes) {
  return Math.max(...[...sizes].filter(Number.isFinite)) || 1;
}
