/**
 * What lies over the cells of a matrix: the rows ahead, the current row, what is pointed at. Painted
 * on the cells' own canvas, for over a canvas every element is a layer that the browser must put
 * together in each frame.
 */

/** Between the dots over the rows ahead, in CSS pixels, as in the legend. */
const DOT_PITCH = 7;
const DOT_RADIUS = 0.8;

/**
 * @typedef {object} Marks
 * @property {number | null} step  the current row; null where nothing is decoded
 * @property {boolean} [bare]  the rows ahead are shown too
 * @property {{rows: number[], columns: number[]}} lines
 * @property {{query: number, key: number} | null} pointed
 */

/**
 * Paints the step's row, the lines and the cell that are marked.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {import("./paint.js").Grid} grid
 * @param {Marks} marks
 * @param {import("./paint.js").Inks} inks
 */
export function paintMarks(context, { x, y, ratio }, { step, bare, lines, pointed }, inks) {
  const { width, height } = context.canvas;
  const hairline = Math.max(1, Math.round(ratio));

  /** @type {(color: string, thickness: number, grown: number, cell: number[]) => void} */
  function frame(color, thickness, grown, [left, top, right, bottom]) {
    const inset = thickness / 2 - grown;
    context.strokeStyle = color;
    context.lineWidth = thickness;
    context.strokeRect(
      left + inset,
      top + inset,
      right - left - 2 * inset,
      bottom - top - 2 * inset,
    );
  }

  if (step !== null) {
    if (!bare) {
      const ahead = y(step + 1);
      context.fillStyle = inks.paper;
      context.fillRect(0, ahead, width, height - ahead);
      context.fillStyle = dots(context, inks.edge, ratio);
      context.fillRect(0, ahead, width, height - ahead);
    }
    // Around the row, so that its cells stay whole, as far as the canvas has room.
    const thickness = 2 * hairline;
    const top = Math.max(thickness, y(step));
    const bottom = Math.min(height - thickness, y(step + 1));
    frame(inks.now, thickness, thickness, [thickness, top, width - thickness, bottom]);
  }
  const bands = [
    ...lines.rows.map((row) => [-hairline, y(row), width + hairline, y(row + 1)]),
    ...lines.columns.map((column) => [x(column), -hairline, x(column + 1), height + hairline]),
  ];
  for (const band of bands) {
    frame(inks.paper, hairline, hairline, band);
    frame(inks.ink, hairline, 0, band);
  }
  if (pointed) {
    const { query, key } = pointed;
    const cell = [x(key), y(query), x(key + 1), y(query + 1)];
    frame(inks.paper, hairline, hairline, cell);
    frame(inks.ink, 2 * hairline, 0, cell);
  }
}

/**
 * Dots over the first columns, which are no key.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {import("./paint.js").Grid} grid
 * @param {number} columns
 * @param {import("./paint.js").Inks} inks
 */
export function paintSink(context, { x, ratio }, columns, inks) {
  context.fillStyle = dots(context, inks.ink, ratio);
  context.fillRect(x(0), 0, x(columns) - x(0), context.canvas.height);
}

/**
 * Paper over the cells that are not shown, through which they still shimmer.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {import("./paint.js").Grid} grid
 * @param {{queries: number, keys: number, shift: number}} size  `shift`: columns before the first key
 * @param {(query: number, key: number) => boolean} among  which are
 * @param {import("./paint.js").Inks} inks
 */
export function paintVeil(context, { x, y }, { queries, keys, shift }, among, inks) {
  context.save();
  context.globalAlpha = 0.85;
  context.fillStyle = inks.paper;
  for (let query = 0; query < queries; query++) {
    const top = y(query);
    let from = 0;
    for (let key = 0; key <= keys; key++) {
      if (key < keys && !among(query, key)) continue;
      // One rectangle a run of cells: of hundreds of tokens each alone would take too long.
      if (key > from) {
        const left = x(from + shift);
        context.fillRect(left, top, x(key + shift) - left, y(query + 1) - top);
      }
      from = key + 1;
    }
  }
  context.restore();
}

/** @type {{look: string, pattern: CanvasPattern | string}} */
let dotted = { look: "", pattern: "" };

/**
 * Made once for a theme and a screen: making it takes longer than all the marks.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {string} color
 * @param {number} ratio
 */
function dots(context, color, ratio) {
  const look = `${color} ${ratio}`;
  if (dotted.look !== look) {
    const side = Math.round(DOT_PITCH * ratio);
    const tile = new OffscreenCanvas(side, side);
    const brush = tile.getContext("2d");
    if (brush) {
      brush.fillStyle = color;
      brush.arc(side / 2, side / 2, DOT_RADIUS * ratio, 0, 2 * Math.PI);
      brush.fill();
    }
    dotted = { look, pattern: context.createPattern(tile, "repeat") ?? color };
  }
  return dotted.pattern;
}
