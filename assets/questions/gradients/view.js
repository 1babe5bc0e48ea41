/** Gradients: what each word adds to a prediction, and whether leaving it out says the same. */

import { plainToken, tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { briefText, numberText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { mapView } from "../../parts/map/map.js";
import { ROWS, readGradients } from "../../trace/gradients.js";
import { judgedAt, judgedOf } from "../../trace/judged.js";
import { otherCandidate } from "../../trace/trace.js";
import { unpackMatrix } from "../../trace/unpack.js";
import { rowOf } from "../../trace/words.js";
import { agreementTable } from "./agreements.js";

/** @import { Trace } from "../../trace/trace.js" */
/** @import { Asked } from "./agreements.js" */

/** @param {import("../../state/actions.js").Context<{why: import("../why/settings.js").WhySettings}>} context */
export function gradientsView(context) {
  const { store, about, t, watch } = context;
  const { waiting, problem, show } = awaiting(t, { label: t("gradients.state"), clear });
  const question = h("p", { class: "asked" });
  const answer = h("p", { class: "prose" });
  const map = mapView(context);
  const complete = h("p", { class: "prose" });
  const agreements = h("div", { class: "agreements scrolling" });
  const choose = h("p", { class: "quiet prose" }, t("gradients.choose"));
  const drawing = h(
    "div",
    { class: "drawing", hidden: true },
    question,
    answer,
    map.element,
    complete,
    agreements,
  );
  /** @type {Asked | null} */
  let asked = null;

  watch(["trace", "step", "why"], ({ trace, step, why }) => {
    if (!trace) return;
    choose.hidden = Boolean(trace.guest);
    const other = trace.guest ? undefined : otherCandidate(trace, step, why.other);
    const judged = judgedAt(trace, step);
    show(explain(about, trace, judged, other?.id), (found) => {
      const { rows, says } = judgedOf(trace);
      const emitted = says[judged];
      asked = { trace, step: rows[judged], emitted, other: other?.token, ...found };
      draw(asked);
      compare();
    });
  });
  watch(["heads"], compare);

  function clear() {
    asked = null;
    drawing.hidden = true;
  }

  /** @param {Asked} asked */
  function draw({ trace, emitted, other, found }) {
    const tokens = { emitted: plainToken(emitted), other: plainToken(other ?? "") };
    const both = other !== undefined;
    drawing.hidden = false;
    question.replaceChildren(
      t("gradients.for"),
      " ",
      tokenNode(emitted),
      ...(both ? [" ", t("why.not"), " ", tokenNode(other)] : []),
    );
    const { most, sum, value, baseline, gap } = found;
    const nats = (/** @type {number} */ number) => briefText(number);
    answer.textContent = most
      ? t(most.part < 0 ? "gradients.against" : "gradients.most", {
          word: t("words.quoted", { word: most.word }),
          ...{ part: nats(most.part), sum: nats(sum) },
        })
      : t("gradients.no_word");
    complete.textContent = t("gradients.complete", {
      what: t(both ? "gradients.difference" : "gradients.log", tokens),
      ...{ sum: nats(sum), from: nats(baseline), to: nats(value) },
      raw: nats((1 - gap) * (value - baseline)),
      gap: numberText(100 * Math.abs(gap), 1),
    });
    map.show({
      name: t(both ? "gradients.map_both" : "gradients.map", tokens),
      unit: t("words.unit.leave_one_out"),
      numbers: found.numbers,
      none: t("gradients.kept"),
      rows: [[t("words.reading"), ROWS.map((row) => t(`gradients.${row}`))]],
      heading: trace.tgt_in.length
        ? t(trace.weights.cross ? "gradients.columns" : "words.columns_alone")
        : t("words.columns"),
      columns: found.words,
      text: nats,
    });
  }

  function compare() {
    if (asked) agreements.replaceChildren(agreementTable(t, asked, store.get().heads));
  }

  return h(
    "div",
    { class: "inside" },
    h("p", { class: "prose" }, t("gradients.about")),
    choose,
    waiting,
    problem,
    drawing,
    h("p", { class: "quiet prose" }, t("gradients.not")),
    h("p", { class: "quiet prose" }, t("gradients.sources")),
  );
}

/** @type {(about: (trace: Trace) => import("../../state/server/about.js").About, trace: Trace, step: number, token: number | undefined) => Promise<Pick<Asked, "found" | "deltas">>} */
async function explain(about, trace, step, token) {
  const { inside } = about(trace);
  const [said, without] = await Promise.all([
    inside("gradients", token === undefined ? { step } : { step, token }),
    token === undefined ? inside("leave_one_out") : inside("why", { step, token }),
  ]);
  const all = rowOf(unpackMatrix(without.deltas), token === undefined ? step : 0);
  // Words that are hidden are not left out, and have no gradients.
  const deltas = trace.tgt_in.length ? all : all.filter((value) => !Number.isNaN(value));
  return { found: readGradients(said, deltas), deltas };
}
