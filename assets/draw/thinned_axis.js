/** Labels along a matrix of many tokens: one in so many, of those in sight, and whichever are marked. */

import { axisLabel } from "./axis_label.js";

/** @import { Layout } from "./layout.js" */

/**
 * @typedef {object} ThinnedAxis
 * @property {(index: number) => HTMLElement | undefined} at  a label that is there
 * @property {(index: number) => HTMLElement | undefined} need  undefined: there is no such token
 * @property {() => void} tidy  takes away labels that were needed, and are not marked any more
 * @property {(from: number, count: number) => void} show  those in sight
 */

/** @type {WeakMap<Element, ThinnedAxis>} */
const axes = new WeakMap();

/** The labels of an axis that shows only some. @param {Element} axis */
export function thinnedIn(axis) {
  return axes.get(axis);
}

/** Has as many labels as tokens from now on. @param {Element} axis */
export function unthinned(axis) {
  axis.classList.remove("part");
  axes.delete(axis);
}

/**
 * Labels of an axis of many tokens: those in sight, and one in so many.
 *
 * @param {HTMLElement} axis  its labels are put where their cells are
 * @param {string[]} tokens
 * @param {Layout} layout
 * @param {"row" | "column"} side
 * @param {(text: string, font: number) => number} measure
 * @returns {ThinnedAxis}
 */
export function thinnedAxis(axis, tokens, layout, side, measure) {
  const every = side === "row" ? layout.everyRow : layout.everyColumn;
  const size = side === "row" ? layout.cellHeight : layout.cellWidth;
  const edge = side === "row" ? "top" : "left";
  const makeLabel = axisLabel(tokens, layout, side, measure);
  /** @type {Map<number, HTMLElement>} */
  const labels = new Map();
  axis.classList.add("part");
  axis.replaceChildren();

  /** @param {number} index */
  function need(index) {
    const there = labels.get(index);
    if (there || !(index in tokens)) return there;
    const label = makeLabel(tokens[index]);
    label.style[edge] = `${(index + 0.5) * size}px`;
    // In the order of the tokens, for who hears them.
    const after = Math.min(...[...labels.keys()].filter((other) => other > index));
    axis.insertBefore(label, labels.get(after) ?? null);
    labels.set(index, label);
    return label;
  }

  /** @param {(index: number) => boolean} keeps */
  function tidy(keeps) {
    for (const [index, label] of labels) {
      if (keeps(index) || label.matches(".current, .under")) continue;
      label.remove();
      labels.delete(index);
    }
  }

  let shown = { from: 0, end: 0 };
  const isShown = (/** @type {number} */ index) =>
    index % every === 0 && index >= shown.from && index < shown.end;
  /** @type {ThinnedAxis} */
  const thinned = {
    at: (index) => labels.get(index),
    need,
    tidy: () => tidy(isShown),
    show(from, count) {
      shown = { from, end: from + count };
      tidy(isShown);
      for (let i = Math.ceil(from / every) * every; i < shown.end; i += every) need(i);
    },
  };
  axes.set(axis, thinned);
  return thinned;
}
