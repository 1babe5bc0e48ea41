/** One head's matrices in both traces, and what the one has more or less than the other. */

import { turnOf } from "../draw/axis_label.js";
import { inkOn, weightColor } from "../draw/color.js";
import { numberTable } from "../draw/number_table.js";
import { headTitle } from "../draw/titles.js";
import { tokenNode } from "../draw/token.js";
import { region } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { changeText, numberText, weightText } from "../kit/numbers.js";
import { hasHead } from "../trace/choice.js";
import { difference } from "../trace/comparison.js";
import { isMasked, keyTokens, rowLabels } from "../trace/kinds.js";
import { headWeights, isHere, isOff, maskAt } from "../trace/weights.js";

/** @import { Attended } from "../trace/comparison.js" */

/** The fullest colour stands for the largest difference, and for so much at least: noise is not drawn as if it were one. */
const LEAST_FULL = 0.01;

/** @type {(of: Attended, kind: import("../trace/kinds.js").Kind, choice: import("../trace/choice.js").Choice) => boolean}  of a large trace, whether a head is not here yet */
function isToCome({ weights }, kind, choice) {
  const own = weights[kind];
  return own !== undefined && hasHead(choice, own) && !isHere(own, choice);
}

/**
 * Matrices of one head [query, key]: in either trace, and of their differences.
 *
 * @param {import("../state/actions.js").Context} context
 * @param {import("../trace/comparison.js").Compared} compared
 * @param {Pick<import("../state/state.js").State, "kind" | "heads" | "theme" | "coloring">} state
 * @param {string} [about]  explains them, with a hole for the largest difference; by default, of the head
 *   that is large under Attention
 * @returns {Node[]}
 */
export function compareMatrices(
  { actions, t },
  { one, name, other, now },
  { kind, heads, theme, coloring },
  about = t("compare.matrices"),
) {
  const choice = heads[kind];
  if (!choice) return [];
  const title = h("h2", { class: "heading" }, `${t(`${kind}.title`)} · ${headTitle(t, choice)}`);
  const toCome = [one, other].filter((of) => isToCome(of, kind, choice));
  if (toCome.length) {
    // Nothing else shows another sentence's large trace.
    for (const of of toCome) actions.bringHeads(kind, [choice], of);
    return [title, h("p", { role: "status", class: "quiet" }, t("analysis.waiting"))];
  }

  /** @type {(of: Attended, caption: string) => HTMLElement} */
  function matrix(of, caption) {
    const weights = of.weights[kind];
    if (!weights || !choice || !hasHead(choice, weights))
      return h("p", { class: "quiet" }, t("compare.no_head"));
    const values = headWeights(weights, choice);
    const rows = rowLabels(of, kind);
    return frame(
      numberTable({
        caption,
        rows: rows[0].map((_, row) => rows.map((tokens) => tokenNode(tokens[row]))),
        columns: keyTokens(of, kind).map(tokenNode),
        cell: (row, column) => {
          if (isMasked(kind, row, column, maskAt(weights, choice)))
            return { text: t("tip.masked"), kind: "hatched" };
          const weight = values[row * weights.keys + column];
          const text = weightText(weight, { off: isOff(values, row, weights.keys) });
          return {
            text,
            color: weightColor(weight, theme, coloring),
            ink: inkOn(weight, theme, coloring),
          };
        },
      }),
    );
  }

  const change = difference(one, other, kind, choice);
  const [mine, its] = [other, one].map(({ weights }) => weights[kind]?.causal ?? true);
  const causal = mine === its ? mine : false; // what one of them saw is no blank
  const most = Math.max(0, ...(change?.values.flat().map(Math.abs) ?? []));
  const full = Math.max(most, LEAST_FULL);
  const rows = rowLabels(other, kind);
  const keys = keyTokens(other, kind);
  const changed = change
    ? h(
        "div",
        {},
        frame(
          numberTable({
            caption: `${now} − ${name}`,
            rows: change.rows.map(([, row]) => rows.map((tokens) => tokenNode(tokens[row]))),
            columns: change.columns.map(([, column]) => tokenNode(keys[column])),
            cell: (row, column) => {
              const [[, query], [, key]] = [change.rows[row], change.columns[column]];
              if (isMasked(kind, query, key, causal))
                return { text: t("tip.masked"), kind: "hatched" };
              const value = change.values[row][column];
              return { text: changeText(value), signed: value / full };
            },
          }),
        ),
        scaleOf(full),
      )
    : h("p", { class: "quiet" }, t("compare.no_difference"));
  return [
    title,
    h("p", { class: "quiet" }, about.replace("{most}", numberText(most))),
    h("div", { class: "three" }, matrix(one, name), matrix(other, now), changed),
  ];

  /** What the colours of the differences stand for. @param {number} full */
  function scaleOf(full) {
    const bar = h("span", { class: "bar signed-scale" });
    return h("p", { class: "abreast map-scale quiet" }, numberText(-full), bar, changeText(full));
  }

  /** @param {HTMLTableElement} table */
  function frame(table) {
    table.classList.add("tokens-across", turnOf(table.tHead?.textContent ?? ""));
    const label = table.caption?.textContent ?? "";
    return region("scrolling", label, table);
  }
}
