/** After an error, what is shown is still the last answer: it is dimmed, and named by its sentence. */

import { h } from "../kit/dom.js";

/** @param {import("../state/actions.js").Context} context */
export function staleNote({ t, watch }) {
  const note = h("p", { class: "stale-note", role: "note" });
  watch(["error", "trace"], ({ error, trace }) => {
    note.hidden = !error || !trace;
    note.textContent = t("stale", { source: trace?.source ?? "" });
  });
  return note;
}
