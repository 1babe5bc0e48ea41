/** The language to translate into, of a model that asks for one: a code before the sentence. */

import { h } from "../kit/dom.js";
import { codeName } from "../kit/languages.js";
import { codeOf, withCode } from "../trace/language_code.js";

/** @param {import("../state/actions.js").Context} context */
export function languageMenu({ store, actions, t, watch }) {
  const menu = h("select", {
    id: "target-language",
    "aria-describedby": "no-language",
    change: () => actions.editSource(withCode(store.get().source, menu.value)),
  });
  const missing = h("span", { class: "quiet", id: "no-language" }, t("into.missing"));
  const field = h(
    "div",
    { class: "cluster into" },
    h("label", { for: menu.id, class: "quiet" }, t("into")),
    menu,
    missing,
  );
  watch(["model", "models"], ({ model, language }) => {
    const codes = actions.modelOf(model)?.language_codes ?? [];
    const named = codes.map((code) => ({ code, name: codeName(code, language) }));
    named.sort((one, other) => one.name.localeCompare(other.name, language));
    menu.replaceChildren(
      h("option", { value: "" }, t("into.none")),
      ...named.map(({ code, name }) => h("option", { value: code }, name)),
    );
    field.hidden = codes.length === 0;
  });
  watch(["source", "model", "models"], ({ source, model }) => {
    const codes = actions.modelOf(model)?.language_codes ?? [];
    const code = codeOf(source);
    menu.value = codes.includes(code) ? code : "";
    missing.hidden = code !== "" || source.trim() === "";
  });
  return field;
}
