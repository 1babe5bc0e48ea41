/** Links that a person gives for this sentence, and how far each head's are from them. */

import { chip, field } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { briefText } from "../../kit/numbers.js";
import { everyHead, headName } from "../../trace/choice.js";
import { beyondWords, errorRate, goldOf, has, MAX_GOLD, parseGold } from "../../trace/gold.js";
import { headWeights } from "../../trace/weights.js";
import { alignWords } from "../../trace/words.js";
import { ALIGNING_ROWS } from "./settings.js";

/** @import { Link } from "../../trace/gold.js" */
/** @import { Words } from "../../trace/words.js" */
/** @typedef {typeof ALIGNING_ROWS[number]} Row */

/**
 * The alignment that is shown, and what it was made of.
 *
 * @typedef {object} Shown
 * @property {import("../../trace/trace.js").Trace} trace
 * @property {Words} src
 * @property {Words} tgt
 * @property {Link[]} links
 */

/** @param {ReturnType<typeof alignWords>} aligned @returns {Link[]} */
export function linksOf({ links, words }) {
  return links.map((src, i) => [src, words[i]]);
}

/** @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context */
export function goldView({ store, actions, t, watch }) {
  const input = h("input", {
    id: "words-gold",
    type: "text",
    maxlength: MAX_GOLD,
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "0-0 1-2 2?3",
    input() {
      const { trace } = store.get();
      if (trace) actions.adjust("words", { gold: { text: input.value, of: goldOf(trace) } });
    },
  });
  input.setAttribute("aria-describedby", "words-gold-hint");
  const problem = h("p", { role: "alert" });
  const numbered = h("div", { class: "numbered-words quiet" });
  const result = h("div", { class: "prose" });
  result.ariaLive = "polite";
  const element = h(
    "section",
    { class: "gold", hidden: true },
    field(t("words.gold"), input),
    h("p", { class: "quiet prose", id: "words-gold-hint" }, t("words.gold_hint")),
    numbered,
    problem,
    result,
  );
  /** @type {Shown | null} */
  let shown = null;

  watch(["words", "trace", "hiding", "step"], tell);

  function tell() {
    const { words, trace, step, hiding } = store.get();
    if (!trace) return;
    const text = words.gold?.of === goldOf(trace) ? words.gold.text : "";
    if (input.value !== text) input.value = text;
    problem.textContent = "";
    result.replaceChildren();
    if (shown) numbered.replaceChildren(...numberedWords(t, shown, hiding ? step : Infinity));
    if (!text.trim() || shown?.trace !== trace) return;
    const { src, tgt, links } = shown;
    const read = parseGold(text);
    if ("bad" in read) {
      problem.textContent = t("words.gold_bad", { link: read.bad });
      return;
    }
    const { gold } = read;
    const beyond = beyondWords(gold, src.words.length, tgt.words.length);
    if (beyond) {
      const lasts = { src: src.words.length - 1, tgt: tgt.words.length - 1 };
      problem.textContent = t("words.gold_beyond", { link: beyond.join("-"), ...lasts });
      return;
    }
    /** @type {(some: Link[]) => string} */
    const list = (some) =>
      some.map(([i, j]) => `${src.words[i]} – ${tgt.words[j]}`).join(t("words.comma"));
    const missed = gold.sure.filter((link) => !has(links, link));
    const wrong = links.filter((link) => !has(gold.possible, link));
    const rate = errorRate(links, gold);
    result.append(h("p", { class: "rate" }, t("words.gold_rate", { rate: briefText(rate) })));
    if (missed.length && !hiding)
      result.append(h("p", {}, t("words.gold_missed", { links: list(missed) })));
    if (wrong.length && !hiding)
      result.append(h("p", {}, t("words.gold_wrong", { links: list(wrong) })));
    const best = bestHead(shown, gold);
    if (best && best.rate < rate) result.append(bestLine(best));
  }

  /** @param {NonNullable<ReturnType<typeof bestHead>>} best */
  function bestLine({ choice, row, rate }) {
    const values = { head: headName(choice), row: t(`words.row.${row}`), rate: briefText(rate) };
    const take = chip(
      () => {
        actions.chooseHead("cross", choice);
        actions.adjust("words", { row });
      },
      t("words.gold_head", values),
    );
    return h("p", {}, t("words.gold_best"), " ", take);
  }

  return {
    element,
    /** @param {Shown | null} next  null: another reading is shown */
    show(next) {
      shown = next;
      element.hidden = next === null;
      tell();
    },
  };
}

/**
 * The words with the numbers by which links are given.
 *
 * @type {(t: import("../../kit/i18n.js").Translate, shown: Shown, last: number) => Node[]}
 */
function numberedWords(t, { src, tgt }, last) {
  /** @type {(label: string, words: string[]) => HTMLElement} */
  const list = (label, words) =>
    h(
      "p",
      {},
      label,
      ...words.flatMap((word, i) => [" ", h("b", {}, String(i)), " ", h("bdi", {}, word)]),
    );
  const written = tgt.words.filter((_, j) => tgt.pieces[j][0] <= last);
  return [list(t("words.source_words"), src.words), list(t("words.target_words"), written)];
}

/**
 * The head and the row with the fewest errors.
 *
 * @param {Shown} shown
 * @param {import("../../trace/gold.js").Gold} gold
 */
function bestHead({ trace, src, tgt }, gold) {
  const weights = trace.weights.cross;
  /** @type {{choice: {layer: number, head: number}, row: Row, rate: number} | null} */
  let best = null;
  if (!weights) return null;
  for (const choice of everyHead(weights)) {
    const values = headWeights(weights, choice);
    const numbers = { rows: weights.queries, columns: weights.keys, values };
    for (const row of ALIGNING_ROWS) {
      const rate = errorRate(linksOf(alignWords(numbers, src, tgt, row)), gold);
      if (!best || rate < best.rate) best = { choice, row, rate };
    }
  }
  return best;
}
