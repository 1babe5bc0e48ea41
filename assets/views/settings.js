/** The two things that every page lets its reader choose: the language, and light or dark. */

import { h } from "../kit/dom.js";
import { LANGUAGES } from "../kit/i18n.js";
import { icon } from "../kit/icons.js";

/** @import { Context } from "../state/actions.js" */

/** @param {Context} context */
export function languageMenu({ store, actions, t }) {
  const menu = h(
    "select",
    { id: "language", "aria-label": t("language"), title: t("language"), change: choose },
    ...LANGUAGES.map(({ code, tag, name }) => h("option", { value: code, lang: tag }, name)),
  );
  menu.value = store.get().language;

  async function choose() {
    const { code } = LANGUAGES[menu.selectedIndex];
    await actions.chooseLanguage(code);
    menu.value = store.get().language;
  }

  return h("div", { class: "language" }, icon("language"), menu);
}

/** @param {Context} context */
export function themeButton({ store, actions, t, watch }) {
  const theme = h("button", {
    class: "bare",
    click: () => actions.chooseTheme(store.get().theme === "dark" ? "light" : "dark"),
  });
  watch(["theme"], ({ theme: now }) => {
    const name = t(`theme.to_${now === "dark" ? "light" : "dark"}`);
    theme.replaceChildren(icon(now === "dark" ? "sun" : "moon"));
    theme.ariaLabel = name;
    theme.title = name;
  });
  return theme;
}
