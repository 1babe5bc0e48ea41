/** Readings of the current step alone, for its token or for it against another: rows of readings over words. */

import { plainToken } from "../../draw/token.js";
import { agreeing } from "../../kit/equation.js";
import { briefText, numberText } from "../../kit/numbers.js";
import { ROWS, readGradients } from "../../trace/gradients.js";
import { judgedAt, judgedOf } from "../../trace/judged.js";
import { unpackMatrix } from "../../trace/unpack.js";
import { agreement, lostWithout, rowOf } from "../../trace/words.js";
import { besideRows } from "./beside.js";
import { mostOf } from "./pictures.js";

/** @import { Translate } from "../../kit/i18n.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @import { Picture } from "./pictures.js" */

/**
 * @typedef {object} Asked
 * @property {Trace} trace
 * @property {number} step
 * @property {{id: number, token: string} | null} other  the candidate that it is asked against
 */

/** @typedef {import("../../state/server/about.js").About["inside"]} Inside */

/** What every word, left out, says for the token against the other. @type {(t: Translate, inside: Inside, question: Asked, other: NonNullable<Asked["other"]>) => Promise<Picture>} */
export async function against(t, inside, { trace, step }, other) {
  const { deltas, words, readings } = await inside("why", { step, token: other.id });
  const numbers = lostWithout(unpackMatrix(deltas));
  const tokens = { emitted: plainToken(trace.tgt_out[step]), other: plainToken(other.token) };
  const names = readings.map((reading) =>
    t(`why.${reading.name}`, { n: (reading.layer ?? 0) + 1 }),
  );
  return {
    map: {
      ...{ name: t("why.map", tokens), unit: t("words.unit.leave_one_out"), numbers },
      rows: [[t("why.without"), names]],
      named: true,
      heading: t(trace.weights.cross ? "words.columns" : "words.columns_alone"),
      ...{ columns: words, text: briefText },
    },
    sentence: () => mostOf(t, words, rowOf(numbers, 0), tokens, ""),
  };
}

/** Gradients, beside what leaving the words out did. @type {(t: Translate, inside: Inside, question: Asked) => Promise<Picture>} */
export async function gradients(t, inside, { trace, step, other }) {
  const token = other?.id;
  const judged = judgedAt(trace, step);
  const [answer, without] = await Promise.all([
    inside("gradients", token === undefined ? { step: judged } : { step, token }),
    token === undefined ? inside("leave_one_out") : inside("why", { step, token }),
  ]);
  const lost = rowOf(unpackMatrix(without.deltas), token === undefined ? judged : 0);
  // Words that are hidden are not left out, and have no gradients.
  const deltas = trace.tgt_in.length ? lost : lost.filter((value) => !Number.isNaN(value));
  const { numbers, words, compared, reading, ...totals } = readGradients(answer, deltas);
  const { most, sum, value, baseline, gap } = totals;
  const tokens = {
    emitted: plainToken(judgedOf(trace).says[judged]),
    other: plainToken(other?.token ?? ""),
  };
  const [to, from] = agreeing([value, baseline], (end, start) => end - start, briefText);
  const agreements = ROWS.map((row, i) =>
    row === "lost" ? undefined : agreement(reading(i), deltas.subarray(0, compared.length)),
  );
  return {
    map: {
      name: t(other ? "gradients.map_both" : "gradients.map", tokens),
      unit: t("words.unit.leave_one_out"),
      ...{ numbers, none: t("gradients.kept") },
      rows: [[t("words.reading"), ROWS.map((row) => t(`gradients.${row}`))]],
      ...{ named: true, heading: headingOf(t, trace) },
      ...{ columns: words, text: briefText, beside: besideRows(t, { agreements }) },
    },
    sentence: () =>
      most
        ? t(most.part < 0 ? "gradients.against" : "gradients.most", {
            word: t("words.quoted", { word: most.word }),
            ...{ part: briefText(most.part), sum: briefText(sum) },
          })
        : t("gradients.no_word"),
    complete: t("gradients.complete", {
      what: t(other ? "gradients.difference" : "gradients.log", tokens),
      ...{ sum: briefText(value - baseline), from, to },
      raw: briefText((1 - gap) * (value - baseline)),
      gap: numberText(100 * Math.abs(gap), 1),
    }),
  };
}

/** @type {(t: Translate, trace: Trace) => string} */
function headingOf(t, { tgt_in, weights }) {
  if (!tgt_in.length) return t("words.columns");
  return t(weights.cross ? "gradients.columns" : "words.columns_alone");
}
