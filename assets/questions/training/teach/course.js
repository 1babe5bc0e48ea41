/** How a lesson went: what was learnt, a slider over its steps, and what is seen at each of them. */

import { h, isCalm, setSlider } from "../../../kit/dom.js";
import { numberText, sizeText } from "../../../kit/numbers.js";
import { player } from "../../../kit/player.js";
import { inARow } from "../../../kit/typeset.js";
import { chart, stepsAxis } from "../chart.js";
import { costView } from "./cost.js";
import { gradientsView } from "./gradients.js";
import { headsView } from "./heads.js";
import { keepForm } from "./keep.js";
import { labelsView } from "./labels.js";

/** @import { Course } from "../../../trace/course.js" */

/** Between two steps, in milliseconds; all together take no longer than `WHOLE`. */
const [PACE, WHOLE] = [260, 4000];

/** Times the first loss: no higher one is drawn. */
const HIGHEST = 3;

/** @param {import("../settings.js").Context} context */
export function courseView(context) {
  const { store, actions, t, watch } = context;
  const result = h("p", {
    class: "lesson-result",
    role: "status",
    "aria-label": t("teach.result"),
  });
  const losses = h("div", { class: "curve", role: "group", "aria-label": t("teach.losses") });
  const now = h("div", { class: "now-line" });
  // From the beginning, if it stands at the end.
  const { button, start, stop } = player(
    { play: t("teach.play"), pause: t("teach.pause") },
    () => {
      if (!course) return 0;
      const last = course.losses.length - 1;
      if (momentIn(course) === last) go(0);
      return Math.min(PACE, WHOLE / last);
    },
    () => {
      if (!course || !element.isConnected) return false;
      const next = momentIn(course) + 1;
      go(next);
      return next < course.losses.length - 1;
    },
  );
  const slider = h("input", {
    type: "range",
    min: 0,
    "aria-label": t("teach.slider"),
    input: () => {
      stop();
      go(slider.valueAsNumber);
    },
  });
  const said = h("output", { class: "moment" });
  const labels = labelsView(context);
  const gradients = gradientsView(context);
  const heads = headsView(context);
  const cost = costView(context);
  const element = h(
    "div",
    { class: "course", hidden: true },
    result,
    h("div", { class: "film" }, losses, h("div", { class: "travelling" }, button, slider), said),
    h("div", { class: "course-columns" }, labels.element, gradients.element, cost.element),
    heads.element,
    keepForm(context),
  );
  /** @type {Course | null} */
  let course = null;

  /** @param {number} moment */
  function go(moment) {
    if (!course) return;
    const last = course.losses.length - 1;
    actions.adjust("training", { learnt: moment >= last ? null : Math.max(0, moment) });
  }

  /** @param {Course} of */
  function momentIn({ losses }) {
    const { learnt } = store.get().training;
    return Math.min(learnt ?? losses.length, losses.length - 1);
  }

  /** @param {Course} of */
  function resultText({ losses, undone, learnt, lesson, said, rose }) {
    const end = losses.length - 1;
    /** @type {(moment: number) => string} */
    const loss = (moment) => sizeText(losses[moment]);
    if (undone) return t(`teach.undone_${undone}`, { step: end, first: loss(0), last: loss(end) });
    const high = rose === null ? "" : t("teach.rose", { step: rose, loss: loss(rose) });
    if (learnt === null)
      return inARow([t("teach.not_learnt", { steps: end, said: said[end] }), high]);
    if (learnt === 0) return t("teach.known", { first: loss(0), last: loss(end) });
    return inARow([t("teach.learnt", { count: learnt, target: lesson.target }), high]);
  }

  /** @param {Course} of */
  function drawLosses({ losses: all }) {
    const last = all.length - 1;
    // One that explodes leaves the picture, so that the others can be seen.
    const finite = all.filter(Number.isFinite);
    const most = Math.max(1, Math.ceil(Math.min(Math.max(...finite), HIGHEST * finite[0])));
    losses.replaceChildren(
      chart(t("teach.loss_axis"), {
        series: [
          {
            name: "train_loss",
            label: t("teach.loss"),
            points: all.flatMap((value, moment) =>
              Number.isFinite(value)
                ? [{ at: moment / last, value: Math.min(value, most), text: sizeText(value) }]
                : [],
            ),
          },
        ],
        most,
        write: (value) => numberText(value, 1),
        now,
      }),
      stepsAxis(
        [...new Set([0, Math.round(last / 2), last])].map((moment) => ({
          at: moment / last,
          text: String(moment),
        })),
      ),
    );
  }

  function drawMoment() {
    if (!course) return;
    const moment = momentIn(course);
    const last = course.losses.length - 1;
    slider.max = String(last);
    setSlider(slider, moment);
    now.style.left = `${(100 * moment) / last}%`;
    const loss = course.losses[moment];
    said.textContent = inARow([
      t(moment === 0 ? "teach.before" : "teach.after", { count: moment, steps: last }),
      t("teach.loss_is", { loss: sizeText(loss) }),
      course.said[moment] ? t("teach.it_says", { said: course.said[moment] }) : "",
    ]);
    slider.ariaValueText = said.textContent;
    labels.draw(course, moment);
    gradients.draw(course, moment);
    heads.draw(course, moment);
  }

  watch(["training", "theme", "coloring"], drawMoment);
  return {
    element,
    /** @param {Course} found */
    show(found) {
      element.hidden = false;
      if (course === found) return;
      stop();
      course = found;
      result.textContent = resultText(found);
      result.classList.toggle("undone", found.undone !== null);
      drawLosses(found);
      cost.draw(found);
      drawMoment();
    },
    /** Shows how it was learnt, from before the first step on. */
    play() {
      if (isCalm()) return;
      go(0);
      start();
    },
    clear() {
      stop();
      element.hidden = true;
      course = null;
    },
  };
}
