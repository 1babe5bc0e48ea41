/** What each word says for a token, or for it against another: a sentence, and a map of numbers. */

import { plainToken } from "../../draw/token.js";
import { briefText } from "../../kit/numbers.js";
import { unpackMatrix } from "../../trace/unpack.js";
import { lostWithout, MATTERS, rowOf } from "../../trace/words.js";

/** @import { Translate } from "../../kit/i18n.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @typedef {Parameters<ReturnType<typeof import("../../parts/map/map.js").mapView>["show"]>[0]} Picture */
/** @typedef {{said: string, picture: Picture}} Answered */

/** Which of two ways of asking a sentence answers. @typedef {"" | "_alone"} How */

/**
 * The token by itself, whatever else might have been written.
 *
 * @type {(t: Translate, said: any, trace: Trace, step: number) => Answered}
 */
export function aloneIn(t, { deltas, words }, trace, step) {
  const values = rowOf(lostWithout(unpackMatrix(deltas)), step);
  const tokens = { emitted: plainToken(trace.tgt_out[step] ?? ""), other: "" };
  return {
    said: sentence(t, words, values, tokens, "_alone"),
    picture: {
      ...common(t, trace, words),
      name: t("why.map_alone", tokens),
      numbers: { rows: 1, columns: words.length, values },
      rows: [[t("why.without"), [t("why.leave_one_out")]]],
    },
  };
}

/** @type {(t: Translate, said: any, trace: Trace) => Answered} */
export function againstIn(t, { deltas, words, readings, ...said }, trace) {
  const numbers = lostWithout(unpackMatrix(deltas));
  const tokens = { emitted: plainToken(said.emitted), other: plainToken(said.other) };
  const names = readings.map((/** @type {{name: string, layer: number | null}} */ reading) =>
    reading.layer === null
      ? t(`why.${reading.name}`)
      : t(`why.${reading.name}`, { n: reading.layer + 1 }),
  );
  return {
    said: sentence(t, words, rowOf(numbers, 0), tokens, ""),
    picture: {
      ...common(t, trace, words),
      name: t("why.map", tokens),
      numbers,
      rows: [[t("why.without"), names]],
    },
  };
}

/** @type {(t: Translate, trace: Trace, words: string[]) => Pick<Picture, "unit" | "heading" | "columns" | "text">} */
function common(t, { weights }, words) {
  return {
    unit: t("words.unit.leave_one_out"),
    heading: t(weights.cross ? "words.columns" : "words.columns_alone"),
    columns: words,
    text: briefText,
  };
}

/** @type {(t: Translate, words: string[], lost: Float32Array, tokens: {emitted: string, other: string}, how: How) => string} */
function sentence(t, words, lost, tokens, how) {
  const most = [...lost.entries()]
    .filter(([, nats]) => Math.abs(nats) >= MATTERS)
    .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  if (!most.length) return t(how ? "why.nothing_alone" : "why.nothing", tokens);
  const [[word, delta]] = most;
  const values = { ...tokens, word: words[word], delta: briefText(Math.abs(delta)) };
  if (how) return t(delta > 0 ? "why.for_alone" : "why.against_alone", values);
  return t(delta > 0 ? "why.for" : "why.against", values);
}
