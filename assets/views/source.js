/** Where a sentence goes in. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { foldButton } from "../kit/fold.js";
import { formView } from "../kit/form.js";
import { inLanguage } from "../kit/i18n.js";
import { inARow } from "../kit/typeset.js";
import { problemText } from "../state/problem.js";
import { codeOf, withCode } from "../trace/language_code.js";
import { aboutView } from "./about.js";
import { changesView } from "./changes.js";
import { languageMenu } from "./language_menu.js";
import { samplingView } from "./sampling.js";

/** @param {import("../state/actions.js").Context} context */
export function sourceView(context) {
  const { store, actions, t, watch } = context;
  const box = h("input", {
    id: "source",
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "problem",
    input: () => actions.editSource(box.value),
  });
  const label = h("label", { for: "source", class: "spoken" });
  const button = h("button", { type: "submit", class: "primary" });
  const examples = h("div", { class: "chips", role: "group", "aria-label": t("examples") });
  const more = foldButton(examples, { more: t("examples.more"), less: t("less") });
  const problem = h("p", { id: "problem", role: "alert" });
  const waiting = h("p", { role: "status", class: "quiet" });
  const outdated = h("p", { role: "note", class: "quiet" }, t("outdated"));

  watch(["source"], ({ source }) => {
    if (box.value !== source) box.value = source;
  });
  // A decoder-only model continues a prompt; the others translate a source.
  watch(["model"], ({ model }) => {
    const kind = actions.modelOf(model)?.decoder_only ? "prompt" : "source";
    label.textContent = t(`${kind}.label`);
    box.placeholder = t(`${kind}.placeholder`);
  });
  watch(["model", "busy"], ({ model, busy, language }) => {
    const known = actions.modelOf(model);
    const action = inLanguage(known?.action, language);
    const does = action
      ? `${action}${busy ? "…" : ""}`
      : known?.decoder_only
        ? t(busy ? "continuing" : "continue")
        : t(busy ? "translating" : "translate");
    button.textContent = does;
    button.ariaBusy = String(busy);
  });
  watch(["error", "ignored"], ({ error, ignored }) => {
    problem.textContent = inARow([
      error ? problemText(t, error) : "",
      ignored.length ? t("ignored", { parts: ignored.join(", ") }) : "",
    ]);
    box.ariaInvalid = String(error !== null);
  });
  watch(["waiting"], (state) => {
    waiting.textContent = state.waiting ? t("waiting", state.waiting) : "";
  });
  watch(["outdated"], (state) => (outdated.hidden = !state.outdated));
  watch(["model"], ({ model }) => {
    const chips = actions
      .examplesOf(model)
      .map((sentence) =>
        chip(() => actions.translate(intoChosen(sentence)), h("bdi", {}, withCode(sentence, ""))),
      );
    examples.replaceChildren(...chips);
    examples.hidden = chips.length === 0;
  });

  /**
   * An example, into the language that the menu beside it shows.
   *
   * @param {string} sentence
   */
  function intoChosen(sentence) {
    const { source, model } = store.get();
    const chosen = codeOf(source);
    const codes = actions.modelOf(model)?.language_codes ?? [];
    return codes.includes(chosen) ? withCode(sentence, chosen) : sentence;
  }

  return h(
    "section",
    { class: "source" },
    formView(
      {},
      () => actions.translate(box.value),
      label,
      h("div", { class: "ask" }, box, button),
      problem,
      waiting,
      outdated,
    ),
    // One takes the other's place: what is under the pointer stays there.
    h(
      "div",
      { class: "beneath" },
      h(
        "div",
        { class: "choices" },
        languageMenu(context),
        examples,
        more,
        samplingView(context),
        aboutView(context),
      ),
      changesView(context),
    ),
  );
}
