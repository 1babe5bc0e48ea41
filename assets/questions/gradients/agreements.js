/** Whether each reading of a prediction, and attention, says what leaving words out says. */

import { h } from "../../kit/dom.js";
import { tableOf, tableRow } from "../../kit/table.js";
import { term } from "../../kit/terms.js";
import { headName } from "../../trace/choice.js";
import { firstWord } from "../../trace/gradients.js";
import { readingKind } from "../../trace/trace.js";
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
 * @property {number} step  the row that says it
 * @property {string} emitted
 * @property {string | undefined} other
 * @property {Gradients} found
 * @property {Float32Array} deltas  without each word
 */

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {Asked} asked
 * @param {import("../../state/state.js").State["heads"]} heads  whose attention is set beside them
 */
export function agreementTable(t, asked, heads) {
  const { trace, step, found, deltas } = asked;
  const choice = heads[readingKind(trace)];
  const known = knownWords(trace, "attention", heads, null);
  const attended = known && rowOf(ofUnits(known, "attention"), step);
  /** @type {[string, ArrayLike<number>][]} */
  const all = [
    [t("gradients.integrated_gradients"), found.reading(1)],
    [t("gradients.input_times_gradient"), found.reading(0)],
  ];
  if (known && attended && choice) {
    const hidden = (trace.hidden ?? []).map(({ at }) => at);
    const own = known.units.flatMap(({ word, pieces }, i) =>
      word === null || pieces.some((at) => hidden.includes(at)) ? [] : [attended[i]],
    );
    all.push([t("gradients.attention", { head: headName(choice) }), own]);
  }
  const { compared } = found;
  /** @type {(name: string, reading: ArrayLike<number>, cell: Node | string) => HTMLTableRowElement} */
  const row = (name, reading, cell) => {
    const word = firstWord(reading, compared);
    return tableRow([name], [cell, word === undefined ? "–" : h("bdi", {}, word)]);
  };
  return tableOf({
    caption: t("gradients.agreement"),
    columns: [h("td", {}), term("agreement", t("words.agreement")), t("gradients.first")],
    rows: [
      ...all.map(([name, reading]) => {
        const value = agreement(Array.from(reading).slice(0, compared.length), deltas);
        return row(name, reading, agreementText(t, value));
      }),
      row(t("words.reading.leave_one_out"), found.reading(2), ""),
    ],
  });
}
