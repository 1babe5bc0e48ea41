/** All heads at one moment of a film, each with a caption. */

import { PLAIN } from "../../draw/coloring.js";
import { paintHeads } from "../../draw/heads.js";
import { figureTitle } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { everyHead, headName, sameHead } from "../../trace/choice.js";
import { KINDS } from "../../trace/kinds.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @typedef {{layer: number, head: number}} Place */
/** @typedef {{choice: Place, button: HTMLElement, picture: HTMLElement, since: Text}} Part */
/** @typedef {{at: import("../../trace/history.js").Moments}} Film */

/**
 * @typedef {object} Caption
 * @property {string} text
 * @property {string} description  the same, for who only hears it
 * @property {boolean} strong  whether the head stands out at this moment
 */

/** Grids are made anew where this differs: kinds, and their sizes. @type {(weights: ReturnType<Film["at"]>) => string} */
export function shapeOf(weights) {
  const shown = KINDS.map((kind) => weights[kind]);
  return JSON.stringify(shown, ["layers", "heads", "queries", "keys"]);
}

/**
 * @template {Film} Shown
 * @param {import("./settings.js").Context} context
 * @param {(film: Shown, moment: number, kind: Kind, head: Place) => Caption} captionOf
 */
export function filmHeads({ store, actions, t }, captionOf) {
  const element = h("div", { class: "learnt" });
  /** @type {{kind: Kind, canvas: HTMLCanvasElement, parts: Part[], tiles: import("../../draw/heads.js").Tile[]}[]} */
  let grids = [];
  let shape = "";
  /** @type {(() => void) | null} */
  let again = null;

  /** @type {(kind: Kind, weights: import("../../trace/weights.js").Weights) => void} */
  function grid(kind, weights) {
    const canvas = h("canvas", { "aria-hidden": "true" });
    const parts = everyHead(weights).map((choice) => {
      const picture = h("span", { class: "thumbnail" });
      const since = document.createTextNode("");
      const button = h(
        "button",
        { click: () => enlarge(kind, choice) },
        picture,
        h("span", { class: "cut since" }, h("b", {}, headName(choice)), since),
      );
      return { choice, button, picture, since };
    });
    const list = h(
      "div",
      { class: "learnt-heads", role: "group", "aria-label": t(`${kind}.title`) },
      canvas,
      ...parts.map(({ button }) => button),
    );
    list.style.setProperty("--heads", String(weights.heads));
    list.style.setProperty("--shape", `${weights.keys} / ${weights.queries}`);
    /** @type {typeof grids[number]} */
    const shown = { kind, canvas, parts, tiles: [] };
    grids.push(shown);
    element.append(h("section", {}, h("h3", {}, t(`${kind}.title`)), list));
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

  /** @type {(kind: Kind, choice: Place) => void} */
  function enlarge(kind, choice) {
    actions.adjust("training", { head: isLarge(kind, choice) ? null : { kind, ...choice } });
  }

  /** @type {(kind: Kind, choice: Place) => boolean} */
  function isLarge(kind, choice) {
    const { head } = store.get().training;
    return head?.kind === kind && sameHead(head, choice);
  }

  return {
    element,
    /** @type {(film: Shown, moment: number) => void} */
    paint(film, moment) {
      again = () => this.paint(film, moment);
      const { theme } = store.get();
      const weights = film.at(moment);
      const sizes = shapeOf(weights);
      if (sizes !== shape) {
        shape = sizes;
        grids = [];
        element.replaceChildren();
        for (const kind of KINDS) {
          const of = weights[kind];
          if (of) grid(kind, of);
        }
      }
      for (const { kind, canvas, tiles } of grids) {
        const of = weights[kind];
        if (of && tiles.length) paintHeads(canvas, of, { kind, theme, coloring: PLAIN }, tiles);
      }
      // After all of them: a size that is read after a change makes the browser lay the page out.
      for (const { kind, parts } of grids) {
        for (const { choice, button, since } of parts) {
          const { text, description, strong } = captionOf(film, moment, kind, choice);
          const name = `${figureTitle(t, kind, choice)}${t("colon")}${description}`;
          if (since.nodeValue !== ` ${text}`) since.nodeValue = ` ${text}`;
          if (button.ariaLabel !== name) button.ariaLabel = button.title = name;
          button.classList.toggle("sharp", strong);
          const pressed = String(isLarge(kind, choice));
          if (button.ariaPressed !== pressed) button.ariaPressed = pressed;
        }
      }
    },
  };
}
