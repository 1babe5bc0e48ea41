/** A button that opens a list of things to do. The browser closes it: Escape, or a press elsewhere. */

import { h } from "./dom.js";
import { placeBeside } from "./place.js";

/**
 * What is done may take a while and may fail; the list then stays open and says why.
 *
 * @typedef {object} Item
 * @property {string} label
 * @property {(anchor: HTMLElement) => Promise<string | null> | void} run  a text: it failed; `anchor`
 *   opened the list
 * @property {boolean} [again]  the list stays open, for the next press
 * @property {boolean} [disabled]
 */

/** @typedef {{title?: string, items: Item[]}} Group */

/** The list's own, in CSS pixels. */
const WIDTH = 252;

let menus = 0;

/**
 * @param {string} name
 * @param {() => Group[]} groups  asked whenever it is opened
 * @param {Node | string} face  what the button shows
 */
export function menuView(name, groups, face) {
  const id = `menu-${menus++}`;
  const problem = h("p", { role: "alert" });
  const content = h("div");
  const list = h(
    "div",
    { id, popover: "auto", class: "menu", style: `width: ${WIDTH}px`, beforetoggle: place },
    content,
    problem,
  );
  const bare = face instanceof Element;
  const button = h(
    "button",
    {
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
    fill();
    placeBeside(list, button, { end: true });
  }

  /** @param {string} [label]  of the item that keeps the focus */
  function fill(label) {
    content.replaceChildren(...groups().map(groupView));
    const items = [...content.querySelectorAll("button")];
    items.find(({ textContent }) => label && textContent === label)?.focus();
  }

  /** @param {Group} group */
  function groupView({ title, items }) {
    const list = h("ul", { "aria-label": title }, ...items.map(itemView));
    return h("div", {}, title ? h("h3", {}, title) : null, list);
  }

  /** @param {Item} item */
  function itemView({ label, run, again, disabled }) {
    const item = h("button", { click: choose, disabled }, label);
    async function choose() {
      problem.textContent = "";
      item.ariaBusy = "true";
      const failure = await run(button);
      item.ariaBusy = "false";
      if (failure) problem.textContent = failure;
      else if (again) fill(label);
      else list.hidePopover();
    }
    return h("li", {}, item);
  }

  return h("div", {}, button, list);
}
