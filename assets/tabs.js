/** Views that share one place. Each is made when it is first opened, and works only while seen. */

import { h } from "./dom.js";
import { whenSeen } from "./seen.js";

/** @typedef {{name: string, view: (context: import("./page.js").Context) => HTMLElement}} Tab */

/**
 * The pattern of the WAI-ARIA Authoring Practices, "Tabs with Automatic Activation".
 *
 * @param {import("./page.js").Context} context
 * @param {Tab[]} tabs
 */
export function tabsView(context, tabs) {
  const { actions, t, watch } = context;
  const buttons = tabs.map(({ name }) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": `tabpanel-${name}`,
        click: () => actions.openTab(name),
      },
      t(`tab.${name}`),
    ),
  );
  const panels = tabs.map(({ name }) =>
    h("div", {
      role: "tabpanel",
      id: `tabpanel-${name}`,
      "aria-labelledby": `tab-${name}`,
    }),
  );

  watch(["tab"], ({ tab }) => {
    for (const [i, { name, view }] of tabs.entries()) {
      const open = name === tab;
      buttons[i].ariaSelected = String(open);
      buttons[i].tabIndex = open ? 0 : -1;
      panels[i].hidden = !open;
      if (open && !panels[i].hasChildNodes()) panels[i].append(view(whenSeen(context, panels[i])));
    }
  });

  // A cell that was picked far above brings what it opened into view.
  let last = context.store.get().picked;
  watch(["picked"], ({ picked, tab }) => {
    if (picked === last) return;
    last = picked;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const open = panels[tabs.findIndex(({ name }) => name === tab)];
    open?.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "nearest" });
  });

  /** @param {KeyboardEvent} event */
  function walk(event) {
    const here = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const { length } = tabs;
    /** @type {Record<string, number>} */
    const places = {
      ArrowLeft: (here + length - 1) % length,
      ArrowRight: (here + 1) % length,
      Home: 0,
      End: length - 1,
    };
    const there = places[event.key];
    if (here < 0 || there === undefined) return;
    event.preventDefault();
    actions.openTab(tabs[there].name);
    buttons[there].focus();
  }

  return h(
    "section",
    { class: "details", "aria-label": t("tabs") },
    h("div", { role: "tablist", "aria-label": t("tabs"), keydown: walk }, ...buttons),
    ...panels,
  );
}
