/** What the model reads where it is not what was typed: no emoji, plain quotes, no capitals throughout. */

import { h } from "../kit/dom.js";

/** @param {import("../state/actions.js").Context} context */
export function readAsView({ t, watch }) {
  const text = h("bdi");
  const view = h("p", { class: "read-as quiet", role: "status", "aria-label": t("read_as.name") });
  watch(["trace"], ({ trace }) => {
    const read = trace?.read_as ?? "";
    if (text.textContent === read) return;
    text.textContent = read;
    view.replaceChildren(
      ...(read ? [h("span", { "data-term": "read_as" }, t("read_as")), " ", text] : []),
    );
  });
  return view;
}
