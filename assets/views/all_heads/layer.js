/** One layer's heads at reading size: each its matrix, its name and what it does. */

import { inksOf, resize } from "../../draw/paint.js";
import { paintPart } from "../../draw/paint_part.js";
import { wholeOf } from "../../draw/pooled.js";
import { h } from "../../kit/dom.js";
import { headName } from "../../trace/choice.js";
import { shownMatrix } from "../../trace/sinks.js";
import { previewOf } from "../../trace/thumbnails.js";
import { headCount, isHere } from "../../trace/weights.js";

/** @import { Head } from "./arranged.js" */

/** Width and height of a picture, in CSS pixels. */
const SIDE = 220;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {number} layer
 * @param {(head: Head) => string} textOf
 * @param {(head: Head) => void} choose
 */
export function layerHeads({ store, actions }, layer, textOf, choose) {
  const { kind, trace } = store.get();
  const weights = trace?.weights[kind];
  const count = weights ? headCount(weights, layer) : 0;
  const pictures = Array.from({ length: count }, (_, head) => {
    const choice = { layer, head };
    const canvas = h("canvas", { "aria-hidden": "true" });
    const name = h("span", { class: "quiet" });
    const button = h(
      "button",
      { class: "cut layer-head", click: () => choose(choice) },
      canvas,
      h("strong", {}, headName(choice)),
      " ",
      name,
    );
    return { choice, canvas, name, button, painted: "" };
  });
  actions.bringHeads(
    kind,
    pictures.map(({ choice }) => choice),
  );
  const element = h("div", { class: "layer-heads" }, ...pictures.map(({ button }) => button));

  return {
    element,
    name() {
      for (const { choice, name, button } of pictures) {
        name.textContent = textOf(choice);
        button.title = name.textContent;
      }
    },
    /** @param {import("../../trace/choice.js").Choice | undefined} chosen */
    mark(chosen) {
      for (const { choice, button } of pictures) {
        const own = chosen?.layer === layer && chosen.head === choice.head;
        button.ariaPressed = String(own);
      }
    },
    paint() {
      const { theme, coloring } = store.get();
      if (!weights) return;
      const inks = inksOf(theme, element);
      for (const picture of pictures) {
        const { choice, canvas } = picture;
        const here = isHere(weights, choice);
        const now = `${theme} ${JSON.stringify(coloring)} ${here}`;
        if (picture.painted === now) continue;
        picture.painted = now;
        const matrix = here ? shownMatrix(weights, kind, choice) : previewOf(weights, kind, choice);
        const cell = { cellWidth: SIDE / matrix.keys, cellHeight: SIDE / matrix.queries };
        const head = { ...matrix, kind, theme, coloring, ...cell };
        canvas.classList.toggle("awaited", !here);
        paintPart(work, head, wholeOf(matrix.queries, matrix.keys), inks);
        resize(canvas, work.width, work.height);
        const brush = canvas.getContext("2d");
        brush?.clearRect(0, 0, canvas.width, canvas.height);
        brush?.drawImage(work, 0, 0);
      }
    },
  };
}

/**
 * The ways to the layers beside it, and back to all.
 *
 * @param {import("../../state/actions.js").Context} context
 * @param {number | null} layer  null: all are shown
 * @param {number} count  of layers
 */
export function layerTools({ actions, t }, layer, count) {
  if (layer === null) return [];
  /** @type {(to: number | null, face: string, label: string) => HTMLButtonElement} */
  const button = (to, face, label) => {
    const disabled = to !== null && (to < 0 || to >= count);
    const click = () => actions.adjust("overview", { layer: to });
    return h("button", { class: "chip", "aria-label": label, title: label, disabled, click }, face);
  };
  return [
    button(null, `‹ ${t("overview.back")}`, t("overview.back")),
    button(layer - 1, "←", t("overview.before")),
    button(layer + 1, "→", t("overview.after")),
  ];
}

/** Painted on first: what draws cells draws on such a one. */
const work = new OffscreenCanvas(1, 1);
