/** Zooming into a matrix of many tokens: by the menu, the wheel with Ctrl held, two fingers. */

const FACTOR = 1.25;

/** What a bar along the end of a plot covers, in CSS pixels. */
const BAR = 16;

/** Pixels that a label reaches beyond a row which is lower than itself, as in the style sheet. */
const LABEL = 6;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 */
export function zooming({ store, actions, t }, kind) {
  let maxZoom = 1;
  let hasBar = false;
  const zoom = () => Math.min(maxZoom, store.get().zoom[kind] ?? 1);
  /** @type {(name: "out" | "in" | "fit", to: number) => import("../../kit/menu.js").Item} */
  const item = (name, to) => ({
    label: t(`zoom.${name}`),
    run: () => actions.setZoom(kind, Math.min(maxZoom, Math.max(1, to))),
    again: name !== "fit",
    disabled: name === "in" ? zoom() >= maxZoom : zoom() <= 1,
  });
  return {
    /** Where buttons stand above the matrix, the menu needs none. */
    items: () =>
      hasBar ? [] : [item("in", zoom() * FACTOR), item("out", zoom() / FACTOR), item("fit", 1)],
    /** @param {import("../../draw/layout.js").Layout} layout */
    onLayout(layout) {
      maxZoom = layout.maxZoom;
      hasBar = layout.many ?? false;
    },
  };
}

/**
 * @typedef {object} Zoomed
 * @property {HTMLElement} plot  what scrolls
 * @property {{left: number, top: number}} scrolled
 * @property {HTMLElement} cells
 * @property {() => import("../../draw/layout.js").Layout | undefined} layout
 */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {Zoomed} zoomed
 */
export function zoomByGesture({ store, actions }, kind, { plot, scrolled, cells, layout }) {
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
     * Around a cell, wherever it is.
     *
     * @type {(factor: number, place: {row: number, column: number}) => void}
     */
    by(factor, { row, column }) {
      const { left, top } = cells.getBoundingClientRect();
      const { cellWidth = 0, cellHeight = 0 } = layout() ?? {};
      magnify(factor, left + (column + 0.5) * cellWidth, top + (row + 0.5) * cellHeight);
      this.reveal(row);
    },
    /**
     * Brings a row into sight, if it is not.
     *
     * @param {number} row
     */
    reveal(row) {
      const { cellHeight = 0, columnLabel = 0, height = 0, scrolls, many } = layout() ?? {};
      if (!scrolls) return;
      const seen = height - columnLabel - BAR;
      const around = many ? LABEL : 0;
      const [top, bottom] = [row * cellHeight - around, (row + 1) * cellHeight + around];
      const from = Math.min(top, Math.max(scrolled.top, bottom - seen));
      if (from === scrolled.top) return;
      scrolled.top = from;
      requestAnimationFrame(() => (plot.scrollTop = from)); // laid out with all else
    },
  };
}

/** @param {PointerEvent[]} fingers */
function distance([one, other]) {
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
}
