/** The words that are looked at in a weight's colours, and the one that asks. */

import { inkOn, weightColor } from "../../draw/color.js";
import { shades } from "../../draw/shades.js";
import { BEAM_KEYS, shownBeam } from "../../state/beam.js";
import { isGuessing } from "../../state/touring.js";
import { isMasked } from "../../trace/kinds.js";
import { maskAt } from "../../trace/weights.js";

/** @typedef {import("../../state/state.js").State} State */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {HTMLElement} first  the list that is looked at at first
 * @param {(state: State) => HTMLElement} above  the one that is looked at
 */
export function shadeWords({ watch }, first, above) {
  /** The list whose items have a weight's colour, and which; the same is not set again. */
  let shaded = { list: first, colors: /** @type {string[]} */ ([]) };
  watch(["trace"], () => (shaded.colors = []));
  watch([...BEAM_KEYS, "theme", "coloring", "lesson"], (state) => {
    const beam = shownBeam(state);
    const list = above(state);
    if (list !== shaded.list || !beam?.row || isGuessing(state)) {
      bleach(shaded.list);
      shaded = { list, colors: [] };
    }
    if (!beam?.row || isGuessing(state)) return;
    const { theme, coloring } = state;
    const keys = beam.row.length;
    const row = shades(beam.row, { queries: 1, keys, kind: "cross", coloring });
    const { query } = beam.focus;
    const weights = state.trace?.weights[beam.kind];
    const causal = weights && maskAt(weights, state.heads[beam.kind] ?? beam.choices[0]);
    for (const [key, item] of [...list.children].entries()) {
      const bare =
        key >= keys ||
        (query !== null && beam.among?.(query, key) === false) ||
        (query !== null && isMasked(beam.kind, query, key, causal));
      const color = bare ? "" : weightColor(row[key], theme, coloring);
      if (shaded.colors[key] === color) continue;
      shaded.colors[key] = color;
      const { style } = /** @type {HTMLElement} */ (item);
      style.backgroundColor = color;
      style.color = bare ? "" : inkOn(row[key], theme, coloring);
    }
  });
}

/** @param {HTMLElement} list */
function bleach(list) {
  for (const { style } of /** @type {Iterable<HTMLElement>} */ (list.children)) {
    style.backgroundColor = style.color = "";
  }
}

/**
 * The encoder knows no steps: what asks there is marked by itself.
 *
 * @param {import("../../state/actions.js").Context} context
 * @param {HTMLElement} list  its words
 */
export function markAsking({ watch }, list) {
  /** @type {Element | undefined} */
  let lamp;
  watch([...BEAM_KEYS], (state) => {
    const beam = shownBeam(state);
    const query = beam?.kind === "encoder_self" ? beam.focus.query : null;
    const item = query === null ? undefined : list.children[query];
    if (item === lamp) return;
    lamp?.classList.remove("lamp");
    lamp = item;
    lamp?.classList.add("lamp");
  });
}

/**
 * Marks the step that a written word is of, and what a step may not look at yet.
 *
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {HTMLElement} list  of words that were read
 * @param {{step: number, lamp: number, from: number, written: boolean}} where  the row at hand, the word that it writes, and
 *   after which word all comes later
 */
export function markLater(t, list, { step, lamp, from, written }) {
  for (const [i, item] of [...list.children].entries()) {
    const word = item.firstElementChild;
    if (!word) continue;
    if (written) {
      word.ariaCurrent = i === step ? "step" : null;
      word.classList.toggle("predicted", i === lamp);
    }
    const later = i > from;
    if (later === word.classList.contains("later")) continue;
    word.classList.toggle("later", later);
    (written ? item : word).ariaLabel = later ? t("tip.ahead") : null;
  }
}
