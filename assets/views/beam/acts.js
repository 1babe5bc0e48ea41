/** What can be done with a word: look there at this row, by hand, menu or key; or leave it out. */

import { nearest } from "../../draw/beam/ribbons.js";
import { iconButton } from "../../kit/controls.js";
import { itemIndex } from "../../kit/dom.js";
import { askingRow } from "../../state/beam.js";
import { isGuessing } from "../../state/touring.js";
import { headName } from "../../trace/choice.js";
import { isMasked, keyTokens } from "../../trace/kinds.js";
import { piecesAt, wordsAt } from "../../trace/steering.js";
import { wordsOf } from "../../trace/whole_words.js";
import { wordMenu } from "./menu.js";

/** @import { Context } from "../../state/actions.js" */
/** @import { Kind } from "../../trace/kinds.js" */
/** @typedef {ReturnType<typeof import("./light.js").beamLight>} Light */
/** @typedef {"all" | "layer" | "head"} Scope */

/** A hand that moves less has not dragged, in CSS pixels. */
const LEAST = 5;

/** So near to the edge, the rows scroll along, by so much. */
const [EDGE, STRIDE] = [28, 12];

/** @param {Context} context */
export function canSteer({ store, served }) {
  const { trace, question, patient, lesson } = store.get();
  return (
    served && trace !== null && question !== null && patient === null && !isGuessing({ lesson })
  );
}

/**
 * Which heads look elsewhere.
 *
 * @param {Context} context
 * @param {Kind} kind
 * @param {Scope} scope
 * @returns {{kind: Kind, layer: number | null, head: number | null} | null}  null if no such ones are chosen
 */
export function headsOf({ store }, kind, scope) {
  const { layer, head } = store.get().heads[kind] ?? {};
  if (scope === "all") return { kind, layer: null, head: null };
  if (typeof layer !== "number") return null;
  if (scope === "layer") return { kind, layer, head: null };
  return typeof head === "number" ? { kind, layer, head } : null;
}

/**
 * @param {Context} context
 * @param {ReturnType<typeof import("./rows.js").wordRows>} rows
 * @param {Light} light
 * @param {(index: number) => void} leaveOut
 * @returns {HTMLElement}  the words' menu
 */
export function wordActs(context, { source, offered, above }, light, leaveOut) {
  const { store, actions, t } = context;
  const { gap, scroller } = light;

  /**
   * The tokens of a word that the row may look at.
   *
   * @param {number} index  of one of them
   */
  function keysAt(index) {
    const { trace, kind } = store.get();
    const row = askingRow(store.get());
    const tokens = trace ? keyTokens(trace, kind) : [];
    if (!canSteer(context) || index < 0 || index >= tokens.length) return [];
    const causal = trace?.weights[kind]?.causal;
    return piecesAt(tokens, index).filter((key) => !isMasked(kind, row, key, causal));
  }

  /** @type {(index: number, scope: Scope) => Promise<void> | undefined} */
  function look(index, scope) {
    const heads = headsOf(context, store.get().kind, scope);
    const keys = keysAt(index);
    if (!heads || !keys.length) return undefined;
    return actions.steer({ ...heads, row: askingRow(store.get()), keys });
  }

  const menu = wordMenu(t, (index) => {
    const { trace, kind, heads } = store.get();
    if (!trace) return [];
    const layer = Number(heads[kind]?.layer ?? 0) + 1;
    const named = heads[kind] ? headName(heads[kind]) : "";
    const asking = wordsAt(trace.src, [askingRow(store.get())]);
    const scopes = /** @type {const} */ (["all", "layer", "head"]);
    const items = scopes
      .filter((scope) => keysAt(index).length && headsOf(context, kind, scope))
      .map((scope) => ({
        label:
          kind === "encoder_self" && scope === "all"
            ? t("steer.look.encoder", { word: asking })
            : t(`steer.look.${scope}`, { layer, head: named }),
        run: () => look(index, scope),
      }));
    const word = wordsAt(trace.src, [index]);
    const leave = { label: t("leave.word", { word }), run: () => leaveOut(index) };
    return kind !== "decoder_self" && canLeaveOut(index) ? [...items, leave] : items;
  });

  // Beside the word that is pointed at; what it does, the menu and the Delete key do as well.
  const cross = iconButton("close", "", () => leaveOut(crossed), { kind: "leave" });
  cross.tabIndex = -1;
  let crossed = 0;
  scroller.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "touch" || cross.contains(/** @type {Node} */ (target))) return;
    const index = itemIndex(source, target);
    const { trace } = store.get();
    if (!trace || !canLeaveOut(index)) {
      cross.remove();
      return;
    }
    crossed = index;
    cross.ariaLabel = cross.title = t("leave.word", { word: wordsAt(trace.src, [index]) });
    const { offsetLeft, offsetWidth, offsetHeight } = /** @type {HTMLElement} */ (
      source.children[index]
    );
    cross.style.left = `${source.offsetLeft + offsetLeft + offsetWidth}px`;
    cross.style.height = `${offsetHeight}px`;
    if (!cross.isConnected) scroller.append(cross);
  });
  scroller.addEventListener("pointerleave", () => cross.remove());

  /** What marks the end is no word. @param {number} index */
  function canLeaveOut(index) {
    const { trace, question } = store.get();
    if (!context.served || !question || isGuessing(store.get())) return false;
    return wordsOf(trace?.src ?? []).pieces.some((own) => own.includes(index));
  }

  for (const list of offered) {
    /** @param {number} index */
    const press = (index) => {
      if (!context.served) return;
      if (isGuessing(store.get())) actions.guess(index);
      else menu.open(index, list.children[index]);
    };

    list.addEventListener("click", ({ target }) => {
      const index = itemIndex(list, target);
      if (index >= 0) press(index);
    });

    list.addEventListener("keydown", (event) => {
      const here = itemIndex(list, event.target);
      const last = list.children.length - 1;
      const [left, right] = list.dir === "rtl" ? [here + 1, here - 1] : [here - 1, here + 1];
      /** @type {Record<string, number>} */
      const places = { ArrowLeft: left, ArrowRight: right, Home: 0, End: last };
      const there = places[event.key];
      const modified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
      if (here < 0 || modified) return;
      if (there !== undefined) {
        event.preventDefault();
        const next = list.children[Math.min(last, Math.max(0, there))]?.firstElementChild;
        for (const { firstElementChild: option } of list.children) {
          option?.setAttribute("tabindex", option === next ? "0" : "-1");
        }
        /** @type {HTMLElement | null} */ (next)?.focus();
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        press(here);
      } else if (event.key === "Delete" || event.key === "Backspace") {
        event.preventDefault();
        if (list === source && canLeaveOut(here)) leaveOut(here);
      }
    });
  }

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
      const item = keysAt(index).length ? above().children[index] : undefined;
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
