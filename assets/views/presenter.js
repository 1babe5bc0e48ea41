/** The page for a projector: one panel, large, with the step and its tokens; keys do the rest. */

import { iconButton, namedButton, switchView } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { suits } from "../parts/needs.js";
import { DEFAULT_TAB } from "../state/state.js";
import { everyHead, sameHead } from "../trace/choice.js";
import { SHOWN } from "../trace/kinds.js";
import { taughtMark } from "./taught_mark.js";

/** @import { Actions } from "../state/actions.js" */
/** @import { Question } from "../parts/question.js" */

/** @type {(name: string) => name is import("../trace/kinds.js").Kind} */
function isKind(name) {
  return SHOWN.some((kind) => kind === name);
}

/**
 * Tabs after the kinds of attention, which stand for the first.
 *
 * @param {{tabs: string[]}} state
 */
function otherTabs({ tabs }) {
  return tabs.filter((tab) => tab !== DEFAULT_TAB);
}

/** @type {(actions: Actions, kind: import("../trace/kinds.js").Kind) => void} */
function presentKind(actions, kind) {
  actions.openTab(DEFAULT_TAB);
  actions.chooseKind(kind);
}

/**
 * What stands above the panel that is presented.
 *
 * @param {import("../state/actions.js").Context} context
 * @param {Question[]} questions
 * @param {HTMLElement} classButton
 */
export function presenterView(context, questions, classButton) {
  const { store, actions, t, watch } = context;
  const others = otherTabs(store.get());
  const panels = switchView(
    t("presenter.shown"),
    [...SHOWN, ...others],
    (name, i) => [
      h("kbd", {}, String((i + 1) % 10)),
      isKind(name) ? t(`${name}.short`) : t(`tab.${name}`),
    ],
    (name) => (isKind(name) ? presentKind(actions, name) : actions.openTab(name)),
  );
  const leave = iconButton("close", t("presenter.leave"), () => actions.present(false));
  const bar = h(
    "nav",
    { class: "cluster presenter", "aria-label": t("presenter") },
    panels.element,
    h("p", { class: "quiet" }, t("presenter.keys")),
    classButton,
    leave,
    taughtMark(context),
  );
  watch(["trace", "kind", "tab"], (state) => {
    const { trace, kind, tab } = state;
    panels.press(tab === DEFAULT_TAB ? kind : tab);
    for (const [i, name] of others.entries()) {
      panels.buttons[SHOWN.length + i].hidden = name !== tab && !suits(name, questions, state);
    }
    for (const [i, each] of SHOWN.entries()) panels.buttons[i].hidden = !trace?.weights[each];
  });
  watch(["presenter", "tab", "trace"], ({ presenter, tab, trace }) => {
    const shown = presenter && trace !== null;
    if (!shown && document.fullscreenElement) document.exitFullscreen();
    bar.hidden = !shown;
    document.body.classList.toggle("presenting", shown);
    document.body.classList.toggle("presenting-tab", shown && tab !== DEFAULT_TAB);
    if (shown) window.scrollTo(0, 0);
  });
  return bar;
}

/** @param {import("../state/actions.js").Context} context */
export function presenterButton({ store, actions, t, watch }) {
  const button = namedButton("present", t("presenter"), () => actions.present(true));
  button.classList.add("present");
  button.title += " (P)";
  watch(["trace", "report"], ({ trace, report }) => {
    button.disabled = trace === null || report !== null;
  });
  let presenting = store.get().presenter;
  watch(["presenter"], ({ presenter }) => {
    if (presenting && !presenter) button.focus();
    presenting = presenter;
  });
  return button;
}

/**
 * @param {import("../state/store.js").Store<import("../state/state.js").State>} store
 * @param {Actions} actions
 * @param {Question[]} questions
 * @param {string} key
 * @returns {(() => void) | undefined}  what the key does, as long as nothing else uses it
 */
export function presenterKey(store, actions, questions, key) {
  const { trace, presenter, kind, heads, picked } = store.get();
  const weights = trace?.weights[kind];
  if (!weights) return;
  if (key === "p") return () => actions.present(!presenter);
  const number = /^\d$/.test(key) ? Number(key) || 10 : 0;
  const tab = otherTabs(store.get())[number - SHOWN.length - 1];
  if (presenter && tab) {
    return suits(tab, questions, store.get()) ? () => actions.openTab(tab) : undefined;
  }
  const chosen = SHOWN[number - 1];
  if (chosen && trace.weights[chosen]) {
    return () => (presenter ? presentKind(actions, chosen) : actions.chooseKind(chosen));
  }
  if (key === "Escape" && picked) return actions.unpick;
  if (!presenter) return;
  if (key === "Escape") return () => actions.present(false);
  if (key === "f") return toggleFullScreen;
  // Clickers, which people hold in front of a class, send these.
  if (key === "PageDown") return actions.next;
  if (key === "PageUp") return actions.previous;
  const move = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  if (!move) return;
  // The heads in reading order, round and round; from an aggregate on, the first.
  const all = everyHead(weights);
  const now = all.findIndex((head) => sameHead(head, heads[kind]));
  const next = now < 0 ? 0 : (now + move + all.length) % all.length;
  return () => actions.chooseHead(kind, all[next]);
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
}
