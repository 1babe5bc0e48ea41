/**
 * How a matrix of many tokens fits its panel, however small its cells become, and how they grow in
 * zooming.
 */

const GAP = 14;

/** More columns than this, or twice as many rows, are many: cells that fit are too small to be read. */
const MANY = 48;

/** Pixels of the smallest cells that can be told apart and clicked: once so wide, they are square. */
const SQUARE = 16;

/** Labels are at most so many times as long as high, and those of rows such a share of the width together. */
const LONGEST = 6;
const SHARE = 0.3;

/**
 * Sizes in CSS pixels: `row`, `cell`: a cell's largest height and width that fit; `zoomed`: the largest width of all.
 *
 * @typedef {{row: number, cell: number, zoomed: number, font: number}} Sizes
 */

/** Whether tokens are so many that only what is in sight is drawn. @type {(rows: number, columns: number) => boolean} */
export function areMany(rows, columns) {
  return columns > MANY || rows > 2 * MANY;
}

/**
 * Lays a matrix of many tokens out.
 *
 * @param {{width: number, height: number, zoom: number}} room  in CSS pixels
 * @param {{rows: number, columns: number, sides: number}} count  `sides`: columns of row labels
 * @param {{row: number, column: number, heading: number}} widest  label, 1 pixel high
 * @param {Sizes} sizes
 */
export function layoutMany({ width, height, zoom }, { rows, columns, sides }, widest, sizes) {
  const { font } = sizes;
  const rowLabel = Math.ceil(
    Math.min(widest.row * font + GAP, (width * SHARE) / sides, 2 * LONGEST * font),
  );
  const columnLabel = Math.ceil(Math.min(widest.column * font + GAP, LONGEST * font));
  const across = Math.floor(width - sides * rowLabel);
  const down = Math.floor(height - columnLabel);
  // Whole pixels together, so that none is drawn over two.
  const fitWidth = Math.min(sizes.cell, across / columns);
  const fitHeight = Math.min(sizes.row, down / rows);
  const maxZoom = Math.max(2, sizes.zoomed / fitWidth);
  const grown = Math.min(maxZoom, Math.max(1, zoom));
  const cellWidth = fitWidth * grown;
  const cellHeight = heightAt(grown, fitWidth, fitHeight, sizes.row);
  return {
    ...{ width, cellWidth, cellHeight, rowLabel, columnLabel, upright: false, raised: null },
    everyRow: Math.ceil((font + 3) / cellHeight),
    everyColumn: Math.ceil((font + 3) / cellWidth),
    font,
    headingFont: Math.min(font, (rowLabel - GAP / 2) / widest.heading),
    height: columnLabel + Math.max(fitHeight * rows, Math.min(down, sizes.row * rows)),
    scrolls: grown > 1,
    maxZoom,
    many: true,
  };
}

/**
 * Cells that fit may be many times wider than high: they grow faster in height, until they are square.
 *
 * @type {(zoom: number, fitWidth: number, fitHeight: number, most: number) => number}
 */
function heightAt(zoom, fitWidth, fitHeight, most) {
  const square = Math.max(SQUARE, fitWidth);
  const faster =
    fitWidth < square ? Math.log(square / fitHeight) / Math.log(square / fitWidth) : 1.5;
  return Math.min(Math.max(fitHeight, most), fitHeight * zoom ** Math.max(1, faster));
}
