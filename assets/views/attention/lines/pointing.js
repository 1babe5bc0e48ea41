/** Which lines stand out: the pointed token's or cell's, else the current step's; else none do. */

import { itemIndex } from "../../../kit/dom.js";
import { crosshair } from "../../../state/pointing.js";
import { isStep } from "../../../trace/kinds.js";

/** @import { Standout } from "./drawn.js" */

/**
 * @param {{queries: HTMLElement, keys: HTMLElement}} lists  of tokens
 * @param {() => void} onPoint  another token is pointed at in them
 * @returns {(kind: import("../../../trace/kinds.js").Kind, state: import("../../../state/state.js").State) => Standout | null}
 */
export function linePointing({ queries, keys }, onPoint) {
  /** @type {{side: "rows" | "columns", index: number} | null} */
  let own = null;

  /** @type {(list: HTMLElement, side: "rows" | "columns") => void} */
  function follow(list, side) {
    list.addEventListener("pointerover", ({ target }) => {
      const index = itemIndex(list, target);
      own = index < 0 ? null : { side, index };
      onPoint();
    });
    list.addEventListener("pointerleave", () => {
      own = null;
      onPoint();
    });
  }
  follow(keys, "columns");
  follow(queries, "rows");

  return (kind, state) => {
    const light = own ? { rows: [], columns: [], [own.side]: [own.index] } : crosshair(kind, state);
    const cell = !own && state.hover?.kind === kind;
    const [rows, columns] = [new Set(light.rows), new Set(light.columns)];
    if (rows.size + columns.size) return { rows, columns, pointed: true, cell };
    return state.trace && isStep(state.trace, kind)
      ? { rows: new Set([state.step]), columns, pointed: false, cell }
      : null;
  };
}
