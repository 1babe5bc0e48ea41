/** The page for a projector: one panel, large, with the step and its tokens; keys do the rest. */

import { h, icon } from "./dom.js";
import { KINDS } from "./trace.js";

/** @typedef {import("./actions.js").State} State */
/** @typedef {import("./actions.js").Actions} Actions */

/**
 * What stands above the panel that is presented.
 *
 * @param {import("./page.js").Context} context
 */
export function presenterView({ actions, t, watch }) {
  const tabs = KINDS.map((kind, i) =>
    h(
      "button",
      { type: "button", click: () => actions.chooseKind(kind) },
      h("kbd", {}, String(i + 1)),
      t(`${kind}.title`),
    ),
  );
  const leave = h(
    "button",
    { type: "button", class: "bare", click: () => actions.present(false) },
    icon("close"),
  );
  leave.ariaLabel = t("presenter.leave");
  leave.title = leave.ariaLabel;
  const bar = h(
    "nav",
    { class: "presenter", "aria-label": t("presenter") },
    h("div", { class: "switch", role: "group", "aria-label": t("presenter.panels") }, ...tabs),
    h("p", { class: "quiet" }, t("presenter.keys")),
    leave,
  );
  watch(["trace", "kind"], ({ trace, kind }) => {
    for (const [i, tab] of tabs.entries()) {
      tab.ariaPressed = String(KINDS[i] === kind);
      tab.hidden = !trace?.weights[KINDS[i]];
    }
  });
  watch(["presenter", "trace"], ({ presenter, trace }) => {
    const shown = presenter && trace !== null;
    if (!shown && document.fullscreenElement) document.exitFullscreen();
    bar.hidden = !shown;
    document.body.classList.toggle("presenting", shown);
    if (shown) window.scrollTo(0, 0);
  });
  return bar;
}

/** @param {import("./page.js").Context} context */
export function presenterButton({ store, actions, t, watch }) {
  const button = h(
    "button",
    {
      type: "button",
      class: "named",
      title: `${t("presenter")} (P)`,
      click: () => actions.present(true),
    },
    icon("present"),
    h("span", {}, t("presenter")),
  );
  watch(["trace"], ({ trace }) => (button.disabled = trace === null));
  let presenting = store.get().presenter;
  watch(["presenter"], ({ presenter }) => {
    if (presenting && !presenter) button.focus();
    presenting = presenter;
  });
  return button;
}

/**
 * @param {import("./store.js").Store<State>} store
 * @param {Actions} actions
 * @param {string} key
 * @returns {(() => void) | undefined}  what the key does, as long as nothing else uses it
 */
export function presenterKey(store, actions, key) {
  const { trace, presenter, kind, heads } = store.get();
  const weights = trace?.weights[kind];
  if (!weights) return;
  if (key === "p") return () => actions.present(!presenter);
  if (!presenter) return;
  if (key === "Escape") return () => actions.present(false);
  if (key === "f") return toggleFullScreen;
  const chosen = KINDS[Number(key) - 1];
  if (chosen && trace.weights[chosen]) return () => actions.chooseKind(chosen);
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
