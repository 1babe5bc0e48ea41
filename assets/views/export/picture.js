/** A drawing as a file: for a paper, the same in pixels, or on a page of its own. */

import { download } from "../../kit/download.js";
import { problemText } from "../../state/problem.js";

/** Pixels of a PNG for each of the drawing's own. */
const SCALE = 2;

/** Pixels along one side: browsers make no larger picture. */
const MOST = 16_384;

/** @typedef {{root: SVGElement, width: number, height: number}} Figure */

/**
 * What of a menu takes a drawing away.
 *
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {"save" | "save.beam"} what  its texts
 * @param {() => {figure: Figure, name: (suffix: string) => string} | null} shown  null: nothing is
 * @returns {import("../../kit/menu.js").Item[]}
 */
export function pictures(t, what, shown) {
  /** @type {(make: (figure: Figure, name: string) => Promise<Blob> | Blob | void, suffix: string) => () => Promise<string | null>} */
  const saved = (make, suffix) => async () => {
    try {
      const drawn = shown();
      if (!drawn) return null;
      const name = drawn.name(suffix);
      const content = await make(drawn.figure, name);
      if (content) download(name, content);
      return null;
    } catch {
      return problemText(t);
    }
  };
  return [
    { label: t(`${what}.png`), run: saved(png, "png") },
    { label: t(`${what}.svg`), run: saved(svg, "svg") },
    { label: t(`${what}.pdf`), run: saved(print, "pdf") },
  ];
}

/** @param {Figure} figure */
function svg({ root }) {
  return new Blob([textOf(root)], { type: "image/svg+xml" });
}

/** @type {(figure: Figure) => Promise<Blob>} */
async function png({ root, width, height }) {
  const image = new Image(width, height);
  // A `data:` address: a canvas that drew a `blob:` one could not be read in a sandboxed frame.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(textOf(root))}`;
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

/** @param {SVGElement} root */
function textOf(root) {
  return new XMLSerializer().serializeToString(root);
}

/** @type {() => void} */
let tidy = () => {};

/**
 * Opens the browser's print, with the drawing alone on a page of its size: so it makes a PDF, too.
 *
 * @param {Figure} figure
 * @param {string} name  of the file that the browser offers
 */
function print({ root, width, height }, name) {
  tidy();
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
