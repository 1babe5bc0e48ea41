/** A QR code as a picture: dark on white in either theme, since many cameras read it no other way. */

import { s } from "../dom.js";
import { qrModules } from "./modules.js";

/** Modules of white around it, as the standard has it. */
const MARGIN = 4;

/**
 * @param {string} text
 * @param {string} label  what it is, for those who do not see it
 * @returns {SVGElement | null}  null if the text is too long
 */
export function qrPicture(text, label) {
  const modules = qrModules(text);
  if (!modules) return null;
  const side = modules.length + 2 * MARGIN;
  const path = modules.flatMap((row, y) => runsOf(row).map(([x, width]) => square(x, y, width)));
  return s(
    "svg",
    { class: "qr", viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": label },
    s("rect", { width: side, height: side, fill: "#fff" }),
    s("path", { d: path.join(""), fill: "#000", "shape-rendering": "crispEdges" }),
  );
}

/** @type {(x: number, y: number, width: number) => string} */
function square(x, y, width) {
  return `M${x + MARGIN} ${y + MARGIN}h${width}v1h-${width}z`;
}

/** Where dark modules begin, and how many there are. @param {boolean[]} row */
function runsOf(row) {
  const line = row.map(Number).join("");
  return [...line.matchAll(/1+/g)].map((run) => [run.index, run[0].length]);
}
