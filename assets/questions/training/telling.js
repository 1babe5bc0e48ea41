/** A moment of training in words: what was measured, and how many heads are sharp. */

import { countText, numberText } from "../../kit/numbers.js";
import { inARow } from "../../kit/typeset.js";
import { isSharp, MEASURES } from "../../trace/history.js";
import { KINDS } from "../../trace/kinds.js";

/** @import { History } from "../../trace/history.js" */

/** Losses are in nats a token, scores go up to 100. */
const DIGITS = { train_loss: 2, dev_loss: 2, bleu: 1, chrf: 1, right: 0 };

/**
 * How many heads are sharp at a moment, of how many.
 *
 * @param {History} history
 * @param {number} moment
 */
export function sharpHeads({ sharpness, by_chance }, moment) {
  let [sharp, count] = [0, 0];
  for (const kind of KINDS) {
    const chance = by_chance[kind] ?? 0;
    for (const value of sharpness[kind]?.[moment].flat() ?? []) {
      count++;
      if (isSharp(value, chance)) sharp++;
    }
  }
  return { sharp, count };
}

/**
 * What was measured last, and when, and how many heads are sharp.
 *
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {History} history
 * @param {number} moment
 */
export function measuredText(t, history, moment) {
  const step = history.steps[moment];
  const last = history.curve.filter((point) => point.step <= step).at(-1);
  const measured = last
    ? MEASURES.flatMap((measure) => {
        const value = last[measure];
        if (value === undefined) return [];
        return [`${t(`training.${measure}`)} ${numberText(value, DIGITS[measure])}`];
      })
    : [];
  const { sharp, count } = sharpHeads(history, moment);
  return inARow([
    t("training.sharp_count", { sharp, count }),
    ...(last && measured.length
      ? [
          t("training.measured", {
            step: countText(last.step),
            measured: measured.join(t("words.comma")),
          }),
        ]
      : []),
  ]);
}
