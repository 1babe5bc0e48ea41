/** The two things that every page lets its reader choose: the language, and light or dark. */

import { h } from "../kit/dom.js";
import { LANGUAGES } from "../kit/i18n.js";
import { icon } from "../kit/icons.js";

/** @typedef {import("../state/actions.js").Context} Context */

/** @param {Context} context */
export function languageSwitch({ store, actions, t }) {
  const { language } = store.get();
  const languages = LANGUAGES.map(({ code, label, name }) =>
    h(
      "button",
      {
        lang: code,
        "aria-pressed": String(code === language),
        "aria-label": name === label ? null : name,
        click: () => actions.chooseLanguage(code),
      },
      label,
    ),
  );
  return h("div", { class: "switch", role: "group", "aria-label": t("language") }, ...languages);
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
