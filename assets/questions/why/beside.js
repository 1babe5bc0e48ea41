/** Beside each row of words: how much came from the source, whether the words matter in truth, and the lexicon. */

import { h } from "../../kit/dom.js";
import { briefText, percentText } from "../../kit/numbers.js";
import { term } from "../../kit/terms.js";
import { inARow } from "../../kit/typeset.js";

/** @import { Agreement } from "../../trace/words.js" */
/** @typedef {import("../../kit/i18n.js").Translate} Translate */

/**
 * What stands beside each row, as far as there is any of it.
 *
 * @typedef {object} Beside
 * @property {number[] | null} [fromSource]  shares; null: there is no source
 * @property {(Agreement | null | undefined)[] | null} [agreements]  with leaving a word out, null where it
 *   says nothing; undefined of the row, null of all, if that is what is shown
 * @property {(boolean | null)[]} [links]  whether the lexicon has the row's link, too; null: it knows none
 */

/**
 * @param {Translate} t
 * @param {Beside} rows
 * @returns {{heading: Node, cells: Node[]} | undefined}  undefined if there is nothing to say
 */
export function besideRows(t, { fromSource, agreements, links }) {
  const count = (fromSource ?? agreements ?? links)?.length;
  if (!count) return undefined;
  /** @type {(...cells: (Node | null | undefined)[]) => HTMLElement} */
  const row = (...cells) =>
    h("div", { class: "abreast beside-row" }, ...cells.map((each) => each ?? null));
  return {
    heading: row(
      links && h("span", { class: "lexicon" }, t("words.lexicon")),
      fromSource && h("span", { class: "share-title" }, term("from_source", t("words.source"))),
      agreements && h("span", { class: "agreement" }, term("agreement", t("words.agreement"))),
    ),
    cells: Array.from({ length: count }, (_, i) =>
      row(
        links && linkMark(t, links[i]),
        fromSource && shareBar(t, fromSource[i]),
        agreements?.[i] === undefined ? null : agreementText(t, agreements[i]),
      ),
    ),
  };
}

/** @type {(t: Translate, isLinked: boolean | null) => HTMLElement} */
function linkMark(t, isLinked) {
  const which = isLinked === null ? "unknown" : isLinked ? "known" : "other";
  const title = t(`why.link_${which}`);
  return h(
    "span",
    { class: "lexicon quiet", role: "img", title, "aria-label": title },
    { unknown: "–", known: "✓", other: "≠" }[which],
  );
}

/** @type {(t: Translate, share: number) => HTMLElement} */
function shareBar(t, share) {
  const percent = Math.round(100 * share);
  const name = t("words.source_share", { source: percent, written: 100 - percent });
  return h(
    "span",
    {
      class: `abreast share ${share < 0.5 ? "little" : ""}`,
      role: "img",
      "aria-label": name,
      title: name,
    },
    h("span", { class: "track-bar" }, h("span", { style: `width: ${percent}%` })),
    h("span", { class: "percent", "aria-hidden": "true" }, percentText(share)),
  );
}

/** @type {(t: Translate, agreed: Agreement | null) => HTMLElement} */
function agreementText(t, agreed) {
  if (agreed === null) {
    return h("span", { class: "agreement quiet", title: t("words.nothing_mattered") }, "–");
  }
  const { first, shared, of, rest, alike } = agreed;
  const title = inARow([
    t(first ? "words.same_first" : "words.other_first"),
    t("words.shared", { shared, count: of, rest: briefText(rest) }),
  ]);
  return h(
    "span",
    { class: `agreement ${alike ? "" : "apart"}`, title },
    t("words.shared_brief", { shared, of }),
    h("span", { class: "mark", "aria-hidden": "true" }, alike ? " =" : " ≠"),
  );
}
