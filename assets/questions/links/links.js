/** An alignment as links between two columns of words. */

import { paintLines } from "../../draw/strokes.js";
import { h } from "../../kit/dom.js";
import { weightText } from "../../kit/numbers.js";
import { weightsOf } from "../../trace/weights.js";
import { rowOf } from "../../trace/words.js";

/** @import { Links } from "../readings/pictures.js" */

/** A word's height, in CSS pixels. */
const ROW = 30;

/**
 * @param {import("../../state/actions.js").Context} context
 * @returns {{element: HTMLElement, show: (links: Links | null, seen?: (word: number) => boolean) => void}}
 */
export function linksView({ store, t, watch }) {
  const canvas = h("canvas", { role: "img" });
  const keys = h("ol", { class: "side keys", "aria-label": t("tokens.source") });
  const queries = h("ol", { class: "side queries", "aria-label": t("words.target") });
  const picture = h(
    "div",
    { class: "bipartite numbered" },
    keys,
    h("div", { class: "between" }, canvas),
    queries,
  );
  /** @type {Links | null} */
  let shown = null;
  /** @type {(word: number) => boolean} */
  let among = () => true;

  function paint() {
    if (!shown || canvas.clientWidth === 0) return;
    const { src, tgt, links, numbers } = shown;
    const weights = { layers: 1, heads: 1, queries: tgt.length, keys: src.length };
    paintLines(
      canvas,
      {
        weights: weightsOf(numbers.values, weights),
        ...{ kind: "cross", layer: 0, heads: [0], threshold: 0, row: ROW },
        theme: store.get().theme,
      },
      (query, key) => links[query] === key && among(query),
    );
  }
  /**
   * How much of the attention the link stands on, and what the lexicon says of it.
   *
   * @type {(links: Links, word: number) => HTMLElement}
   */
  function linkNote({ links, numbers, known }, word) {
    const weight = weightText(rowOf(numbers, word)[links[word]], { digits: 2 });
    const [mark, said] =
      known[word] === null
        ? ["", t("why.link_unknown")]
        : known[word]
          ? [" ✓", t("why.link_known")]
          : [" ≠", t("why.link_other")];
    return h("span", { class: "quiet", title: said }, `${weight}${mark}`);
  }

  watch(["theme"], paint);
  new ResizeObserver(paint).observe(picture);

  return {
    element: picture,
    show(links, seen = () => true) {
      picture.hidden = links === null;
      shown = links;
      among = seen;
      if (!links) return;
      picture.style.setProperty("--row", `${ROW}px`);
      picture.style.setProperty("--rows", String(Math.max(links.src.length, links.tgt.length)));
      keys.replaceChildren(...links.src.map((word) => h("li", {}, h("bdi", {}, word))));
      queries.replaceChildren(
        ...links.tgt.map((word, i) =>
          h(
            "li",
            { class: seen(i) ? null : "later" },
            h("bdi", {}, word),
            ...(seen(i) ? [" ", linkNote(links, i)] : []),
          ),
        ),
      );
      canvas.ariaLabel = t("words.links", {
        links: links.tgt
          .flatMap((word, i) => (seen(i) ? [`${word} – ${links.src[links.links[i]]}`] : []))
          .join(", "),
      });
      paint();
    },
  };
}
