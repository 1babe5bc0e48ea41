/** The strongest words out of sight, at both ends of the row that is looked at. */

import { farWords } from "../../draw/beam/far.js";
import { inkOn, weightColor } from "../../draw/color.js";
import { tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { weightText } from "../../kit/numbers.js";
import { keyTokens } from "../../trace/kinds.js";

/** @import { Far } from "../../draw/beam/far.js" */
/** @import { Place } from "../../draw/beam/ribbons.js" */
/** @import { Beam } from "../../state/beam.js" */

/** Words of a long row, at least: shorter ones are scrolled to the one that is looked at. */
const MANY = 48;

/** How wide one stands, in CSS pixels: in a window narrower than this, the least. */
const SIZES = { narrow: 620, small: 50, large: 92, presented: 160 };

/**
 * @param {Pick<import("../../state/actions.js").Context, "store">} context
 * @param {(key: number) => void} goTo  brings a word of the row into sight
 */
export function farView({ store }, goTo) {
  const sides = { left: h("ol"), right: h("ol") };
  const element = h("div", { class: "far", "aria-hidden": "true" }, sides.left, sides.right);
  let shown = "";

  /** @type {(list: HTMLElement, words: Far[], tokens: string[]) => void} */
  function fill(list, words, tokens) {
    const { theme, coloring } = store.get();
    list.replaceChildren(
      ...words.map(({ key, weight }) => {
        const color = weightColor(weight, theme, coloring);
        const ink = inkOn(weight, theme, coloring);
        const style = `background: ${color}; color: ${ink}`;
        const label = h("span", {}, tokenNode(tokens[key] ?? ""));
        const share = h("small", {}, weightText(weight, { digits: 2 }));
        return h("li", { style, title: tokens[key], click: () => goTo(key) }, label, share);
      }),
    );
  }

  return {
    element,
    /**
     * Where the words stand for the beam's light: those at the ends, there.
     *
     * @param {Beam | null} beam  null: none of them
     * @param {Place[]} words
     * @param {{view: number, whole: number}} room  how much of the row is seen, in CSS pixels
     * @returns {Place[]}
     */
    places(beam, words, { view, whole }) {
      const { trace, theme, coloring, presenter } = store.get();
      const wide = presenter ? SIZES.presented : SIZES.large;
      const size = view < SIZES.narrow ? SIZES.small : wide;
      const asks = beam !== null && beam.focus.query !== null;
      const isLong = asks && words.length > MANY && whole > view + 1;
      const far = isLong ? farWords(beam.rays, words, { view, size }) : { left: [], right: [] };
      const now = JSON.stringify([far, theme, coloring, beam?.kind, trace?.src.length]);
      if (now !== shown && trace && beam) {
        shown = now;
        element.style.setProperty("--far", `${size}px`);
        fill(sides.left, far.left, keyTokens(trace, beam.kind));
        fill(sides.right, far.right, keyTokens(trace, beam.kind));
      }
      if (!far.left.length && !far.right.length) return words;
      const moved = [...words];
      for (const { key, x } of [...far.left, ...far.right]) moved[key] = { x, width: size };
      return moved;
    },
  };
}
