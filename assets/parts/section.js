/** A question with its title above it, and what it is about. */

import { h } from "../kit/dom.js";

/**
 * A region of the page: a heading, a paragraph of what it is about, and the views.
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {string} title  the key of its text; that of what it is about ends in `_about`
 * @param {HTMLElement[]} views
 */
export function sectionView(t, title, ...views) {
  const id = title.replace(".", "-");
  return h(
    "section",
    { "aria-labelledby": id },
    h("h3", { id }, t(title)),
    h("p", { class: "prose" }, t(`${title}_about`)),
    ...views,
  );
}
