/** Whether a reading orders the words as leaving them out does, in a sentence; and why it may not. */

import { plainToken } from "../../draw/token.js";
import { h } from "../../kit/dom.js";

/**
 * What is said of each row of a reading.
 *
 * @typedef {object} Judged
 * @property {(import("../../trace/words.js").Agreement | null)[] | null} agreements  with leaving words out; null: not to be judged
 * @property {string[]} labels  what each row emits
 * @property {number[] | null} shares  that came from the source
 */

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {Judged} judged
 * @param {boolean} hiding  what comes after the current step
 * @returns {Node[]}
 */
export function verdictOf(t, { agreements, labels, shares }, hiding) {
  const judgedRows = agreements?.filter((value) => value !== null) ?? [];
  const apart = labels.filter((_, i) => agreements?.[i]?.alike === false);
  const little = labels.filter((_, i) => (shares?.[i] ?? 1) < 0.5);
  const list = (/** @type {string[]} */ some) =>
    some.map((label) => t("words.quoted", { word: plainToken(label) })).join(t("words.comma"));
  const total = judgedRows.length;
  const values = { count: apart.length || total, total, tokens: hiding ? "…" : list(apart) };
  const verdict = judgedRows.length
    ? t(apart.length ? "words.verdict_apart" : "words.verdict_alike", values)
    : t("words.nothing_mattered");
  return [
    ...(agreements ? [h("p", { class: apart.length ? "apart" : null }, verdict)] : []),
    ...(little.length && !hiding ? [h("p", {}, t("words.little", { tokens: list(little) }))] : []),
    ...(apart.length ? [notExplained(t)] : []),
  ];
}

/** @param {import("../../kit/i18n.js").Translate} t */
function notExplained(t) {
  return h(
    "section",
    { class: "not-explained", "aria-labelledby": "attention-is-not" },
    h("h3", { id: "attention-is-not" }, t("words.not.title")),
    ...["weights", "other", "sinks", "values", "words"].map((part) =>
      h("p", {}, t(`words.not.${part}`)),
    ),
    h("p", { class: "quiet" }, t("words.not.sources")),
  );
}
