/** One measure of all heads: a map layers × heads for each kind. A click shows the head above. */

import { inkOn, weightColor } from "../../draw/color.js";
import { numberTable } from "../../draw/number_table.js";
import { headTitle } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { briefText } from "../../kit/numbers.js";
import { headName, sameHead } from "../../trace/choice.js";
import { SHOWN } from "../../trace/kinds.js";
import { MEASURES } from "../../trace/statistics.js";

/** @import { Measure } from "../../trace/statistics.js" */

/** @type {(Measure | "harm")[]}  that can be negative */
const SIGNED = ["offset", "harm"];

/** @type {(name: string) => Measure | "harm"} */
export function chosenMeasure(name) {
  return name === "harm" ? name : (MEASURES.find((each) => each === name) ?? MEASURES[0]);
}

/**
 * @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context
 * @param {import("../../trace/statistics.js").HeadRow[]} rows
 * @param {import("../../trace/answers.d.ts").Statistics} statistics
 * @param {import("../../state/state.js").State & import("./settings.js").Own} state
 * @returns {Node[]}
 */
export function headMaps({ actions, t }, rows, statistics, { measured, heads, theme, coloring }) {
  const { measure } = measured;
  const values = rows.flatMap(({ numbers }) => numbers[measure] ?? []);
  if (!values.length) return [h("p", { class: "quiet" }, t(`heads.none.${measure === "harm"}`))];
  const most = Math.max(...values.map(Math.abs)) || 1;
  return SHOWN.flatMap((kind) => {
    const own = rows.filter((row) => row.kind === kind && row.numbers[measure] !== null);
    if (!own.length) return [];
    const layers = Math.max(...own.map(({ layer }) => layer)) + 1;
    const count = Math.max(...own.map(({ head }) => head)) + 1;
    const chance = measure === "harm" ? null : (statistics[kind]?.by_chance[measure] ?? null);
    const caption =
      chance === null
        ? t(`${kind}.title`)
        : t("heads.by_chance", { kind: t(`${kind}.title`), chance: briefText(chance) });
    const table = numberTable({
      caption,
      corner: `${t("heads.layer")} ╲ ${t("heads.head")}`,
      rows: Array.from({ length: layers }, (_, layer) => [String(layer + 1)]),
      columns: Array.from({ length: count }, (_, head) => String(head + 1)),
      cell: (layer, head) => {
        const choice = { layer, head };
        const value = own.find((row) => row.layer === layer && row.head === head)?.numbers[measure];
        if (value === null || value === undefined) return { text: "" };
        const shown = briefText(value);
        const share = measure === "entropy" ? value / most : value;
        return {
          text: `${headName(choice)} · ${headTitle(t, choice)}${t("colon")}${shown}`,
          shown,
          chosen: sameHead(heads[kind], choice),
          choose: () => actions.enlarge(kind, choice),
          ...(SIGNED.includes(measure)
            ? { signed: value / most }
            : { color: weightColor(share, theme, coloring), ink: inkOn(share, theme, coloring) }),
        };
      },
    });
    return [h("div", { class: "scrolling" }, table)];
  });
}
