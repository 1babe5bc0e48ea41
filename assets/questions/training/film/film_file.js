/** The heads' film as a file: an animated GIF, made here, which needs no server. */

import { PLAIN } from "../../../draw/coloring.js";
import { drawHeads } from "../../../draw/heads.js";
import { inksOf } from "../../../draw/paint.js";
import { FONT } from "../../../draw/svg.js";
import { download } from "../../../kit/download.js";
import { encodeGif } from "../../../kit/gif.js";
import { countText } from "../../../kit/numbers.js";
import { everyHead } from "../../../trace/choice.js";
import { KINDS } from "../../../trace/kinds.js";
import { measuredText } from "../telling.js";

/** @import { History } from "../../../trace/history.js" */

/** Sizes in pixels. */
const [TILE, GAP, MARGIN, LINE] = [56, 4, 20, 22];

/** Each moment's, and the last one's, in hundredths of a second. */
const [DELAY, END] = [35, 250];

/**
 * @param {import("../../../kit/i18n.js").Translate} t
 * @param {History} history
 * @param {{model: string, pair: number, theme: import("../../../draw/color.js").Theme, element: Element}} shown
 */
export async function saveFilm(t, history, shown) {
  const { steps } = history;
  const frames = steps.map((_, moment) => frame(t, history, moment, shown));
  const delays = steps.map((_, moment) => (moment === steps.length - 1 ? END : DELAY));
  const rest = () => new Promise((resolve) => setTimeout(resolve));
  await rest();
  const file = await encodeGif(frames, delays, rest);
  const name = `headlight_${shown.model}_training_${shown.pair + 1}.gif`;
  download(name, new Blob([file], { type: "image/gif" }));
}

/** @type {(t: import("../../../kit/i18n.js").Translate, history: History, moment: number, shown: Parameters<typeof saveFilm>[2]) => ImageData} */
function frame(t, history, moment, { model, pair, theme, element }) {
  const weights = history.at(moment);
  const kinds = KINDS.filter((kind) => weights[kind]);
  const sizes = kinds.map((kind) => {
    const { layers = 0, heads = 0, queries = 1, keys = 1 } = weights[kind] ?? {};
    const height = Math.round((TILE * queries) / Math.max(queries, keys));
    const width = Math.round((TILE * keys) / Math.max(queries, keys));
    return { layers, heads, width, height };
  });
  // Wide models have their kinds below one another.
  const width = 2 * MARGIN + Math.max(520, ...sizes.map(({ heads }) => heads * (TILE + GAP)));
  const top = MARGIN + 3 * LINE + 8;
  const heights = sizes.map(({ layers, height }) => LINE + layers * (height + GAP) + 10);
  const height = heights.reduce((sum, own) => sum + own, top) + 8;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no picture can be made");
  const { paper, ink } = inksOf(theme, element);
  context.fillStyle = paper;
  context.fillRect(0, 0, width, height);
  context.fillStyle = ink;
  /** @type {(text: string, y: number, weight?: string, size?: number) => void} */
  const write = (text, y, weight = "400", size = 13) => {
    context.font = `${weight} ${size}px ${FONT}`;
    context.fillText(text, MARGIN, y, width - 2 * MARGIN);
  };
  const { source, target } = history.pairs[pair];
  const { steps } = history;
  const at = t("training.at", { step: countText(steps[moment]) });
  write(`${model} · ${at}`, MARGIN + 14, "600", 17);
  write(measuredText(t, history, moment), MARGIN + LINE + 14);
  write([source, target].filter(Boolean).join(" → "), MARGIN + 2 * LINE + 14);
  let y = top;
  for (const [i, kind] of kinds.entries()) {
    const of = weights[kind];
    const { layers, width: w, height: h } = sizes[i];
    write(t(`${kind}.title`), y + 14, "600");
    y += LINE;
    if (of) {
      const tiles = everyHead(of).map(({ layer, head }) => ({
        ...{ layer, head, width: w, height: h },
        left: MARGIN + head * (TILE + GAP),
        top: y + layer * (h + GAP),
      }));
      const how = { kind, theme, coloring: PLAIN };
      drawHeads(context, of, how, tiles, { rows: of.queries, ratio: 1 });
    }
    y += layers * (h + GAP) + 10;
  }
  return context.getImageData(0, 0, width, height);
}
