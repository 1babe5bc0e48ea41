/** The learning curve above the slider: losses; below them scores, and how many heads are sharp. */

import { region } from "../../../kit/controls.js";
import { h } from "../../../kit/dom.js";
import { briefText, countText, numberText } from "../../../kit/numbers.js";
import { tableOf, tableRow } from "../../../kit/table.js";
import { MEASURES, namedSteps, placeOf } from "../../../trace/history.js";
import { chart, stepsAxis } from "../chart.js";
import { sharpHeads } from "../telling.js";

/** @import { History } from "../../../trace/history.js" */

const LOSSES = /** @type {const} */ (["train_loss", "dev_loss"]);
const SCORES = /** @type {const} */ (["bleu", "chrf", "right"]);

/** @param {import("../settings.js").Context} context */
export function curveView({ t }) {
  const element = h("div", { class: "curve", role: "group", "aria-label": t("training.curve") });
  const nows = [LOSSES, SCORES].map(() => h("div", { class: "now-line" }));
  const body = region("table", t("training.curve"));
  const summary = h("summary", {}, t("training.numbers"));
  const table = h("details", { class: "in-numbers" }, summary, body);

  return {
    element,
    table,
    /** @param {History} history */
    show(history) {
      const { curve } = history;
      /** @type {(names: readonly import("../../../trace/history.js").Measure[]) => import("../chart.js").Series[]} */
      const measured = (names) =>
        names.flatMap((name) => {
          const points = curve.flatMap(({ step, [name]: value }) =>
            value === undefined
              ? []
              : [{ at: placeOf(history, step), value, text: briefText(value) }],
          );
          return points.length ? [{ name, label: t(`training.${name}`), points }] : [];
        });
      const losses = measured(LOSSES);
      const highest = Math.max(...losses.flatMap(({ points }) => points.map(({ value }) => value)));
      element.replaceChildren(
        losses.length
          ? chart(t("training.losses"), {
              series: losses,
              most: Math.max(1, Math.ceil(highest)),
              write: (value) => numberText(value, 1),
              now: nows[0],
            })
          : h("p", { class: "quiet" }, t("training.no_loss")),
        ...(losses.length > 1 ? [h("p", { class: "quiet prose" }, t("training.losses_why"))] : []),
        chart(t("training.scores"), {
          series: [sharpSeries(history), ...measured(SCORES)],
          most: 100,
          write: countText,
          now: nows[1],
        }),
        stepsAxis(
          namedSteps(history).map((step) => ({
            at: placeOf(history, step),
            text: countText(step),
          })),
        ),
      );
      body.replaceChildren(tableInNumbers(history));
    },
    /** @param {number} place  0 to 1 */
    mark(place) {
      for (const now of nows) now.style.left = `${100 * place}%`;
    },
  };

  /** @type {(history: History) => import("../chart.js").Series} */
  function sharpSeries(history) {
    const points = history.steps.map((step, moment) => {
      const { sharp, count } = sharpHeads(history, moment);
      const at = placeOf(history, step);
      return { at, value: (100 * sharp) / count, text: `${sharp} / ${count}` };
    });
    return { name: "sharp", label: t("training.sharp"), points };
  }

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
          return value === undefined ? "" : briefText(value);
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
