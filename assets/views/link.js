/** The address of what is shown, to hand on. */

import { iconButton } from "../kit/controls.js";
import { h } from "../kit/dom.js";

/** The button that copies it, and what says that it did. @param {import("../state/actions.js").Context} context */
export function linkView({ link, t, watch }) {
  const status = h("span", { class: "link-status", role: "status" });

  async function copy() {
    const address = link();
    status.textContent = "";
    if (await isCopied(address)) status.textContent = t("link.copied");
    else prompt(t("link.copy"), address);
  }
  // What was copied is another picture's by then.
  watch(["trace", "step", "tab"], () => (status.textContent = ""));
  return h("span", { class: "link" }, iconButton("link", t("link.copy"), copy), status);
}

/**
 * A page that comes by plain http from another machine, as in a class, has no clipboard to write to.
 *
 * @param {string} text
 */
async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h("textarea", { class: "spoken", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
