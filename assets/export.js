/** What can be taken away: a head as a picture or as numbers, a whole trace as a file. */

import { headCsv } from "./csv.js";
import { icon } from "./dom.js";
import { download, fileName } from "./download.js";
import { matrixFigure } from "./figure.js";
import { menuView } from "./menu.js";

/** Pixels of a PNG for each of the drawing's own. */
const SCALE = 2;

const TYPES = { html: "text/html", npz: "application/zip" };

/** @typedef {keyof typeof TYPES} Format  what the server writes */

/**
 * @param {import("./page.js").Context} context
 * @param {import("./trace.js").Kind} kind
 */
export function exportMenu({ store, t }, kind) {
  /** @type {(make: (shown: Shown) => Promise<Blob> | Blob, suffix: string) => () => Promise<undefined>} */
  const item = (make, suffix) => async () => {
    const { trace, heads, look } = store.get();
    const choice = heads[kind];
    if (!trace || !choice) return undefined;
    const content = await make({ trace, kind, choice, look, t });
    download(fileName(trace, suffix, kind, headPart(choice)), content);
    return undefined;
  };
  return menuView(
    t("save.panel", { kind: t(`${kind}.title`) }),
    t,
    [
      { label: t("save.png"), run: item(png, "png") },
      { label: t("save.svg"), run: item(svg, "svg") },
      { label: t("save.csv"), run: item(csv, "csv") },
    ],
    icon("save"),
  );
}

/** @param {import("./page.js").Context} context */
export function traceMenu({ store, ask, t }) {
  const json = async () => {
    const { trace } = store.get();
    if (!trace) return undefined;
    const content = JSON.stringify(payloadOf(trace));
    download(fileName(trace, "json"), new Blob([content], { type: "application/json" }));
    return undefined;
  };
  /** @param {Format} format */
  const written = (format) => async () => {
    const { trace } = store.get();
    if (!ask || !trace) return undefined;
    const answer = await ask({ ask: "file", format, trace: payloadOf(trace) });
    if (!answer?.file) return answer?.error ?? { code: "no_answer", details: {} };
    const bytes = Uint8Array.from(atob(answer.file), (character) => character.charCodeAt(0));
    download(fileName(trace, format), new Blob([bytes], { type: TYPES[format] }));
    return undefined;
  };
  const items = [
    { label: t("save.html"), run: written("html") },
    { label: t("save.json"), run: json },
    { label: t("save.npz"), run: written("npz") },
  ];
  const name = t("save.trace");
  return menuView(name, t, ask ? items : items.slice(1, 2), name);
}

/**
 * A trace as it came.
 *
 * @param {import("./trace.js").Trace} trace
 * @returns {import("./trace.js").Payload}
 */
export function payloadOf({ weights: _, ...payload }) {
  return payload;
}

/**
 * @typedef {object} Shown
 * @property {import("./trace.js").Trace} trace
 * @property {import("./trace.js").Kind} kind
 * @property {import("./head.js").Choice} choice
 * @property {import("./color.js").Look} look
 * @property {import("./i18n.js").Translate} t
 */

/** @param {Shown} shown */
function svg({ trace, kind, choice, look, t }) {
  return new Blob([matrixFigure(trace, kind, choice, look, t).svg], { type: "image/svg+xml" });
}

/**
 * The same drawing, in pixels.
 *
 * @param {Shown} shown
 * @returns {Promise<Blob>}
 */
async function png({ trace, kind, choice, look, t }) {
  const { svg, width, height } = matrixFigure(trace, kind, choice, look, t);
  const image = new Image(width, height);
  // A `data:` address: a canvas that drew a `blob:` one could not be read in a sandboxed frame.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SCALE * width;
  canvas.height = SCALE * height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture was made"))));
  });
}

/** @param {Shown} shown */
function csv({ trace, kind, choice, t }) {
  return new Blob([headCsv(trace, kind, choice, t)], { type: "text/csv;charset=utf-8" });
}

/**
 * "L3H1", "L3Hmean".
 *
 * @param {import("./head.js").Choice} choice
 */
function headPart({ layer, head }) {
  const [l, h] = [layer, head].map((part) => (typeof part === "number" ? part + 1 : part));
  return `L${l}H${h}`;
}
