/** What many views have: a switch between a few choices, a field, what scrolls, small buttons. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

/**
 * A few choices, of which one is pressed.
 *
 * @template {string} Name
 * @param {string} label
 * @param {readonly Name[]} names
 * @param {(name: Name, i: number) => (Node | string)[] | string} face  what stands on its button
 * @param {(name: Name) => void} choose
 */
export function switchView(label, names, face, choose) {
  const buttons = names.map((name, i) =>
    h("button", { click: () => choose(name) }, ...[face(name, i)].flat()),
  );
  return {
    element: h("div", { class: "switch", role: "group", "aria-label": label }, ...buttons),
    buttons,
    /** @param {Name | null} chosen */
    press(chosen) {
      for (const [i, button] of buttons.entries()) button.ariaPressed = String(names[i] === chosen);
    },
  };
}

/** A small button. @type {(click: () => unknown, ...face: (Node | string)[]) => HTMLButtonElement} */
export function chip(click, ...face) {
  return h("button", { class: "chip", click }, ...face);
}

/**
 * @param {Node | string} label
 * @param {HTMLElement} control  with an id
 * @param {(Node | string)[]} beside
 */
export function field(label, control, ...beside) {
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, ...beside);
}

/**
 * What scrolls, and so can be reached by the keyboard.
 *
 * @param {string} kind  a class
 * @param {string} label
 * @param {Node[]} children
 */
export function region(kind, label, ...children) {
  return h("div", { class: kind, role: "region", tabindex: 0, "aria-label": label }, ...children);
}

/**
 * @param {Parameters<typeof icon>[0]} name
 * @param {string} label
 * @param {() => void} click
 * @param {{kind?: string, key?: string}} [how]  a class; the key that does the same
 */
export function iconButton(name, label, click, { kind = "bare", key } = {}) {
  const button = h("button", { class: kind, click }, icon(name));
  nameButton(button, label, key);
  return button;
}

/**
 * Gives a button without text its name, and tells the key that does the same.
 *
 * @param {HTMLElement} button
 * @param {string} label
 * @param {string} [key]
 */
export function nameButton(button, label, key) {
  button.ariaLabel = label;
  button.title = key ? `${label} (${key})` : label;
}

/**
 * A button with an icon and its name beside it.
 *
 * @param {Parameters<typeof icon>[0]} face
 * @param {string} name
 * @param {() => unknown} click
 */
export function namedButton(face, name, click) {
  return h("button", { class: "named", title: name, click }, icon(face), h("span", {}, name));
}
