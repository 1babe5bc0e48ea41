/** Heads as a picture: a drawing for a paper, the same in pixels, or on a page of its own. */

import { headsFigure } from "../../draw/figure.js";

/** Pixels of a PNG for each of the drawing's own. */
const SCALE = 2;

/** Pixels along one side: browsers make no larger picture. */
const MOST = 16_384;

/** @typedef {{root: SVGElement, width: number, height: number}} Figure */

/** @typedef {Heads | {figure: Figure}} Shown  heads, or what has been drawn already */

/**
 * @typedef {object} Heads
 * @property {import("../../trace/trace.js").Trace} trace
 * @property {import("../../trace/kinds.js").Kind} kind
 * @property {import("../../trace/choice.js").Choice[]} choices  side by side
 * @property {import("../../draw/coloring.js").Coloring} coloring
 * @property {import("../../kit/i18n.js").Translate} t
 */

/** @param {Shown} shown */
function drawing(shown) {
  const { root, width, height } =
    "figure" in shown
      ? shown.figure
      : headsFigure(shown.trace, shown.kind, shown.choices, shown.coloring, shown.t);
  return { root, svg: new XMLSerializer().serializeToString(root), width, height };
}

/** @param {Shown} shown */
export function svg(shown) {
  return new Blob([drawing(shown).svg], { type: "image/svg+xml" });
}

/**
 * @param {Shown} shown
 * @returns {Promise<Blob>}
 */
export async function png(shown) {
  const { svg, width, height } = drawing(shown);
  const image = new Image(width, height);
  // A `data:` address: a canvas that drew a `blob:` one could not be read in a sandboxed frame.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(SCALE, MOST / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.floor(scale * width);
  canvas.height = Math.floor(scale * height);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture was made"))));
  });
}

/** @type {() => void} */
let tidy = () => {};

/**
 * Opens the browser's print, with the drawing alone on a page of its size: so it makes a PDF, too.
 *
 * @param {Shown} shown
 * @param {string} name  of the file that the browser offers
 */
export function print(shown, name) {
  tidy();
  const { root, width, height } = drawing(shown);
  const page = document.createElement("style");
  page.textContent = `@page { size: ${width}px ${height + 1}px; margin: 0 }`;
  const sheet = document.createElement("div");
  sheet.className = "printed";
  sheet.append(page, root);
  const { title } = document;
  tidy = () => {
    sheet.remove();
    document.title = title;
    tidy = () => {};
  };
  window.addEventListener("afterprint", () => tidy(), { once: true });
  document.title = name;
  document.body.append(sheet);
  window.print();
}
