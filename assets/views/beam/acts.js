/** What can be done with a source word: look there at this step, by hand, menu or key; or leave it out. */

import { nearest } from "../../draw/beam/ribbons.js";
import { h, itemIndex } from "../../kit/dom.js";
import { icon } from "../../kit/icons.js";
import { isGuessing } from "../../state/touring.js";
import { headName } from "../../trace/choice.js";
import { piecesAt, wordsAt } from "../../trace/steering.js";
import { wordsOf } from "../../trace/whole_words.js";
import { wordMenu } from "./menu.js";

/** @typedef {import("../../state/actions.js").Context} Context */
/** @typedef {ReturnType<typeof import("./light.js").beamLight>} Light */
/** @typedef {"all" | "layer" | "head"} Scope */

/** A hand that moves less has not dragged, in CSS pixels. */
const LEAST = 5;

/** So near to the edge, the rows scroll along, by so much. */
const [EDGE, STRIDE] = [28, 12];

/** @param {Context} context */
export function canSteer({ store, served }) {
  const { trace, question, kind, patient, lesson } = store.get();
  const free = question !== null && patient === null && !isGuessing({ lesson });
  return served && free && kind === "cross" && trace !== null;
}

/**
 * Which heads look elsewhere.
 *
 * @param {Context} context
 * @param {Scope} scope
 * @returns {{layer: number | null, head: number | null} | null}  null if no such ones are chosen
 */
export function headsOf({ store }, scope) {
  const { layer, head } = store.get().heads.cross ?? {};
  if (scope === "all") return { layer: null, head: null };
  if (typeof layer !== "number") return null;
  if (scope === "layer") return { layer, head: null };
  return typeof head === "number" ? { layer, head } : null;
}

/**
 * @param {Context} context
 * @param {HTMLElement} source  the list of words
 * @param {Light} light
 * @param {(index: number) => void} leaveOut
 * @returns {HTMLElement}  the words' menu
 */
export function wordActs(context, source, light, leaveOut) {
  const { store, actions, t } = context;
  const { gap, scroller } = light;

  /** @type {(index: number, scope: Scope) => Promise<void> | undefined} */
  function look(index, scope) {
    const { trace, step } = store.get();
    const heads = headsOf(context, scope);
    if (!trace || !heads) return undefined;
    return actions.steer({ ...heads, row: step, keys: piecesAt(trace.src, index) });
  }

  const menu = wordMenu(t, (index) => {
    const { trace, heads } = store.get();
    if (!trace) return [];
    const layer = Number(heads.cross?.layer ?? 0) + 1;
    const named = heads.cross ? headName(heads.cross) : "";
    const scopes = /** @type {const} */ (["all", "layer", "head"]);
    const items = scopes
      .filter((scope) => canSteer(context) && headsOf(context, scope))
      .map((scope) => ({
        label: t(`steer.look.${scope}`, { layer, head: named }),
        run: () => look(index, scope),
      }));
    const word = wordsAt(trace.src, [index]);
    const leave = { label: t("leave.word", { word }), run: () => leaveOut(index) };
    return isWord(trace.src, index) && store.get().question ? [...items, leave] : items;
  });

  // Beside the word that is pointed at; what it does, the menu and the Delete key do as well.
  const cross = h("button", { class: "leave", tabindex: -1, click: leave }, icon("close"));
  function leave() {
    const index = itemIndex(source, cross);
    if (index >= 0) leaveOut(index);
  }
  source.addEventListener("pointerover", ({ target, pointerType }) => {
    const index = itemIndex(source, target);
    const { trace, question } = store.get();
    if (index < 0 || pointerType === "touch" || !context.served || !question || !trace) return;
    if (!isWord(trace.src, index) || isGuessing(store.get())) {
      cross.remove();
      return;
    }
    cross.ariaLabel = cross.title = t("leave.word", { word: wordsAt(trace.src, [index]) });
    const item = source.children[index];
    if (cross.parentElement !== item) item.append(cross);
  });
  source.addEventListener("pointerleave", () => cross.remove());

  source.addEventListener("click", ({ target }) => {
    const index = itemIndex(source, target);
    if (index < 0 || cross.contains(/** @type {Node} */ (target)) || !context.served) return;
    if (isGuessing(store.get())) {
      actions.guess(index);
      return;
    }
    menu.open(index, source.children[index]);
  });

  source.addEventListener("keydown", (event) => {
    const here = itemIndex(source, event.target);
    const last = source.children.length - 1;
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: last };
    const there = places[event.key];
    const modified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (here < 0 || modified) return;
    if (there !== undefined) {
      event.preventDefault();
      const next = source.children[Math.min(last, Math.max(0, there))]?.firstElementChild;
      for (const { firstElementChild: button } of source.children) {
        button?.setAttribute("tabindex", button === next ? "0" : "-1");
      }
      /** @type {HTMLElement | null} */ (next)?.focus();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      const { trace, question } = store.get();
      const free = question && context.served && !isGuessing(store.get());
      if (trace && free && isWord(trace.src, here)) leaveOut(here);
    }
  });

  dragging();

  function dragging() {
    /** @type {{id: number, x: number, moved: boolean} | null} */
    let hand = null;
    /** @type {Element | undefined} */
    let aimed;
    const within = (/** @type {PointerEvent} */ { clientX }) =>
      clientX - scroller.getBoundingClientRect().left;
    /** @param {number} index */
    function mark(index) {
      const item = source.children[index];
      if (item === aimed) return;
      aimed?.classList.remove("aimed-at");
      aimed = item;
      aimed?.classList.add("aimed-at");
    }
    function letGo() {
      hand = null;
      mark(-1);
      light.drag(null);
      document.removeEventListener("keydown", cancel, true);
    }
    /** @param {KeyboardEvent} event */
    function cancel(event) {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      letGo();
    }
    gap.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !canSteer(context)) return;
      hand = { id: event.pointerId, x: within(event), moved: false };
      gap.setPointerCapture(event.pointerId);
      actions.pointToken(null);
      document.addEventListener("keydown", cancel, true);
    });
    gap.addEventListener("pointermove", (event) => {
      if (hand?.id !== event.pointerId) return;
      const x = within(event);
      hand.moved ||= Math.abs(x - hand.x) >= LEAST;
      if (!hand.moved) return;
      const { scrollWidth, clientWidth } = scroller;
      if (scrollWidth > clientWidth && x < EDGE) scroller.scrollLeft -= STRIDE;
      if (scrollWidth > clientWidth && x > clientWidth - EDGE) scroller.scrollLeft += STRIDE;
      light.drag(x);
      mark(nearest(light.words(), x));
    });
    gap.addEventListener("pointerup", (event) => {
      if (hand?.id !== event.pointerId) return;
      const index = hand.moved ? nearest(light.words(), within(event)) : -1;
      letGo();
      if (index >= 0) look(index, "all");
    });
    gap.addEventListener("pointercancel", letGo);
  }

  context.watch(["trace", "kind", "lesson"], () => {
    gap.classList.toggle("leads", canSteer(context));
    gap.title = canSteer(context) ? t("steer.drag") : "";
  });
  return menu.element;
}

/**
 * Whether it is one that can be left out: what marks the end is none.
 *
 * @param {string[]} src
 * @param {number} index
 */
function isWord(src, index) {
  return wordsOf(src).pieces.some((own) => own.includes(index));
}
