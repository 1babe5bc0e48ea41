/** The models to choose from, and the way to more of them. */

import { h } from "../kit/dom.js";
import { inLanguage } from "../kit/i18n.js";
import { haveChanged } from "../state/store.js";

/** No model can be called so. */
const MORE = "…";

/** @param {import("../state/actions.js").Context} context */
export function modelPicker(context) {
  const { store, actions, t, watch } = context;
  const place = h("div", { style: "display: contents" });
  /** @type {Promise<ReturnType<typeof import("./more_models.js").moreModelsDialog>> | null} */
  let coming = null;
  const picker = h("select", { id: "model", change: choose });

  function choose() {
    const { value } = picker;
    picker.value = store.get().model;
    if (value === MORE) bring().then(({ open }) => open());
    else actions.chooseModel(value);
  }

  /** The dialog, which only whoever may download has. */
  function bring() {
    coming ??= import("./more_models.js").then(
      ({ moreModelsDialog }) => {
        const more = moreModelsDialog(context);
        place.append(more.dialog);
        return more;
      },
      (error) => {
        coming = null;
        throw error;
      },
    );
    return coming;
  }

  watch(["downloads"], ({ downloads }) => {
    if (downloads) bring().catch(() => {}); // it is asked for again once it is opened
  });

  const listChanged = haveChanged();
  watch(["models", "downloads"], ({ models, model, downloads, language }) => {
    if (!listChanged(models, downloads !== null)) return;
    picker.replaceChildren(
      ...models.map(({ name, title }) =>
        h("option", { value: name }, inLanguage(title, language) ?? name),
      ),
      ...(downloads ? [h("hr"), h("option", { value: MORE }, t("more.open"))] : []),
    );
    picker.value = model;
  });
  watch(["model"], ({ model }) => (picker.value = model));
  return { picker, dialog: place };
}
