/** All heads, a row each, sorted by any column; a head can be switched off from its row. */

import { targetTitle } from "../../draw/titles.js";
import { iconButton } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { briefText } from "../../kit/numbers.js";
import { tableOf, tableRow } from "../../kit/table.js";
import { revealHead } from "../../parts/reveal.js";
import { effectOn } from "../../trace/changes.js";
import { sameHead } from "../../trace/choice.js";
import { measurable, sortRows } from "../../trace/statistics.js";
import { representativeHead } from "../../trace/trace.js";

/** @import { HeadRow } from "../../trace/statistics.js" */

/**
 * @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context
 * @param {HeadRow[]} rows
 * @param {import("../../state/state.js").State & import("./settings.js").Own} state
 */
export function headsTable({ actions, t }, rows, { trace, patient, measured: { sort } }) {
  const by = sort.replace(/^-/, "");
  const swept = rows.some(({ numbers }) => numbers.harm !== null);
  // What no head here can have, an encoder's looking up of what came next, say, is no column.
  const measures = (trace ? measurable(trace) : []).filter((measure) =>
    rows.some(({ numbers }) => (numbers[measure] ?? null) !== null),
  );
  const columns = [...measures, ...(swept ? /** @type {const} */ (["harm"]) : [])];

  /** @type {(name: string, label: string) => HTMLElement} */
  function heading(name, label) {
    const order = sort.startsWith("-") ? "descending" : "ascending";
    const sorted = by === name ? order : "none";
    // The first press puts the largest first; a harm is the smaller the worse.
    const first = name === "harm" || name === "head" ? name : `-${name}`;
    const other = first.startsWith("-") ? name : `-${name}`;
    const next = name === "head" ? "head" : sort === first ? other : first;
    const arrow = { ascending: " ▲", descending: " ▼", none: "" }[sorted];
    const click = () => actions.adjust("measured", { sort: next });
    const button = h("button", { click }, label, h("span", { "aria-hidden": "true" }, arrow));
    return h("th", { scope: "col", "aria-sort": sorted }, button);
  }

  /** @param {HeadRow} row */
  function rowView({ kind, layer, head, role, share, chance, numbers }) {
    const target = { kind, layer, head };
    const what = targetTitle(t, target);
    const off = effectOn(trace?.interventions ?? [], target) !== null;
    const name = t(off ? "change.undo" : "change.switch_off", { what });
    const representative = trace && !patient ? representativeHead(trace, kind) : null;
    const aligns =
      representative?.role === "aligns" && sameHead(representative.choice, { layer, head });
    const named = role
      ? t("heads.role", {
          role: t(`role.${role}`),
          share: briefText(share ?? 0),
          chance: briefText(chance ?? 0),
        })
      : kind === "cross" && numbers.written === null
        ? t("heads.unaligned")
        : t("heads.unclear");
    const button = iconButton("off", name, () => actions.toggleEffect(target), {
      ...{ kind: "bare small", key: "X" },
    });
    button.ariaPressed = String(off);
    const show = { click: () => revealHead(actions, kind, { layer, head }) };
    const cells = [
      h("td", { class: "words" }, aligns ? `${named}; ${t("heads.aligns")}` : named),
      ...columns.map((measure) => {
        const value = numbers[measure] ?? null;
        return value === null ? "" : briefText(value);
      }),
      button,
    ];
    return tableRow([h("button", show, what)], cells, {
      keydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "x") return;
        event.preventDefault();
        actions.toggleEffect(target);
      },
    });
  }

  return tableOf({
    kind: "all-heads",
    columns: [
      heading("head", t("heads.name_column")),
      h("th", { scope: "col", class: "words" }, t("heads.role_column")),
      ...columns.map((name) => heading(name, t(`measure.${name}`))),
      h("td", {}),
    ],
    rows: sortRows(rows, sort).map(rowView),
  });
}
