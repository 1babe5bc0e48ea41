/** The canvas of a grid: all of its cells, or of a matrix of many tokens those in sight. */

import { paintMarks } from "../../draw/marks.js";
import { resize } from "../../draw/paint.js";
import { wholeOf } from "../../draw/pooled.js";
import { holds, partInSight } from "./sight.js";

/** @import { Layout } from "../../draw/layout.js" */
/** @import { Grid } from "../../draw/paint.js" */
/** @import { Part } from "../../draw/pooled.js" */

/** @typedef {(picture: OffscreenCanvas, part: Part | null) => Grid} Draw  null: all cells */
/** @typedef {(brush: CanvasRenderingContext2D, grid: Grid) => void} Under  draws below the marks */

/** Above the columns' labels of a matrix that scrolls, in CSS pixels, as the style sheet has it. */
const OVER = 24;

/**
 * A grid's canvas, painted anew where other cells come into sight.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} plot  what scrolls
 * @param {(part: Part) => void} onPart  where another part comes into sight
 */
export function gridDrawing(canvas, plot, onPart) {
  /** How far the plot is: read when it has moved, for asking at every step would be a layout each. */
  const scrolled = { left: 0, top: 0 };
  const picture = new OffscreenCanvas(1, 1);
  // Opaque: what lies under it need not be put together with it.
  const brush = canvas.getContext("2d", { alpha: false });
  /** @type {{layout: Layout, count: {rows: number, columns: number}, sides: number} | undefined} */
  let laid;
  /** @type {Part} */
  let drawn = wholeOf(0, 0);
  /** @type {Grid | undefined} */
  let grid;
  /** @type {Draw | undefined} */
  let draw;
  /** Marks what was marked last. */
  let markAgain = () => {};

  /** @param {number} [around]  what is seen */
  function inSight(around) {
    if (!laid) return wholeOf(0, 0);
    const { layout, count, sides } = laid;
    if (!layout.many || !layout.scrolls) return wholeOf(count.rows, count.columns);
    const width = layout.width - sides * layout.rowLabel;
    const height = layout.height - layout.columnLabel + OVER;
    return partInSight(layout, count, { ...scrolled, width, height }, around);
  }

  function place() {
    drawn = inSight();
    const { many = false, cellWidth = 0, cellHeight = 0 } = laid?.layout ?? {};
    const { style } = canvas;
    for (const side of ["left", "top", "width", "height"]) style.removeProperty(side);
    canvas.classList.toggle("part", many);
    if (!many) return;
    style.left = `${Math.round(drawn.column * cellWidth)}px`;
    style.top = `${Math.round(drawn.row * cellHeight)}px`;
    onPart(drawn);
  }

  function paint() {
    if (!draw) return;
    const many = laid?.layout.many;
    grid = draw(picture, many ? drawn : null);
    resize(canvas, picture.width, picture.height);
    if (!many) return;
    // To the pixel: a line between cells would be as wide as two here and there.
    canvas.style.width = `${picture.width / grid.ratio}px`;
    canvas.style.height = `${picture.height / grid.ratio}px`;
  }

  /**
   * @param {import("../../draw/marks.js").Marks} marks
   * @param {import("../../draw/paint.js").Inks} inks
   * @param {Under} [under]
   */
  function mark(marks, inks, under) {
    if (!brush || !grid) return;
    markAgain = () => mark(marks, inks, under);
    brush.fillStyle = inks.paper;
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(picture, 0, 0);
    under?.(brush, grid);
    paintMarks(brush, grid, marks, inks);
  }

  plot.addEventListener("scroll", () => {
    scrolled.left = plot.scrollLeft;
    scrolled.top = plot.scrollTop;
    if (!laid?.layout.many || holds(drawn, inSight(0))) return;
    place();
    paint();
    markAgain();
  });

  return {
    scrolled,
    /** @param {NonNullable<typeof laid>} now */
    lay(now) {
      laid = now;
      place();
    },
    /** What is drawn; its first cell stands at the canvas's corner. */
    part: () => drawn,
    /** @param {Draw} how  and so again whenever another part comes into sight */
    paint(how) {
      draw = how;
      paint();
    },
    mark,
  };
}
