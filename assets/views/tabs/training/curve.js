/** The learning curve above the slider: losses, scores, and how many heads are sharp. */

import { h } from "../../../kit/dom.js";
import { countText, numberText } from "../../../kit/numbers.js";
import { s } from "../../../kit/svg.js";
import { tableOf, tableRow } from "../../../kit/table.js";
import { MEASURES, placeOf } from "../../../trace/history.js";
import { sharpHeads } from "./telling.js";

/** @typedef {import("../../../trace/history.js").History} History */
/** @typedef {{name: string, points: {at: number, share: number, text: string}[]}} Series */

const LOSSES = ["train_loss", "dev_loss"];

/** @param {import("../../../state/actions.js").Context} context */
export function curveView({ t }) {
  const legend = h("p", { class: "curve-legend" });
  const plot = h("div", { class: "curve-plot" });
  const now = h("div", { class: "now-line" });
  const element = h("div", { class: "curve", role: "group", "aria-label": t("training.curve") });
  element.append(legend, plot);
  const body = h("div", { class: "table", role: "region", tabindex: 0 });
  body.ariaLabel = t("training.curve");
  const table = h(
    "details",
    { class: "in-numbers" },
    h("summary", {}, t("training.numbers")),
    body,
  );
  let last = 1;

  return {
    element,
    table,
    /** @param {History} history */
    show(history) {
      last = Math.max(1, history.steps.length - 1);
      const series = seriesOf(history);
      const losses = history.curve.some((point) => LOSSES.some((name) => name in point));
      legend.replaceChildren(
        ...series.map(({ name }) => h("span", { class: `key ${name}` }, t(`training.${name}`))),
        h(
          "span",
          { class: "quiet" },
          losses
            ? t("training.heights", { loss: numberText(largestLoss(history), 2) })
            : t("training.no_loss"),
        ),
      );
      plot.replaceChildren(
        ...series.flatMap(({ name, points }) => [
          line(name, points),
          ...points.map(({ at, share, text }) =>
            h("span", {
              class: `point ${name}`,
              title: `${t(`training.${name}`)} ${text}`,
              style: `left: ${100 * at}%; bottom: ${100 * share}%`,
            }),
          ),
        ]),
        now,
      );
      body.replaceChildren(tableInNumbers(history));
    },
    /** @param {number} moment */
    mark(moment) {
      now.style.left = `${(100 * moment) / last}%`;
    },
  };

  /** @param {History} history */
  function tableInNumbers(history) {
    const { curve, steps } = history;
    const measured = MEASURES.filter((name) => curve.some((point) => name in point));
    const rows = [...new Set([...steps, ...curve.map(({ step }) => step)])]
      .sort((one, other) => one - other)
      .map((step) => {
        const moment = steps.indexOf(step);
        const point = curve.find((each) => each.step === step);
        const { sharp, count } = sharpHeads(history, Math.max(0, moment));
        const numbers = measured.map((name) => {
          const value = point?.[name];
          return value === undefined ? "" : numberText(value, 2);
        });
        return tableRow([countText(step)], [moment < 0 ? "" : `${sharp} / ${count}`, ...numbers]);
      });
    return tableOf({
      caption: t("training.curve"),
      columns: ["step", "sharp", ...measured].map((name) => t(`training.${name}`)),
      rows,
    });
  }
}

/**
 * Shares of the height: losses of the largest, scores and heads of 100.
 *
 * @param {History} history
 * @returns {Series[]}
 */
function seriesOf(history) {
  const { curve, steps } = history;
  const largest = largestLoss(history);
  const sharp = steps.map((_, moment) => {
    const { sharp, count } = sharpHeads(history, moment);
    return {
      at: moment / Math.max(1, steps.length - 1),
      share: sharp / count,
      text: `${sharp} / ${count}`,
    };
  });
  return [
    { name: "sharp", points: sharp },
    ...MEASURES.flatMap((name) => {
      const points = curve.flatMap((point) => {
        const value = point[name];
        if (value === undefined) return [];
        const most = LOSSES.includes(name) ? largest : 100;
        return [
          { at: placeOf(steps, point.step), share: value / most, text: numberText(value, 2) },
        ];
      });
      return points.length ? [{ name, points }] : [];
    }),
  ];
}

/** @param {History} history */
function largestLoss({ curve }) {
  const losses = curve.flatMap(({ train_loss = 0, dev_loss = 0 }) => [train_loss, dev_loss]);
  return Math.max(0.1, ...losses);
}

/**
 * @param {string} name
 * @param {Series["points"]} points
 */
function line(name, points) {
  const attributes = { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" };
  const through = points.map(({ at, share }) => `${100 * at},${100 * (1 - share)}`).join(" ");
  return s("svg", attributes, s("polyline", { class: name, points: through }));
}
