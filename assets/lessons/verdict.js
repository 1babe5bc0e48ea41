/** What a judge says, on the page. */

import { h } from "../kit/dom.js";

/** @param {string} label  of what stands there */
export function verdictView(label) {
  const element = h("p", { role: "status", class: "judged", "aria-label": label });
  return {
    element,
    /** @type {(text: string | null, isMet?: boolean) => void}  null: nothing is judged yet */
    say(text, isMet = false) {
      element.hidden = text === null;
      element.textContent = text;
      element.classList.toggle("met", isMet);
    },
  };
}
