/** The page for a projector: one panel, large, with the step and its tokens; keys do the rest. */

import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { DEFAULT_TAB, TABS } from "../state/state.js";
import { SHOWN } from "../trace/kinds.js";
import { taughtMark } from "./taught_mark.js";

/** After the kinds of attention, which stand for the first. */
const OTHER_TABS = TABS.filter((tab) => tab !== DEFAULT_TAB);

/** @typedef {import("../state/state.js").State} State */
/** @typedef {import("../state/actions.js").Actions} Actions */

/** @type {(actions: Actions, kind: import("../trace/kinds.js").Kind) => void} */
function presentKind(actions, kind) {
  actions.openTab(DEFAULT_TAB);
  actions.chooseKind(kind);
}

/**
 * What stands above the panel that is presented.
 *
 * @param {import("../state/actions.js").Context} context
 */
export function presenterView(context) {
  const { actions, served, t, watch } = context;
  /** @type {(key: number, label: string, click: () => void) => HTMLButtonElement} */
  const choice = (key, label, click) =>
    h("button", { click }, h("kbd", {}, String(key % 10)), label);
  const kinds = SHOWN.map((kind, i) =>
    choice(i + 1, t(`${kind}.short`), () => presentKind(actions, kind)),
  );
  const tabs = OTHER_TABS.map((tab, i) =>
    choice(SHOWN.length + i + 1, t(`tab.${tab}`), () => actions.openTab(tab)),
  );
  const leave = h("button", { class: "bare", click: () => actions.present(false) }, icon("close"));
  leave.ariaLabel = t("presenter.leave");
  leave.title = leave.ariaLabel;
  const bar = h(
    "nav",
    { class: "presenter", "aria-label": t("presenter") },
    h(
      "div",
      { class: "switch", role: "group", "aria-label": t("presenter.panels") },
      ...kinds,
      ...(served ? tabs : []),
    ),
    h("p", { class: "quiet" }, t("presenter.keys")),
    leave,
    taughtMark(context),
  );
  watch(["trace", "kind", "tab"], ({ trace, kind, tab }) => {
    for (const [i, button] of kinds.entries()) {
      button.ariaPressed = String(SHOWN[i] === kind && tab === DEFAULT_TAB);
      button.hidden = !trace?.weights[SHOWN[i]];
    }
    for (const [i, button] of tabs.entries()) {
      button.ariaPressed = String(OTHER_TABS[i] === tab);
    }
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
  const button = h(
    "button",
    {
      class: "named present",
      title: `${t("presenter")} (P)`,
      click: () => actions.present(true),
    },
    icon("present"),
    h("span", {}, t("presenter")),
  );
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
 * @param {import("../state/store.js").Store<State>} store
 * @param {Actions} actions
 * @param {string} key
 * @param {boolean} served
 * @returns {(() => void) | undefined}  what the key does, as long as nothing else uses it
 */
export function presenterKey(store, actions, key, served) {
  const { trace, presenter, kind, heads, picked } = store.get();
  const weights = trace?.weights[kind];
  if (!weights) return;
  if (key === "p") return () => actions.present(!presenter);
  const number = /^\d$/.test(key) ? Number(key) || 10 : 0;
  const tab = OTHER_TABS[number - SHOWN.length - 1];
  if (presenter && served && tab) return () => actions.openTab(tab);
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
  const { layer, head } = heads[kind] ?? { layer: 0, head: 0 };
  const now =
    typeof layer === "number" && typeof head === "number" ? layer * weights.heads + head : -move;
  const count = weights.layers * weights.heads;
  const next = (now + move + count) % count;
  return () =>
    actions.chooseHead(kind, {
      layer: Math.floor(next / weights.heads),
      head: next % weights.heads,
    });
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.();
}
