/** What is told of a head, and whether it stands out among the others. */

import { headTitle } from "../../draw/titles.js";
import { briefText } from "../../kit/numbers.js";

/** @import { HeadRow } from "../../trace/statistics.js" */
/** @import { Head } from "./arranged.js" */

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {HeadRow[] | null} rows  null: nothing is known yet
 * @param {string[]} roles  that are looked for
 */
export function telling(t, rows, roles) {
  /** @type {HeadRow[][]}  [layer][head] */
  const table = [];
  for (const row of rows ?? []) {
    table[row.layer] ??= [];
    table[row.layer][row.head] = row;
  }
  const rowOf = (/** @type {Head} */ { layer, head }) => table[layer]?.[head];

  /** @param {Head} head */
  function does(head) {
    const row = rowOf(head);
    if (!row) return "";
    const sharpness = briefText(row.numbers.sharpness ?? 0);
    const sharp = `${t("measure.sharpness")}${t("colon")}${sharpness}`;
    return [row.role ? t(`role.${row.role}`) : t("heads.unclear"), sharp].join(" · ");
  }

  return {
    /** A head's work in a few words, without its name. */
    does,
    /** @param {Head} head */
    named: (head) => [headTitle(t, head), does(head)].filter(Boolean).join(" · "),
    /** @param {Head} head */
    isLit: (head) => roles.length === 0 || roles.includes(rowOf(head)?.role ?? ""),
  };
}
