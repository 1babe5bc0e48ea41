/** The two rows of words: the source, and what has been written so far; in self-attention one of them twice. */

import { tokenNode, tokenTerm } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { explained } from "../../kit/terms.js";
import { lampOf } from "../../trace/beam.js";
import { glossesShown } from "../../trace/glosses.js";
import { targetWords } from "../../trace/kinds.js";
import { directionOf } from "../../trace/scripts.js";
import { isGiven } from "../../trace/tree.js";
import { wordsIn, wordsOf } from "../../trace/whole_words.js";
import { linkTokens } from "../linked_tokens.js";
import { markAsking, markLater, shadeWords } from "./shading.js";

/**
 * @param {import("../../state/actions.js").Context} context
 * @returns {{source: HTMLElement, offered: HTMLElement[], above: () => HTMLElement, below: () => HTMLElement, elements: HTMLElement[]}}
 *   the lists, those of words that something can be done with, and which the beam runs between
 */
export function wordRows(context) {
  const { store, actions, t, watch } = context;
  // One control of many words, which something can be done with; the written ones lead to their steps,
  // as the slider and the arrow keys do.
  const source = h("ol", {
    class: "track source-row",
    role: "listbox",
    "aria-orientation": "horizontal",
    "aria-label": t("tokens.source"),
  });
  const target = h("ol", { class: "track target-row" });
  // The same words once more: what is asked, above what asks, which is for the eye alone.
  const sourceAgain = h("ol", { class: "track again", "aria-hidden": "true" });
  const targetAgain = h("ol", {
    class: "track again",
    role: "listbox",
    "aria-orientation": "horizontal",
    "aria-label": t("tokens.read"),
  });

  watch(["trace"], (state) => {
    const { trace, tree } = state;
    const src = trace?.src ?? [];
    const tgt = trace ? targetWords(trace) : [];
    const srcGoesOn = goingOn(trace ? wordsIn(trace, src, "src") : wordsOf(src));
    const tgtGoesOn = goingOn(trace ? wordsIn(trace, tgt, "tgt") : wordsOf(tgt));
    const glosses = trace
      ? glossesShown(trace, actions.modelOf(trace.model), state.language)
      : { src: null, tgt: null };
    const sourceWord = (/** @type {string} */ token, /** @type {number} */ i) =>
      wordOf(token, glosses.src?.[i] ?? null);
    const targetGloss = (/** @type {number} */ i) => (i ? (glosses.tgt?.[i - 1] ?? null) : null);
    offer(source, src, sourceWord, srcGoesOn);
    sourceAgain.replaceChildren(
      ...src.map((token, i) => h("li", { class: srcGoesOn(i) }, sourceWord(token, i))),
    );
    target.replaceChildren(
      ...tgt.map((token, i) => {
        const given = trace && i > 0 && isGiven(tree, trace, i - 1);
        const written = h(
          "span",
          {
            "data-term": i || trace?.version === 2 ? null : "bos",
            class: given ? "forced" : null,
            title: given
              ? t("tokens.given")
              : i && trace?.tgt_out[i - 1]
                ? t("tokens.wrote", { step: i })
                : null,
            click: () => actions.goTo(Math.max(0, i - 1)), // which wrote it
          },
          wordOf(token, targetGloss(i)),
        );
        return h("li", { class: tgtGoesOn(i) }, written);
      }),
    );
    offer(targetAgain, tgt, (token, i) => wordOf(token, targetGloss(i)), tgtGoesOn);
    markGuest(t, trace, source, sourceAgain, target, targetAgain);
    // As its script is read; the steps, which are time, run as a clock does on every page.
    source.dir = sourceAgain.dir = directionOf(src);
    target.dir = targetAgain.dir = directionOf(tgt);
    for (const list of [source, sourceAgain, target, targetAgain]) {
      list.style.setProperty("--words", String(list.childElementCount));
    }
    target.ariaLabel = t(src.length ? "tokens.target" : "tokens.text");
  });

  watch(["trace", "kind"], ({ trace, kind }) => {
    source.hidden = kind === "decoder_self" || !trace?.src.length;
    target.hidden = kind === "encoder_self";
    sourceAgain.hidden = kind !== "encoder_self";
    targetAgain.hidden = kind !== "decoder_self";
  });

  watch(["trace", "step", "kind"], ({ trace, step }) => {
    const lamp = trace ? lampOf(trace, "decoder_self", step) : step + 1;
    markLater(t, target, { step, lamp, from: lamp, written: true });
    markLater(t, targetAgain, { step, lamp, from: step, written: false });
  });
  shadeWords(context, source, above);
  markAsking(context, sourceAgain);

  linkTokens(context, source, "source");
  linkTokens(context, target, "target");
  linkTokens(context, sourceAgain, "source");
  linkTokens(context, targetAgain, "target");

  /** @param {Pick<import("../../state/state.js").State, "kind">} state */
  function above({ kind }) {
    return kind === "decoder_self" ? targetAgain : source;
  }

  return {
    source,
    offered: [source, targetAgain],
    above: () => above(store.get()),
    below: () => (store.get().kind === "encoder_self" ? sourceAgain : target),
    elements: [source, targetAgain, target, sourceAgain],
  };
}

/**
 * What was hidden from a guest, and what its chat's template has written, which nobody typed.
 *
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {import("../../trace/trace.js").Trace | null} trace
 * @param {HTMLElement[]} lists  of source words, twice, and of target words
 */
function markGuest(t, trace, ...lists) {
  if (!trace?.guest) return;
  const hidden = new Set(trace.hidden?.map(({ at }) => at));
  for (const [i, list] of lists.entries()) {
    for (const [at, item] of [...list.children].entries()) {
      item.classList.toggle("hidden-word", i < 2 && hidden.has(at));
      const folded = i > 1 && trace.parts?.tgt?.[at] === -1;
      item.classList.toggle("template", folded);
      if (folded) /** @type {HTMLElement} */ (item).title = t("guest.template");
    }
  }
}

/**
 * Makes words that something can be done with.
 *
 * @param {HTMLElement} list
 * @param {string[]} tokens
 * @param {(token: string, index: number) => HTMLElement} wordOf
 * @param {(index: number) => string | null} goesOn
 */
function offer(list, tokens, wordOf, goesOn) {
  const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
  const options = tokens.map((token, i) => {
    const term = tokenTerm(token);
    // One of them is reached by the Tab key, the others from it by the arrow keys.
    const tabindex = i === Math.max(0, focused) ? 0 : -1;
    return h("span", { role: "option", tabindex, ...(term && explained(term)) }, wordOf(token, i));
  });
  list.replaceChildren(
    ...options.map((option, i) => h("li", { role: "presentation", class: goesOn(i) }, option)),
  );
  // What had the focus keeps it.
  if (focused >= 0) options[Math.min(focused, tokens.length - 1)]?.focus();
}

/**
 * A piece stands close to the one whose word it goes on with.
 *
 * @param {import("../../trace/words.js").Words} words
 * @returns {(index: number) => string | null}  a class
 */
function goingOn({ pieces }) {
  const on = new Set(pieces.flatMap((own) => own.slice(1)));
  return (index) => (on.has(index) ? "goes-on" : null);
}

/** @type {(token: string, gloss: string | null) => HTMLElement} */
function wordOf(token, gloss) {
  return h("span", { class: "word" }, tokenNode(token), gloss ? h("small", {}, gloss) : null);
}
