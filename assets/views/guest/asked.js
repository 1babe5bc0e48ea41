/** Beside the source, what a guest can be told of it: the language to write, what is to be done, a chat, a second text. */

import { h } from "../../kit/dom.js";
import { codeName } from "../../kit/languages.js";

/** @param {import("../../state/actions.js").Context} context */
export function askedView(context) {
  const { store, actions, t, watch } = context;

  /** @param {Partial<import("../../state/state.js").OfGuest>} change */
  async function tell(change) {
    const { askGuest } = await import("../../state/guests.js");
    await askGuest(context, change);
  }

  const language = h("select", {
    id: "guest-language",
    change: () => tell({ target_language: language.value }),
  });
  const task = h("select", { id: "guest-task", change: () => begin(task.value) });
  const second = h("input", {
    ...{ type: "text", id: "guest-second", autocomplete: "off", spellcheck: "false" },
    placeholder: t("guest.second.none"),
    change: () => tell({ second: second.value, hidden: [] }),
    // No form is around it.
    keydown: (/** @type {KeyboardEvent} */ { key }) => key === "Enter" && second.blur(),
  });
  const chat = h("input", {
    type: "checkbox",
    id: "guest-chat",
    change: () => tell({ chat: chat.checked || undefined }),
  });
  /** @type {(input: HTMLElement, label: string) => HTMLElement} */
  const field = (input, label) =>
    h(
      "div",
      { class: "cluster into", hidden: true },
      h("label", { for: input.id, class: "quiet" }, label),
      input,
    );
  const languages = field(language, t("into"));
  const tasks = field(task, t("guest.task"));
  const seconds = field(second, t("guest.second"));
  const chats = h(
    "label",
    { class: "cluster into", hidden: true, title: t("guest.chat.why") },
    chat,
    t("guest.chat"),
  );

  /** @param {string} prefix */
  function begin(prefix) {
    const { trace, source } = store.get();
    const old = trace?.guest?.prefixes.find((each) => source.startsWith(each)) ?? "";
    actions.editSource(prefix + source.slice(old.length));
  }

  watch(["trace", "model"], ({ trace, model, language: ours }) => {
    const card = trace?.model === model ? trace.guest : undefined;
    languages.hidden = !card?.languages.length;
    tasks.hidden = !card?.prefixes.length;
    chats.hidden = !card?.chats;
    seconds.hidden = card?.form !== "encoder";
    const named = (card?.languages ?? []).map((code) => ({ code, name: nameOf(code, ours) }));
    named.sort((one, other) => one.name.localeCompare(other.name, ours));
    language.replaceChildren(
      h("option", { value: "" }, t("into.none")),
      ...named.map(({ code, name }) => h("option", { value: code }, name)),
    );
    task.replaceChildren(
      h("option", { value: "" }, t("guest.task.none")),
      ...(card?.prefixes ?? []).map((prefix) => h("option", { value: prefix }, prefix)),
    );
  });
  watch(["guest", "trace"], ({ guest }) => {
    language.value = guest?.target_language ?? "";
    chat.checked = guest?.chat ?? false;
    second.value = guest?.second ?? "";
  });
  watch(["source", "trace"], ({ source, trace }) => {
    task.value = trace?.guest?.prefixes.find((each) => source.startsWith(each)) ?? "";
  });
  return h("div", { class: "cluster of-guest" }, languages, tasks, chats, seconds);
}

/**
 * A language's name by its token: "fra_Latn", "fr_XX", "__fr__" or ">>fr<<".
 *
 * @type {(code: string, language: string) => string}
 */
function nameOf(code, language) {
  const bare = code.replace(/^[^a-z]*|[^a-z]*$/gi, "").replace(/_XX$/, "");
  return codeName(`>>${bare}<<`, language);
}
