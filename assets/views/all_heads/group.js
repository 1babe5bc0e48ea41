/** Heads of one group as pictures on one canvas, each of which a key or a click reaches. */

import { atlasOf } from "../../draw/atlas.js";
import { resize } from "../../draw/paint.js";
import { h } from "../../kit/dom.js";
import { hasMask } from "../../trace/kinds.js";
import { maskAt } from "../../trace/weights.js";
import { select } from "../panel/marked_cell.js";
import { overviewKeys } from "../panel/overview_keys.js";

/** @import { Head } from "./arranged.js" */

/** Between pictures, in CSS pixels, as in the style sheet. */
export const GAP = 3;

/** Milliseconds of drawing: what is not drawn by then is drawn in the next frame. */
const FRAME = 8;

/** The opacity that others are dimmed to. */
const DIMMED = 0.16;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {object} group
 * @param {string} group.name
 * @param {(Head | null)[][]} group.rows
 * @param {number} group.tile  a picture's side, in CSS pixels
 * @param {(head: Head) => string} group.textOf  what is known of a head
 * @param {(head: Head) => void} group.choose
 * @param {(head: Head | null) => void} group.point
 */
export function headGroup(context, { name, rows, tile, textOf, choose, point }) {
  const { store } = context;
  const { kind, trace } = store.get();
  const weights = trace?.weights[kind];
  const canvas = h("canvas");
  const cells = rows.map((row, y) =>
    row.map((head, x) => {
      const masked = head && weights && hasMask(kind, weights.keys, maskAt(weights, head));
      return h("div", {
        role: "gridcell",
        class: head ? (masked ? "hatched" : null) : "absent",
        tabindex: -1,
        "aria-selected": head ? "false" : null,
        "aria-disabled": head ? null : "true",
        style: `grid-row: ${y + 1}; grid-column: ${x + 1}`,
      });
    }),
  );
  const flat = /** @type {HTMLElement[]} */ (cells.flat());
  const headOf = (/** @type {EventTarget | null} */ target) => {
    const at = flat.indexOf(/** @type {HTMLElement} */ (target));
    return at < 0 ? null : (rows.flat()[at] ?? null);
  };
  const element = h(
    "div",
    {
      role: "grid",
      "aria-label": name,
      class: "head-group",
      style: `--tile: ${tile}px; --gap: ${GAP}px`,
      keydown: overviewKeys(
        context,
        kind,
        () => ({ choices: rows.map((row) => row.map((head) => head ?? NONE)), cells }),
        (choice) => choose(/** @type {Head} */ (choice)),
      ),
      click: (/** @type {MouseEvent} */ { target, shiftKey }) => {
        const head = headOf(target);
        if (head && shiftKey) context.actions.togglePin(kind, head);
        else if (head) choose(head);
      },
      pointerover: (/** @type {PointerEvent} */ { target }) => point(headOf(target)),
      pointerleave: () => point(null),
      focusin: (/** @type {FocusEvent} */ { target }) => point(headOf(target)),
    },
    ...cells.map((row) => h("div", { role: "row" }, ...row)),
    canvas,
  );
  const draw = painting(canvas, rows, tile);
  /** @param {(head: Head) => boolean} isLit */
  function paint(isLit) {
    if (weights) draw(atlasOf(weights, kind, store.get()), isLit);
  }
  let chosenCell = /** @type {HTMLElement | undefined} */ (undefined);

  return {
    element,
    /** @param {(head: Head) => boolean} isLit */
    name(isLit) {
      for (const [i, head] of rows.flat().entries()) {
        if (!head) continue;
        flat[i].ariaLabel = textOf(head);
        flat[i].classList.toggle("dimmed", !isLit(head));
      }
    },
    /** @param {import("../../trace/choice.js").Choice | undefined} chosen */
    mark(chosen) {
      const at = rows
        .flat()
        .findIndex((it) => it?.layer === chosen?.layer && it?.head === chosen?.head);
      select(chosenCell, false);
      chosenCell = flat[at];
      select(chosenCell, true);
      // One of them is reached by the Tab key, whichever is chosen.
      if (!chosenCell && flat[0]) flat[0].tabIndex = 0;
    },
    paint,
  };
}

/**
 * Draws the pictures as far as a frame has time, and the others in the next ones.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {(Head | null)[][]} rows
 * @param {number} tile  a picture's side, in CSS pixels
 * @returns {(atlas: import("../../draw/atlas.js").Atlas, isLit: (head: Head) => boolean) => void}
 */
function painting(canvas, rows, tile) {
  const places = rows.flatMap((row, y) => row.map((head, x) => ({ head, x, y })));
  const across = Math.max(0, ...rows.map(({ length }) => length));
  const side = (/** @type {number} */ count) => count * (tile + GAP) - GAP;
  let turn = 0;
  return (atlas, isLit) => {
    const brush = canvas.getContext("2d");
    if (!brush) return;
    const ratio = devicePixelRatio;
    resize(canvas, Math.round(side(across) * ratio), Math.round(side(rows.length) * ratio));
    brush.clearRect(0, 0, canvas.width, canvas.height);
    brush.imageSmoothingEnabled = false;
    const mine = ++turn;

    /** @param {number} from */
    function on(from) {
      if (mine !== turn || !brush) return;
      const end = performance.now() + FRAME;
      let i = from;
      for (; i < places.length && performance.now() < end; i++) {
        const { head, x, y } = places[i];
        if (!head) continue;
        const [left, top, size] = [x * (tile + GAP), y * (tile + GAP), tile].map((length) =>
          Math.round(length * ratio),
        );
        brush.globalAlpha = isLit(head) ? 1 : DIMMED;
        atlas.draw(brush, head, [left, top, size, size]);
      }
      if (i < places.length) requestAnimationFrame(() => on(i));
    }
    on(0);
  };
}

/** A placeholder of a head that a layer lacks. */
const NONE = { layer: -1, head: -1 };
