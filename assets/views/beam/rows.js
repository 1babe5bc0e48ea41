/** The two rows of words: the source, and what has been written so far; in self-attention one of them twice. */

import { inkOn, weightColor } from "../../draw/color.js";
import { shades } from "../../draw/shades.js";
import { tokenNode, tokenTerm } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { explained } from "../../kit/terms.js";
import { BEAM_KEYS, shownBeam } from "../../state/beam.js";
import { isGuessing } from "../../state/touring.js";
import { lampOf } from "../../trace/beam.js";
import { glossesShown } from "../../trace/glosses.js";
import { isMasked, targetWords } from "../../trace/kinds.js";
import { directionOf } from "../../trace/scripts.js";
import { isGiven } from "../../trace/tree.js";
import { maskAt } from "../../trace/weights.js";
import { wordsIn, wordsOf } from "../../trace/whole_words.js";
import { linkTokens } from "../linked_tokens.js";

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
    for (const list of [target, targetAgain]) {
      for (const [i, item] of [...list.children].entries()) {
        const word = item.firstElementChild;
        if (!word) continue;
        if (list === target) {
          word.ariaCurrent = i === step ? "step" : null;
          word.classList.toggle("predicted", i === lamp);
        }
        // What a step may look at ends with what it reads.
        const later = i > (list === target ? lamp : step);
        if (later === word.classList.contains("later")) continue;
        word.classList.toggle("later", later);
        (list === target ? item : word).ariaLabel = later ? t("tip.ahead") : null;
      }
    }
  });

  /** The list whose items have a weight's colour, and which; the same is not set again. */
  let shaded = { list: source, colors: /** @type {string[]} */ ([]) };
  watch(["trace"], () => (shaded.colors = []));
  watch([...BEAM_KEYS, "theme", "coloring", "lesson"], (state) => {
    const beam = shownBeam(state);
    const list = above(state);
    if (list !== shaded.list || !beam?.row || isGuessing(state)) {
      bleach(shaded.list);
      shaded = { list, colors: [] };
    }
    if (!beam?.row || isGuessing(state)) return;
    const { theme, coloring } = state;
    const keys = beam.row.length;
    const row = shades(beam.row, { queries: 1, keys, kind: "cross", coloring });
    const { query } = beam.focus;
    const weights = state.trace?.weights[beam.kind];
    const causal = weights && maskAt(weights, state.heads[beam.kind] ?? beam.choices[0]);
    for (const [key, item] of [...list.children].entries()) {
      const bare =
        key >= keys ||
        (query !== null && beam.among?.(query, key) === false) ||
        (query !== null && isMasked(beam.kind, query, key, causal));
      const color = bare ? "" : weightColor(row[key], theme, coloring);
      if (shaded.colors[key] === color) continue;
      shaded.colors[key] = color;
      const { style } = /** @type {HTMLElement} */ (item);
      style.backgroundColor = color;
      style.color = bare ? "" : inkOn(row[key], theme, coloring);
    }
  });

  // The encoder knows no steps: what asks there is marked by itself.
  /** @type {Element | undefined} */
  let lamp;
  watch([...BEAM_KEYS], (state) => {
    const beam = shownBeam(state);
    const query = beam?.kind === "encoder_self" ? beam.focus.query : null;
    const item = query === null ? undefined : sourceAgain.children[query];
    if (item === lamp) return;
    lamp?.classList.remove("lamp");
    lamp = item;
    lamp?.classList.add("lamp");
  });

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

/** @param {HTMLElement} list */
function bleach(list) {
  for (const { style } of /** @type {Iterable<HTMLElement>} */ (list.children)) {
    style.backgroundColor = style.color = "";
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
