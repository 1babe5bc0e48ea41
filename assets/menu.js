/** A button that opens a list of things to do. The browser closes it: Escape, or a press elsewhere. */

import { h } from "./dom.js";

/** @typedef {import("./actions.js").Problem} Problem */

/**
 * What is done may take a while and may fail; the list then stays open and says why.
 *
 * @typedef {{label: string, run: () => Promise<Problem | undefined>}} Item
 */

/** In CSS pixels: the list's own, and what it keeps free around it. */
const [WIDTH, GAP] = [252, 6];

let menus = 0;

/**
 * @param {string} name
 * @param {import("./i18n.js").Translate} t
 * @param {Item[]} items
 * @param {Node | string} face  what the button shows
 */
export function menuView(name, t, items, face) {
  const id = `menu-${menus++}`;
  const problem = h("p", { role: "alert" });
  const list = h(
    "div",
    { id, popover: "auto", class: "menu", style: `width: ${WIDTH}px`, beforetoggle: place },
    h("ul", {}, ...items.map(itemView)),
    problem,
  );
  const bare = face instanceof Element;
  const button = h(
    "button",
    {
      type: "button",
      class: bare ? "bare small" : "chip",
      title: bare ? name : null,
      "aria-label": name,
      popovertarget: id,
    },
    face,
  );

  /** @param {ToggleEvent} event */
  function place(event) {
    problem.textContent = "";
    if (event.newState !== "open") return;
    const { right, bottom } = button.getBoundingClientRect();
    const most = document.documentElement.clientWidth - WIDTH - GAP;
    list.style.left = `${Math.max(GAP, Math.min(right - WIDTH, most)) + scrollX}px`;
    list.style.top = `${bottom + GAP + scrollY}px`;
  }

  /** @param {Item} item */
  function itemView({ label, run }) {
    const item = h("button", { type: "button", click: choose }, label);
    async function choose() {
      problem.textContent = "";
      item.ariaBusy = "true";
      const failed = await run().catch(() => NO_ANSWER);
      item.ariaBusy = "false";
      if (failed) problem.textContent = t(`error.${failed.code}`, failed.details);
      else list.hidePopover();
    }
    return h("li", {}, item);
  }

  return h("div", {}, button, list);
}

/** @type {Problem} */
const NO_ANSWER = { code: "no_answer", details: {} };
