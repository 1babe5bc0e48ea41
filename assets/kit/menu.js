/** A button that opens a list of things to do. The browser closes it: Escape, or a press elsewhere. */

import { h } from "./dom.js";
import { placeBeside } from "./place.js";

/**
 * What is done may take a while and may fail; the list then stays open and says why.
 *
 * @typedef {{label: string, run: () => Promise<string | null>}} Item  null: it is done
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
    content.replaceChildren(...groups().map(groupView));
    placeBeside(list, button, WIDTH);
  }

  /** @param {Group} group */
  function groupView({ title, items }) {
    const list = h("ul", { "aria-label": title }, ...items.map(itemView));
    return h("div", {}, title ? h("h3", {}, title) : null, list);
  }

  /** @param {Item} item */
  function itemView({ label, run }) {
    const item = h("button", { click: choose }, label);
    async function choose() {
      problem.textContent = "";
      item.ariaBusy = "true";
      const failure = await run();
      item.ariaBusy = "false";
      if (failure === null) list.hidePopover();
      else problem.textContent = failure;
    }
    return h("li", {}, item);
  }

  return h("div", {}, button, list);
}
