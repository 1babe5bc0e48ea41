/** Beside each row of words: how much came from the source, and whether the words matter in truth. */

import { h } from "../../kit/dom.js";
import { briefText } from "../../kit/numbers.js";
import { term } from "../../kit/terms.js";
import { inARow } from "../../kit/typeset.js";

/** @import { Agreement } from "../../trace/words.js" */

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {object} rows
 * @param {number[] | null} rows.fromSource  shares; null: there is no source
 * @param {(Agreement | null)[] | null} rows.agreements  with leaving a word out, null where it says
 *   nothing; null if that is what is shown
 * @returns {{heading: Node, cells: Node[]} | undefined}  undefined if there is nothing to say
 */
export function besideRows(t, { fromSource, agreements }) {
  const count = (fromSource ?? agreements)?.length;
  if (!count) return undefined;
  const heading = h(
    "div",
    { class: "beside-row" },
    fromSource && h("span", { class: "share-title" }, term("from_source", t("words.source"))),
    agreements && h("span", { class: "agreement" }, term("agreement", t("words.agreement"))),
  );
  const cells = Array.from({ length: count }, (_, row) =>
    h(
      "div",
      { class: "beside-row" },
      fromSource && shareBar(t, fromSource[row]),
      agreements && agreementText(t, agreements[row]),
    ),
  );
  return { heading, cells };
}

/** @type {(t: import("../../kit/i18n.js").Translate, share: number) => HTMLElement} */
function shareBar(t, share) {
  const percent = Math.round(100 * share);
  const name = t("words.source_share", { source: percent, written: 100 - percent });
  return h(
    "span",
    { class: `share ${share < 0.5 ? "little" : ""}`, role: "img", "aria-label": name, title: name },
    h("span", { class: "track-bar" }, h("span", { style: `width: ${percent}%` })),
    h("span", { class: "percent", "aria-hidden": "true" }, `${percent} %`),
  );
}

/**
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {Agreement | null} agreed  null where it says nothing
 */
export function agreementText(t, agreed) {
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
