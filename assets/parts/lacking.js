/** What whoever answers here cannot do: its title stays, and says who can before anybody asks. */

import { h } from "../kit/dom.js";

/** @import { Lacking } from "../state/state.js" */

/**
 * @param {import("../state/actions.js").Context} context
 * @param {Lacking} name
 * @param {string} title
 * @param {() => HTMLElement} make  the view, where somebody can
 */
export function unlessLacking({ store, t }, name, title, make) {
  if (!store.get().lacking.includes(name)) return make();
  return h(
    "section",
    { class: "lacking" },
    h("h3", {}, title),
    h("p", { class: "quiet", role: "note" }, t("error.needs_machine")),
  );
}
