/** Views that share one place. Each is made when it is first opened. */

import { h } from "./dom.js";
import { scrollRow } from "./place.js";

/** @typedef {{name: string, label: string, view: (panel: HTMLElement) => HTMLElement}} Tab */

/**
 * The pattern of the WAI-ARIA Authoring Practices, "Tabs with Automatic Activation".
 *
 * @param {string} label
 * @param {Tab[]} tabs
 * @param {(name: string) => void} choose  what a person asks for; `open` then does it
 * @returns {{list: HTMLElement, panels: HTMLElement[], open: (name: string) => void}}
 */
export function makeTabs(label, tabs, choose) {
  const buttons = tabs.map((tab) =>
    h(
      "button",
      {
        role: "tab",
        id: `tab-${tab.name}`,
        "aria-controls": `tabpanel-${tab.name}`,
        click: () => choose(tab.name),
      },
      tab.label,
    ),
  );
  const panels = tabs.map(({ name }) =>
    h("div", {
      role: "tabpanel",
      id: `tabpanel-${name}`,
      "aria-labelledby": `tab-${name}`,
    }),
  );

  /** @param {string} name */
  function open(name) {
    for (const [i, tab] of tabs.entries()) {
      const isOpen = tab.name === name;
      buttons[i].ariaSelected = String(isOpen);
      buttons[i].tabIndex = isOpen ? 0 : -1;
      panels[i].hidden = !isOpen;
      if (isOpen && !panels[i].hasChildNodes()) panels[i].append(tab.view(panels[i]));
    }
    reveal();
  }

  /** Brings the open tab's button into the row, where the row is longer than the page is wide. */
  function reveal() {
    const button = buttons.find(({ ariaSelected }) => ariaSelected === "true");
    if (button) scrollRow(list, button);
  }

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
    choose(tabs[there].name);
    buttons[there].focus();
  }

  const list = h("div", { role: "tablist", "aria-label": label, keydown: walk }, ...buttons);
  new ResizeObserver(reveal).observe(list);
  return { list, panels, open };
}
