/** Lines over the steps of training: a scale of their own on the left, the steps below. */

import { h, s } from "../../kit/dom.js";

/** @typedef {{name: string, label: string, points: {at: number, value: number, text: string}[]}} Series */

/** Horizontal lines, the lowest at 0. */
const TICKS = [0, 0.5, 1];

/**
 * @param {string} title  what is measured, with its unit
 * @param {object} drawing
 * @param {Series[]} drawing.series
 * @param {number} drawing.most  the value at the top
 * @param {(value: number) => string} drawing.write  a value of the scale
 * @param {Node} drawing.now  marks the moment that is shown
 */
export function chart(title, { series, most, write, now }) {
  const scale = TICKS.map((share) =>
    h("span", { class: "tick", style: `bottom: ${100 * share}%` }, write(share * most)),
  );
  const points = series.flatMap(({ name, label, points }) => [
    line(name, points, most),
    ...points.map(({ at, value, text }) =>
      h("span", {
        class: `point ${name}`,
        title: `${label} ${text}`,
        style: `left: ${100 * at}%; bottom: ${(100 * value) / most}%`,
      }),
    ),
  ]);
  return h(
    "div",
    { class: "chart" },
    h(
      "p",
      { class: "cluster curve-legend" },
      h("span", { class: "quiet" }, title),
      ...series.map(({ name, label }) => h("span", { class: `key ${name}` }, label)),
    ),
    h("div", { class: "curve-plot" }, ...scale, ...points, now),
  );
}

/**
 * The names of steps, below all charts that share them.
 *
 * @param {{at: number, text: string}[]} ticks
 */
export function stepsAxis(ticks) {
  return h(
    "div",
    { class: "curve-steps" },
    ...ticks.map(({ at, text }) => h("span", { style: `left: ${100 * at}%` }, text)),
  );
}

/** @type {(name: string, points: Series["points"], most: number) => SVGElement} */
function line(name, points, most) {
  const attributes = { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" };
  const through = points.map(({ at, value }) => `${100 * at},${100 * (1 - value / most)}`);
  return s("svg", attributes, s("polyline", { class: name, points: through.join(" ") }));
}
