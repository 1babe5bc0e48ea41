/** Switching a head off, or a layer's or a kind's where these are joined; beside it, other changes. */

import { targetTitle } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { icon } from "../../kit/icons.js";
import { menuView } from "../../kit/menu.js";
import { effectOn, targetOf } from "../../trace/changes.js";
import { EFFECTS } from "../../trace/interventions.js";

/** @typedef {import("../../trace/choice.js").Choice} Choice */
/** @typedef {import("../../trace/interventions.js").Target} Target */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @param {() => Choice | undefined} choice  undefined: none is shown
 */
export function changeControl({ store, actions, t }, kind, choice) {
  const targetNow = () => {
    const chosen = choice();
    return chosen ? targetOf(kind, chosen) : null;
  };
  /** @type {(act: (target: Target) => void) => void} */
  const on = (act) => {
    const target = targetNow();
    if (target) act(target);
  };
  const off = h(
    "button",
    { class: "bare small power", click: () => on((each) => actions.toggleEffect(each)) },
    icon("off"),
  );
  /** @type {(label: string, act: (target: Target) => void) => import("../../kit/menu.js").Item} */
  const item = (label, act) => ({ label, run: () => on(act) });
  const menu = menuView(
    t("change.more"),
    () => [
      {
        items: [
          ...EFFECTS.map((effect) =>
            item(t(`change.do.${effect}`), (each) => actions.toggleEffect(each, effect)),
          ),
          item(t("change.layer"), ({ layer }) => actions.toggleEffect({ kind, layer, head: null })),
          item(t("change.kind"), () => actions.toggleEffect({ kind, layer: null, head: null })),
          item(t("change.put_back"), actions.putBack),
        ],
      },
      // When the menu is closed: closing gives the focus back.
      {
        items: [
          { label: t("parts.title"), run: () => void setTimeout(actions.takeApart, 0, true) },
        ],
      },
    ],
    icon("more"),
  );
  return {
    elements: [off, menu],
    follow() {
      const target = targetNow();
      const effect = effectOn(store.get().trace?.interventions ?? [], target);
      off.disabled = menu.hidden = target === null || store.get().question === null;
      off.ariaPressed = String(effect !== null);
      off.replaceChildren(icon(effect ? "is_off" : "off"));
      const what = target ? targetTitle(t, target) : "";
      off.ariaLabel = t(effect ? "change.undo" : "change.switch_off", { what });
      off.title = `${off.ariaLabel} (X)`;
    },
  };
}
