/** A map in numbers, for reading aloud and copying: made when it is opened. */

import { tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { hatchedCell, tableOf, tableRow } from "../../kit/table.js";

/**
 * A folded table of the numbers that a map shows [row, column].
 *
 * @param {import("../../state/actions.js").Context} context
 */
export function mapTable({ store, t, watch }) {
  const region = h("div", { class: "table", role: "region", tabindex: 0 });
  const element = h(
    "details",
    { class: "in-numbers", toggle: fill },
    h("summary", {}, t("table")),
    region,
  );
  /** @type {import("./drawn.js").Drawn | undefined} */
  let drawn;

  function fill() {
    if (!drawn || !element.open) {
      region.replaceChildren();
      return;
    }
    const { name, rows, heading, columns, numbers, none, text, steps, read } = drawn;
    const { step, hiding } = store.get();
    const seen = read && hiding ? step + 1 : columns.length;
    const headings = [...rows.map(([title]) => title), ...columns.slice(0, seen)];
    region.ariaLabel = name;
    region.replaceChildren(
      tableOf({
        caption: `${name} (${heading})`,
        columns: headings.map(tokenNode),
        rows: Array.from({ length: numbers.rows }, (_, row) =>
          tableRow(
            rows.map(([, labels]) => tokenNode(labels[row])),
            columns.slice(0, seen).map((_, column) => {
              const value = numbers.values[row * numbers.columns + column];
              return Number.isNaN(value) ? hatchedCell(none ?? t("map.none")) : text(value);
            }),
            {
              class: steps?.[row].includes(step) ? "current" : null,
              hidden: hiding && (steps?.[row][0] ?? 0) > step,
            },
          ),
        ),
      }),
    );
  }

  watch(["step", "hiding"], fill);
  return {
    element,
    /** @param {import("./drawn.js").Drawn} next */
    show(next) {
      drawn = next;
      fill();
    },
  };
}
