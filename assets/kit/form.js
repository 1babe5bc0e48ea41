/** Forms that send nothing: what is typed is for the page itself. */

import { h } from "./dom.js";

/**
 * It acts when its button is pressed, which the browser also does for Enter in a box. To wait for its
 * being submitted would not do: a frame of another site may be one that submits no forms.
 *
 * @param {Record<string, unknown>} attributes
 * @param {() => void} act
 * @param {(Node | string | null)[]} children  a button among them has the type "submit"
 */
export function formView(attributes, act, ...children) {
  /** @param {Event} event */
  const press = (event) => {
    const { target } = event;
    if (!(target instanceof Element) || !target.closest("[type=submit]")) return;
    event.preventDefault();
    act();
  };
  return h("form", { ...attributes, click: press }, ...children);
}
