/**
 * The name, the model, the language and the theme.
 *
 * This room holds what stands on the page, one view a module, in panels, tabs and export where there
 * are several of a sort. A view makes its elements once, follows the store, and calls actions; it
 * computes nothing that another room could.
 */

import { namedButton } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { fileAddress } from "../kit/files.js";
import { onlyReads } from "../trace/kinds.js";
import { keysView } from "./keys.js";
import { linkView } from "./link.js";
import { modelPicker } from "./model_picker.js";
import { presenterButton } from "./presenter.js";
import { languageMenu, themeButton } from "./settings.js";

/** @param {import("../state/actions.js").Context} context */
export function headerView(context) {
  const { store, actions, served, t, watch } = context;
  const { model } = store.get();

  const { picker, dialog } = modelPicker(context);
  const keys = keysView(context);

  const inPanel = ({ lesson } = store.get()) => lesson !== null && lesson.part !== "start";
  let touring = inPanel();
  const tour = namedButton("tour", t("tour"), () =>
    actions.goToLesson(inPanel() ? null : { part: "tour", at: 0 }),
  );
  tour.id = "tour";
  watch(["lesson", "trace"], (state) => {
    tour.ariaPressed = String(inPanel(state));
    tour.disabled = state.trace === null;
    if (state.lesson === null && touring) tour.focus();
    touring = inPanel(state);
  });

  const tagline = h("p", { class: "tagline" });
  watch(["trace"], ({ trace }) => {
    tagline.textContent = t(onlyReads(trace) ? "tagline.reads" : "tagline");
  });

  return h(
    "header",
    {},
    h("h1", {}, beam(), t("name")),
    tagline,
    h(
      "div",
      { class: "abreast settings" },
      served ? h("label", { for: "model", class: "quiet" }, t("model")) : null,
      served ? picker : model ? h("span", { class: "quiet" }, `${t("model")} ${model}`) : null,
      languageMenu(context),
      served ? tour : null,
      presenterButton(context),
      served ? linkView(context) : null,
      keys.button,
      themeButton(context),
    ),
    keys.dialog,
    served ? dialog : null,
  );
}

/** The name's mark is the page's icon. */
function beam() {
  return h("img", { src: fileAddress("favicon.svg"), alt: "", width: 28, height: 28 });
}
