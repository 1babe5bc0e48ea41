/** All heads at one moment of training, each with the step from which on it is sharp. */

import { PLAIN } from "../../../draw/coloring.js";
import { paintHeads } from "../../../draw/paint.js";
import { figureTitle } from "../../../draw/titles.js";
import { h } from "../../../kit/dom.js";
import { countText } from "../../../kit/numbers.js";
import { term } from "../../../kit/terms.js";
import { headName } from "../../../trace/choice.js";
import { KINDS } from "../../../trace/kinds.js";

/** @typedef {import("../../../trace/history.js").History} History */
/** @typedef {import("../../../trace/kinds.js").Kind} Kind */
/** @typedef {{choice: {layer: number, head: number}, button: HTMLElement, picture: HTMLElement, from: number | null}} Part */

/** @param {import("../../../state/actions.js").Context} context */
export function learntHeads({ store, actions, t }) {
  const all = h("div", { class: "learnt" });
  const note = h("p", { class: "quiet" }, term("sharp", t("training.since")));
  const element = h("div", {}, note, all);
  /** @type {{kind: Kind, canvas: HTMLCanvasElement, parts: Part[], tiles: import("../../../draw/paint.js").Tile[]}[]} */
  let grids = [];
  /** @type {(() => void) | null} */
  let again = null;

  /** @type {(kind: Kind, history: History) => void} */
  function grid(kind, history) {
    const weights = history.at(0)[kind];
    const since = history.sharp_from[kind];
    if (!weights || !since) return;
    const canvas = h("canvas", { "aria-hidden": "true" });
    const parts = since.flatMap((layer, i) =>
      layer.map((from, head) => {
        const choice = { layer: i, head };
        const picture = h("span", { class: "thumbnail" });
        const told =
          from === null
            ? t("training.never_sharp")
            : t("training.sharp_from", { step: countText(from) });
        const name = `${figureTitle(t, kind, choice)}${t("colon")}${told}`;
        const button = h(
          "button",
          { "aria-label": name, title: name, click: () => enlarge(kind, choice) },
          picture,
          h(
            "span",
            { class: "since" },
            h("b", {}, headName(choice)),
            ` ${from === null ? "–" : countText(from)}`,
          ),
        );
        return { choice, button, picture, from };
      }),
    );
    const list = h(
      "div",
      { class: "learnt-heads", role: "group", "aria-label": t(`${kind}.title`) },
      canvas,
      ...parts.map(({ button }) => button),
    );
    list.style.setProperty("--heads", String(weights.heads));
    list.style.setProperty("--shape", `${weights.keys} / ${weights.queries}`);
    const shown = {
      kind,
      canvas,
      parts,
      tiles: /** @type {import("../../../draw/paint.js").Tile[]} */ ([]),
    };
    grids.push(shown);
    all.append(h("section", {}, h("h3", {}, t(`${kind}.title`)), list));
    // Where the thumbnails are changes with the window alone.
    new ResizeObserver(() => {
      shown.tiles = parts.map(({ choice, picture }) => ({
        ...choice,
        left: picture.offsetLeft,
        top: picture.offsetTop,
        width: picture.offsetWidth,
        height: picture.offsetHeight,
      }));
      again?.();
    }).observe(list);
  }

  /** @type {(kind: Kind, choice: {layer: number, head: number}) => void} */
  function enlarge(kind, choice) {
    const { head } = store.get().training;
    const same = head?.kind === kind && head.layer === choice.layer && head.head === choice.head;
    actions.changeTraining({ head: same ? null : { kind, ...choice } });
  }

  return {
    element,
    /** @param {History} history */
    show(history) {
      grids = [];
      all.replaceChildren();
      for (const kind of KINDS) grid(kind, history);
    },
    /** @type {(history: History, moment: number) => void} */
    paint(history, moment) {
      again = () => this.paint(history, moment);
      const { theme, training } = store.get();
      const weights = history.at(moment);
      const step = history.steps[moment];
      for (const { kind, canvas, tiles } of grids) {
        const of = weights[kind];
        if (of && tiles.length) paintHeads(canvas, of, { kind, theme, coloring: PLAIN }, tiles);
      }
      // After all of them: a size that is read after a change makes the browser lay the page out.
      for (const { kind, parts } of grids) {
        for (const { choice, button, from } of parts) {
          button.classList.toggle("sharp", from !== null && step >= from);
          const { head } = training;
          const large =
            head?.kind === kind && head.layer === choice.layer && head.head === choice.head;
          const pressed = String(large);
          if (button.ariaPressed !== pressed) button.ariaPressed = pressed;
        }
      }
    },
  };
}
