/** Which kind of attention is the large one, and how it is drawn; the other kinds stand below it. */

import { h } from "../kit/dom.js";
import { term } from "../kit/terms.js";
import { PICTURES } from "../state/state.js";
import { SHOWN } from "../trace/kinds.js";

/** @param {import("../state/actions.js").Context} context */
export function kindsView({ actions, served, t, watch }) {
  const buttons = SHOWN.map((kind, i) =>
    h(
      "button",
      {
        "aria-label": t(`${kind}.title`),
        title: `${t(`${kind}.caption`)} (${i + 1})`,
        click: () => actions.chooseKind(kind),
      },
      t(`${kind}.short`),
    ),
  );
  const caption = h("p", { class: "quiet" });
  watch(["trace", "kind"], ({ trace, kind }) => {
    for (const [i, button] of buttons.entries()) {
      button.ariaPressed = String(SHOWN[i] === kind);
      button.hidden = !trace?.weights[SHOWN[i]];
    }
    const words = [t(`${kind}.caption`), served ? t("worked_out.hint") : ""].join(" ");
    caption.replaceChildren(
      h("strong", {}, term(kind.replace("_self", ""), t(`${kind}.title`))),
      ` ${words}`,
    );
  });
  // The third is a link beside the lines.
  const pictures = PICTURES.slice(0, 2).map((picture) =>
    h("button", { click: () => actions.drawAs(picture) }, t(`picture.${picture}`)),
  );
  watch(["picture"], ({ picture }) => {
    for (const [i, button] of pictures.entries()) {
      button.ariaPressed = String(i === Math.min(1, PICTURES.indexOf(picture)));
    }
  });
  return h(
    "div",
    { class: "kinds" },
    h("div", { class: "switch", role: "group", "aria-label": t("presenter.panels") }, ...buttons),
    caption,
    h("div", { class: "switch", role: "group", "aria-label": t("picture") }, ...pictures),
  );
}
