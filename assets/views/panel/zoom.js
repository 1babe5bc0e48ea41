/** Zooming into a matrix of many tokens: buttons, the wheel with Ctrl held, two fingers. */

import { h } from "../../kit/dom.js";
import { icon } from "../../kit/icons.js";

const FACTOR = 1.25;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
export function zoomButtons({ store, actions, t, watch }, kind) {
  let maxZoom = 1;
  const zoom = () => Math.min(maxZoom, store.get().zoom[kind] ?? 1);
  /** @type {(name: "out" | "in" | "fit", act: () => void) => HTMLButtonElement} */
  const button = (name, act) => {
    const text = t(`zoom.${name}`);
    const attributes = { class: "bare small", title: text, "aria-label": text };
    return h("button", { ...attributes, click: act }, icon(`zoom_${name}`));
  };
  const magnify = (/** @type {number} */ value) =>
    actions.setZoom(kind, Math.min(maxZoom, Math.max(1, value)));
  const out = button("out", () => magnify(zoom() / FACTOR));
  const closer = button("in", () => magnify(zoom() * FACTOR));
  const fit = button("fit", () => magnify(1));

  function follow() {
    out.disabled = fit.disabled = zoom() <= 1;
    closer.disabled = zoom() >= maxZoom;
  }
  watch(["zoom"], follow);
  return {
    buttons: [out, fit, closer],
    /** @param {import("../../draw/layout.js").Layout} layout */
    onLayout(layout) {
      maxZoom = layout.maxZoom;
      follow();
    },
  };
}

/**
 * @typedef {object} Zoomed
 * @property {HTMLElement} plot  what scrolls
 * @property {HTMLElement} cells
 * @property {() => import("../../draw/layout.js").Layout | undefined} layout
 */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {Zoomed} zoomed
 */
export function zoomByGesture({ store, actions }, kind, { plot, cells, layout }) {
  /**
   * Keeps the cell at a place of the screen where it is.
   *
   * @type {(factor: number, x: number, y: number) => void}
   */
  function magnify(factor, x, y) {
    const before = layout();
    const now = store.get().zoom[kind] ?? 1;
    const zoom = Math.min(before?.maxZoom ?? 1, Math.max(1, now * factor));
    if (!before || zoom === now) return;
    const box = cells.getBoundingClientRect();
    const key = (x - box.left) / before.cellWidth;
    const query = (y - box.top) / before.cellHeight;
    actions.setZoom(kind, zoom);
    const after = layout() ?? before;
    const moved = cells.getBoundingClientRect();
    plot.scrollLeft += moved.left + key * after.cellWidth - x;
    plot.scrollTop += moved.top + query * after.cellHeight - y;
  }

  plot.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      magnify(Math.exp(-event.deltaY / 200), event.clientX, event.clientY);
    },
    { passive: false },
  );

  /** @type {Map<number, PointerEvent>} */
  const fingers = new Map();
  plot.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") fingers.set(event.pointerId, event);
  });
  plot.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = [...fingers.values()];
    fingers.set(event.pointerId, event);
    const after = [...fingers.values()];
    if (after.length !== 2) return;
    const [x, y] = [
      (after[0].clientX + after[1].clientX) / 2,
      (after[0].clientY + after[1].clientY) / 2,
    ];
    magnify(distance(after) / distance(before), x, y);
  });
  for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
    plot.addEventListener(end, ({ pointerId }) => fingers.delete(pointerId));
  }

  return {
    /**
     * Brings a row into sight, if it is not.
     *
     * @param {number} row
     */
    reveal(row) {
      const { cellHeight = 0 } = layout() ?? {};
      if ((store.get().zoom[kind] ?? 1) <= 1) return;
      const seen = plot.clientHeight - cells.offsetTop;
      const [top, bottom] = [row * cellHeight, (row + 1) * cellHeight];
      if (top < plot.scrollTop) plot.scrollTop = top;
      else if (bottom > plot.scrollTop + seen) plot.scrollTop = bottom - seen;
    },
  };
}

/** @param {PointerEvent[]} fingers */
function distance([one, other]) {
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
}
