/** The run of a correction: what was learnt, a slider over its steps, and what is seen at each of them. */

import { h, isCalm } from "../../../kit/dom.js";
import { numberText, sizeText } from "../../../kit/numbers.js";
import { inARow } from "../../../kit/typeset.js";
import { chart, stepsAxis } from "../chart.js";
import { momentSlider } from "../slider.js";
import { costView } from "./cost.js";
import { gradientsView } from "./gradients.js";
import { headsView } from "./heads.js";
import { keepForm } from "./keep.js";
import { labelsView } from "./labels.js";

/** @import { Translate } from "../../../kit/i18n.js" */
/** @import { Run } from "../../../trace/run.js" */

/** Between two steps, in milliseconds; all together take no longer than `WHOLE`. */
const [PACE, WHOLE] = [260, 4000];

/** Times the first loss: no higher one is drawn. */
const HIGHEST = 3;

/** @param {import("../settings.js").Context} context */
export function runView(context) {
  const { store, actions, t, watch } = context;
  const result = h("p", {
    class: "run-result",
    role: "status",
    "aria-label": t("teach.result"),
  });
  const losses = h("div", { class: "curve", role: "group", "aria-label": t("teach.losses") });
  const now = h("div", { class: "now-line" });
  const names = { play: t("teach.play"), pause: t("teach.pause"), slider: t("teach.slider") };
  const slider = momentSlider(names, {
    last,
    shown,
    go: (moment) =>
      actions.adjust("training", { learnt: moment >= last() ? null : Math.max(0, moment) }),
    pace: () => Math.min(PACE, WHOLE / last()),
  });
  const labels = labelsView(context);
  const gradients = gradientsView(context);
  const heads = headsView(context);
  const cost = costView(context);
  const element = h(
    "div",
    { class: "stack run", hidden: true },
    result,
    h("div", { class: "film" }, losses, slider.element, slider.words),
    h("div", { class: "stack run-columns" }, labels.element, gradients.element, cost.element),
    heads.element,
    keepForm(context),
  );
  /** @type {Run | null} */
  let run = null;

  function last() {
    return run ? run.losses.length - 1 : -1;
  }

  function shown() {
    return Math.min(store.get().training.learnt ?? last(), last());
  }

  function drawMoment() {
    if (!run) return;
    const moment = shown();
    now.style.left = `${(100 * moment) / last()}%`;
    slider.show(moment, last(), momentText(t, run, moment));
    for (const view of [labels, gradients, heads]) view.draw(run, moment);
  }

  watch(["training", "theme", "coloring"], drawMoment);
  return {
    element,
    /** @param {Run} next */
    show(next) {
      element.hidden = false;
      if (run === next) return;
      slider.stop();
      run = next;
      result.textContent = resultText(t, next);
      result.classList.toggle("undone", next.undone !== null);
      losses.replaceChildren(...lossesView(t, next, now));
      cost.draw(next);
      drawMoment();
    },
    /** Shows how it was learnt, from before the first step on. */
    play() {
      if (isCalm()) return;
      actions.adjust("training", { learnt: 0 });
      slider.start();
    },
    clear() {
      slider.stop();
      element.hidden = true;
      run = null;
    },
  };
}

/**
 * What came of the run.
 *
 * @type {(t: Translate, run: Run) => string}
 */
function resultText(t, { losses, undone, learnt, correction, outputs, rose }) {
  const end = losses.length - 1;
  /** @type {(moment: number) => string} */
  const loss = (moment) => sizeText(losses[moment]);
  if (undone) return t(`teach.undone_${undone}`, { step: end, first: loss(0), last: loss(end) });
  const high = rose === null ? "" : t("teach.rose", { step: rose, loss: loss(rose) });
  if (learnt === null)
    return inARow([t("teach.not_learnt", { steps: end, output: outputs[end] }), high]);
  if (learnt === 0) return t("teach.known", { first: loss(0), last: loss(end) });
  return inARow([t("teach.learnt", { count: learnt, target: correction.target }), high]);
}

/** @type {(t: Translate, run: Run, moment: number) => string} */
function momentText(t, { losses, outputs }, moment) {
  const steps = losses.length - 1;
  return inARow([
    t(moment === 0 ? "teach.before" : "teach.after", { count: moment, steps }),
    t("teach.loss_is", { loss: sizeText(losses[moment]) }),
    outputs[moment] ? t("teach.it_says", { output: outputs[moment] }) : "",
  ]);
}

/**
 * The chart of the losses, and its axis.
 *
 * @type {(t: Translate, run: Run, now: Node) => Node[]}
 */
function lossesView(t, { losses }, now) {
  const last = losses.length - 1;
  // One that explodes leaves the picture, so that the others can be seen.
  const finite = losses.filter(Number.isFinite);
  const most = Math.max(1, Math.ceil(Math.min(Math.max(...finite), HIGHEST * finite[0])));
  const points = losses.flatMap((loss, moment) =>
    Number.isFinite(loss)
      ? [{ at: moment / last, value: Math.min(loss, most), text: sizeText(loss) }]
      : [],
  );
  const series = [{ name: "train_loss", label: t("teach.loss"), points }];
  const named = [...new Set([0, Math.round(last / 2), last])];
  return [
    chart(t("teach.loss_axis"), { series, most, write: (value) => numberText(value, 1), now }),
    stepsAxis(named.map((moment) => ({ at: moment / last, text: String(moment) }))),
  ];
}
