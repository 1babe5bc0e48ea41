/** How one weight came about, on its real numbers, frame after frame as at a blackboard. */

import { figureTitle } from "../../draw/titles.js";
import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { probabilityText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { revealMatrix, WORKED_OUT } from "../../parts/reveal.js";
import { headName, sameHead } from "../../trace/choice.js";
import { isAhead, keyTokens } from "../../trace/kinds.js";
import { headsAt } from "../../trace/weights.js";
import { arithmeticView } from "./arithmetic.js";

/** @import { Translate } from "../../kit/i18n.js" */
/** @import { Cell } from "../../trace/choice.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @typedef {{layer: number, head: number, weight: number}} Given  a head, and what it gives the cell */

/** Heads, of those that a tile joins, that can be chosen here. */
const OTHERS = 5;

/** @param {import("../../state/actions.js").Context} context */
export function workedOutView(context) {
  const { store, actions, about, t, watch } = context;
  const arithmetic = arithmeticView(context, choose);
  const answer = awaiting(t, {
    label: t("worked_out.state"),
    // The last arithmetic stays, while it is of what is shown.
    clear: () => arithmetic.trace() !== store.get().trace && clean(),
  });
  const title = h("p", { class: "quiet" });
  const back = h("button", { class: "fold", click: leave }, t("worked_out.back"));
  const root = h(
    "section",
    {
      ...{ id: WORKED_OUT, class: "worked-out", "aria-label": t("tab.worked_out") },
      ...{ tabindex: 0, keydown: keys },
    },
    h("div", { class: "over" }, h("h2", {}, t("tab.worked_out")), title, back),
    answer.waiting,
    answer.problem,
    arithmetic.element,
  );

  function clean() {
    arithmetic.clear();
    title.textContent = "";
  }

  /** @param {number} key */
  function choose(key) {
    const { picked } = store.get();
    if (picked) actions.pick({ ...picked, key });
  }

  function leave() {
    actions.unpick();
    revealMatrix();
  }

  function show() {
    const { trace, picked } = store.get();
    root.hidden = picked === null;
    const why = whyNot(store.get());
    if (!trace || !picked || why) {
      answer.rest();
      clean();
      answer.waiting.textContent = t(`worked_out.${why}`);
      return;
    }
    const { kind } = picked;
    const weights = trace.weights[kind];
    if (!weights) return;
    // Behind a mean there is no query: the head that gives the cell most has one.
    const [strongest, ...others] = headsAt(weights, picked);
    const { layer, head } = strongest;
    arithmetic.joined.hidden = sameHead(picked, strongest);
    arithmetic.joined.replaceChildren(
      ...joinedView(t, strongest, others, (one) => actions.chooseHead(kind, one)),
    );
    const cell = { ...picked, layer, head };
    answer.show(
      about(trace).head({ kind, layer, head }),
      (numbers) => {
        title.textContent = figureTitle(t, kind, cell);
        arithmetic.draw(trace, cell, numbers);
      },
      t("worked_out.waiting"),
    );
  }

  watch(["trace", "picked", "hiding"], show);
  watch(["step"], ({ hiding }) => hiding && show());

  /**
   * Within, the arrow keys walk frames and keys; the page's own steps stay where they are.
   *
   * @param {KeyboardEvent} event
   */
  function keys(event) {
    const { picked, trace } = store.get();
    const modified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (!picked || !trace || modified) return;
    const down = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const key = picked.key + (down ?? 0);
    if (down === undefined && !arithmetic.press(event)) return;
    event.preventDefault();
    if (down && keyTokens(trace, picked.kind)[key] !== undefined) choose(key);
  }

  return root;
}

/**
 * Which of the heads that a tile joins is worked out, and which else could be.
 *
 * @param {Translate} t
 * @param {Given} strongest
 * @param {Given[]} others
 * @param {(head: Given) => void} choose
 */
function joinedView(t, strongest, others, choose) {
  /** @param {Given} head */
  const named = (head) => `${headName(head)} ${probabilityText(head.weight)}`;
  return [
    t("worked_out.aggregate", { head: named(strongest) }),
    ...others.slice(0, OTHERS).map((head) => chip(() => choose(head), named(head))),
  ];
}

/**
 * Why no arithmetic is shown.
 *
 * @param {import("../../state/state.js").State} state
 */
function whyNot({ trace, picked, step, hiding }) {
  if (!trace || !picked || !fits(trace, picked)) return "none";
  return hiding && isAhead(picked.kind, picked.query, step) ? "hidden" : null;
}

/** @type {(trace: Trace, cell: Cell) => boolean} */
function fits({ weights }, { kind, query, key, layer, head }) {
  const there = weights[kind];
  if (!there || query >= there.queries || key >= there.keys) return false;
  return !(Number(layer) >= there.layers) && !(Number(head) >= there.heads);
}
