/** How one weight came about, on its real numbers, frame after frame as at a blackboard. */

import { figureTitle } from "../../draw/titles.js";
import { tokenNode } from "../../draw/token.js";
import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { fill } from "../../kit/i18n.js";
import { probabilityText, smallText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { revealMatrix, WORKED_OUT } from "../../parts/reveal.js";
import { FRAMES, workOut } from "../../trace/arithmetic.js";
import { headName, sameHead } from "../../trace/choice.js";
import { decodes, isAhead, keyTokens, queryTokens } from "../../trace/kinds.js";
import { headsAt } from "../../trace/weights.js";
import { boardView } from "./board.js";
import { framesView } from "./frames.js";
import { sayFrame } from "./words.js";

/** @import { HeadNumbers } from "../../trace/arithmetic.js" */
/** @import { Cell } from "../../trace/choice.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @typedef {{layer: number, head: number, weight: number}} Given  a head, and what it gives the cell */

/** So many of the heads that a tile joins can be chosen here. */
const OTHERS = 5;

/** @param {import("../../state/actions.js").Context} context */
export function workedOutView(context) {
  const { store, actions, about, t, watch } = context;
  /** @type {{trace: Trace, board: import("./board.js").Board} | null} */
  let drawn = null;
  const asked = awaiting(t, {
    label: t("worked_out.state"),
    // The last arithmetic stays, while it is of what is shown.
    clear: () => drawn?.trace !== store.get().trace && clean(),
  });
  const title = h("p", { class: "quiet" });
  const sentence = h("p", { class: "sentence" });
  const joined = h("p", { role: "note", class: "heads-here" });
  const changed = h("p", { role: "note" }, t("worked_out.changed"));
  const finished = h("p", { role: "note" }, t("worked_out.finished"));
  const frames = framesView(context);
  const said = h("div", { class: "said", role: "status", "aria-label": t("worked_out.frame") });
  const board = h("div", { class: "blackboard" });
  const strips = h("p", { class: "quiet" }, ...fill(t("worked_out.strips"), swatches()));
  const worked = h(
    "div",
    { class: "arithmetic", hidden: true },
    ...[sentence, joined, changed, finished, frames.element, said, board, strips],
  );
  const back = h("button", { class: "fold", click: leave }, t("worked_out.back"));
  const root = h(
    "section",
    {
      ...{ id: WORKED_OUT, class: "worked-out", "aria-label": t("tab.worked_out") },
      ...{ tabindex: 0, keydown: keys },
    },
    h("div", { class: "over" }, h("h2", {}, t("tab.worked_out")), title, back),
    asked.waiting,
    asked.problem,
    worked,
  );

  function clean() {
    drawn = null;
    worked.hidden = true;
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
      asked.rest();
      clean();
      asked.waiting.textContent = t(`worked_out.${why}`);
      return;
    }
    const { kind } = picked;
    const weights = trace.weights[kind];
    if (!weights) return;
    // Behind a mean there is no query: the head that gives the cell most has one.
    const [strongest, ...others] = headsAt(weights, picked);
    const { layer, head } = strongest;
    joined.hidden = sameHead(picked, strongest);
    joined.replaceChildren(
      ...joinedView(t, strongest, others, (one) => actions.chooseHead(kind, one)),
    );
    asked.show(
      about(trace).head({ kind, layer, head }),
      (numbers) => draw(trace, { ...picked, layer, head }, numbers),
      t("worked_out.waiting"),
    );
  }

  /** @type {(trace: Trace, cell: Cell, numbers: HeadNumbers) => void} */
  function draw(trace, cell, numbers) {
    const { kind, query, key } = cell;
    const inRow = board.contains(document.activeElement);
    const arithmetic = workOut(numbers, cell, trace.weights[kind]?.causal);
    const heads = trace.weights[kind]?.heads ?? 1;
    const of = { trace, cell, heads, arithmetic, numbers };
    drawn = {
      trace,
      board: boardView(t, of, choose),
    };
    title.textContent = figureTitle(t, kind, cell);
    sentence.replaceChildren(
      ...fill(t(decodes(kind) ? "worked_out.decoder" : "worked_out.encoder"), {
        query: tokenNode(queryTokens(trace, kind)[query]),
        predicts: tokenNode(trace.tgt_out[query] ?? ""),
        key: tokenNode(keyTokens(trace, kind)[key]),
        weight: h("strong", {}, arithmetic.masked ? t("tip.masked") : smallText(arithmetic.weight)),
      }),
    );
    changed.hidden = !arithmetic.changed;
    // The step may have changed while the numbers were on their way.
    finished.hidden = !isAhead(kind, query, store.get().step);
    board.replaceChildren(...drawn.board.elements);
    worked.hidden = false;
    if (inRow) drawn.board.focus();
    drawn.board.show(store.get().frame);
    say = () => said.replaceChildren(...sayFrame(t, of, store.get().frame));
    say();
  }

  /** Puts the frame into words. */
  let say = () => {};

  watch(["trace", "picked", "hiding"], show);
  watch(["step"], ({ picked, hiding, step }) => {
    if (hiding) show();
    else if (picked) finished.hidden = !isAhead(picked.kind, picked.query, step);
  });
  let last = store.get().frame;
  watch(["frame"], ({ frame }) => {
    if (frame === last) return;
    drawn?.board.show(frame, { onward: FRAMES.indexOf(frame) === FRAMES.indexOf(last) + 1 });
    say();
    last = frame;
  });

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
    if (down === undefined && !frames.press(event)) return;
    event.preventDefault();
    if (down && keyTokens(trace, picked.kind)[key] !== undefined) choose(key);
  }

  function swatches() {
    const swatch = (/** @type {"plus" | "minus"} */ sign) =>
      h(
        "span",
        { class: "signed" },
        h("span", { class: `swatch ${sign}` }),
        t(`worked_out.${sign}`),
      );
    return { plus: swatch("plus"), minus: swatch("minus") };
  }
  return root;
}

/**
 * Which of the heads that a tile joins is worked out, and which else could be.
 *
 * @param {import("../../kit/i18n.js").Translate} t
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
