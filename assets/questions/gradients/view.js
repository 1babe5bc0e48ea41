/** Gradients: what each word adds to a prediction, and whether leaving it out says the same. */

import { plainToken, tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { briefText, numberText } from "../../kit/numbers.js";
import { tableOf, tableRow } from "../../kit/table.js";
import { term } from "../../kit/terms.js";
import { awaiting } from "../../parts/awaited.js";
import { mapView } from "../../parts/map/map.js";
import { headName } from "../../trace/choice.js";
import { firstWord, ROWS, readGradients } from "../../trace/gradients.js";
import { otherCandidate, readingKind } from "../../trace/trace.js";
import { unpackMatrix } from "../../trace/unpack.js";
import { agreement, rowOf } from "../../trace/words.js";
import { agreementText } from "../readings/beside.js";
import { knownWords, ofUnits } from "../readings/readings.js";

/** @import { Trace } from "../../trace/trace.js" */
/** @import { Gradients } from "../../trace/gradients.js" */

/**
 * What is known of a prediction.
 *
 * @typedef {object} Asked
 * @property {Trace} trace
 * @property {number} step
 * @property {string} emitted
 * @property {string | undefined} other
 * @property {Gradients} found
 * @property {Float32Array} deltas  without each word
 */

/** @param {import("../../state/actions.js").Context<{why: import("../why/settings.js").WhySettings}>} context */
export function gradientsView(context) {
  const { store, about, t, watch } = context;
  const { waiting, problem, show } = awaiting(t, { label: t("gradients.state"), clear });
  const question = h("p", { class: "asked" });
  const answer = h("p", { class: "prose" });
  const map = mapView(context);
  const complete = h("p", { class: "prose" });
  const agreements = h("div", { class: "agreements scrolling" });
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
    const other = otherCandidate(trace, step, why.other);
    show(explain(trace, step, other?.id), (found) => {
      asked = { trace, step, emitted: trace.tgt_out[step], other: other?.token, ...found };
      draw(asked);
      compare();
    });
  });
  watch(["heads"], compare);

  function clear() {
    asked = null;
    drawing.hidden = true;
  }

  /** @type {(trace: Trace, step: number, token: number | undefined) => Promise<Pick<Asked, "found" | "deltas">>} */
  async function explain(trace, step, token) {
    const { inside } = about(trace);
    const [said, without] = await Promise.all([
      inside("gradients", token === undefined ? { step } : { step, token }),
      token === undefined ? inside("leave_one_out") : inside("why", { step, token }),
    ]);
    const deltas = rowOf(unpackMatrix(without.deltas), token === undefined ? step : 0);
    return { found: readGradients(said, deltas), deltas };
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
      heading: t(trace.weights.cross ? "gradients.columns" : "words.columns_alone"),
      columns: found.words,
      text: nats,
    });
  }

  /** Whether each reading, and attention, says what leaving words out says. */
  function compare() {
    if (!asked) return;
    const { trace, step, found, deltas } = asked;
    const { heads } = store.get();
    const choice = heads[readingKind(trace)];
    const known = knownWords(trace, "attention", heads, null);
    const attended = known && rowOf(ofUnits(known, "attention"), step);
    /** @type {[string, ArrayLike<number>][]} */
    const all = [
      [t("gradients.integrated_gradients"), found.reading(1)],
      [t("gradients.input_times_gradient"), found.reading(0)],
    ];
    if (known && attended && choice) {
      const own = known.units.flatMap(({ word }, i) => (word === null ? [] : [attended[i]]));
      all.push([t("gradients.attention", { head: headName(choice) }), own]);
    }
    const { compared } = found;
    /** @type {(name: string, reading: ArrayLike<number>, cell: Node | string) => HTMLTableRowElement} */
    const row = (name, reading, cell) => {
      const word = firstWord(reading, compared);
      return tableRow([name], [cell, word === undefined ? "–" : h("bdi", {}, word)]);
    };
    agreements.replaceChildren(
      tableOf({
        caption: t("gradients.agreement"),
        columns: [h("td", {}), term("agreement", t("words.agreement")), t("gradients.first")],
        rows: [
          ...all.map(([name, reading]) => {
            const value = agreement(Array.from(reading).slice(0, compared.length), deltas);
            return row(name, reading, agreementText(t, value));
          }),
          row(t("words.reading.leave_one_out"), found.reading(2), ""),
        ],
      }),
    );
  }

  return h(
    "div",
    { class: "inside" },
    h("p", { class: "prose" }, t("gradients.about")),
    h("p", { class: "quiet prose" }, t("gradients.choose")),
    waiting,
    problem,
    drawing,
    h("p", { class: "quiet prose" }, t("gradients.not")),
    h("p", { class: "quiet prose" }, t("gradients.sources")),
  );
}
