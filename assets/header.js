/** The name, the model, the language and the light. */

import { h, icon } from "./dom.js";
import { fileAddress } from "./files.js";
import { presenterButton } from "./presenter.js";

const LANGUAGE_NAMES = /** @type {const} */ ([
  ["zh", "中文"],
  ["en", "EN"],
]);

/** @param {import("./page.js").Context} context */
export function headerView(context) {
  const { store, actions, ask, t, watch } = context;
  const { models, model, language } = store.get();

  const picker = h(
    "select",
    { id: "model", change: () => actions.chooseModel(picker.value) },
    ...models.map(({ name, title }) => h("option", { value: name }, title[language] ?? name)),
  );
  watch(["model"], ({ model }) => (picker.value = model));

  const languages = LANGUAGE_NAMES.map(([code, name]) =>
    h(
      "button",
      {
        type: "button",
        lang: code,
        "aria-pressed": String(code === language),
        "aria-label": code === "en" ? "English" : null,
        click: () => actions.speak(code),
      },
      name,
    ),
  );

  const light = h("button", {
    type: "button",
    class: "bare",
    click: () => actions.light(store.get().theme === "dark" ? "light" : "dark"),
  });
  watch(["theme"], ({ theme }) => {
    const name = t(`theme.to_${theme === "dark" ? "light" : "dark"}`);
    light.replaceChildren(icon(theme === "dark" ? "sun" : "moon"));
    light.ariaLabel = name;
    light.title = name;
  });

  return h(
    "header",
    {},
    h("h1", {}, beam(), t("name")),
    h("p", { class: "tagline" }, t("tagline")),
    h(
      "div",
      { class: "settings" },
      ask ? h("label", { for: "model", class: "quiet" }, t("model")) : null,
      ask ? picker : h("span", { class: "quiet" }, `${t("model")} ${model}`),
      h("div", { class: "switch", role: "group", "aria-label": t("language") }, ...languages),
      presenterButton(context),
      light,
    ),
  );
}

/** The name's mark is the page's icon. */
function beam() {
  return h("img", { src: fileAddress("favicon.svg"), alt: "", width: 28, height: 28 });
}
