/** Parts of the model that can be taken away, and what should break then; the menu of changes opens it. */

import { partName, partTitle } from "../draw/titles.js";
import { h } from "../kit/dom.js";
import { placeBeside } from "../kit/place.js";
import { shownChanges } from "../state/patients.js";
import { DEFAULT_TAB } from "../state/state.js";
import { PARTS } from "../trace/interventions.js";
import { SHOWN } from "../trace/kinds.js";
import { heatView } from "./heat.js";

/** @param {import("../state/actions.js").Context} context */
export function apartView({ store, actions, t, watch }) {
  const list = h("ul", { class: "parts" });
  const chosen = h("select", { "aria-label": t("parts.residual_of"), change: show });
  const examining = h("p", { class: "quiet" }, t("parts.examining"));
  /** @type {string[]} */
  let done = [];

  /** @type {(text: string, name: string, why: string, extra?: Node | null) => HTMLElement} */
  function part(text, name, why, extra = null) {
    const box = h("input", { type: "checkbox", change: () => actions.togglePart(text) });
    box.checked = done.includes(text);
    box.disabled = store.get().patient !== null;
    const label = h("label", { class: "abreast" }, box, h("strong", {}, name));
    // Whoever has not guessed yet is not told.
    const note = h("p", { class: "quiet", hidden: !box.checked }, why);
    return h("li", {}, h("div", { class: "field" }, label, extra), note);
  }

  const heat = heatView({ store, actions, t });

  function show() {
    heat.show(done);
    const { trace } = store.get();
    const guest = trace?.guest;
    // Of what is not ours the attention can be changed alone, and its mask where somebody hands it in.
    const masked = trace?.weights.decoder_self && guest?.lacks.value_norms !== "outside";
    const parts = guest ? PARTS.filter((text) => masked && text.startsWith("causal=")) : PARTS;
    const off = `${chosen.value}.residual=off`;
    const residual = part(off, t("part.residual_off"), t("part.residual.why"), chosen);
    list.replaceChildren(
      heat.element,
      ...parts.map((text) => part(text, partTitle(t, text), t(`part.${partName(text)}.why`))),
      ...(guest ? [] : [residual]),
    );
  }

  // After an answer that was a refusal, too: what is ticked is what is shown.
  watch(["trace", "busy", "solved"], (state) => {
    const { trace, busy } = state;
    if (busy) return;
    const places = SHOWN.flatMap((kind) =>
      Array.from({ length: trace?.weights[kind]?.layers ?? 0 }, (_, layer) => ({ kind, layer })),
    );
    done = shownChanges(state);
    examining.hidden = state.patient === null;
    const before = chosen.value;
    chosen.replaceChildren(
      ...places.map(({ kind, layer }) =>
        h("option", { value: `${kind}.L${layer + 1}` }, `${t(`${kind}.short`)} L${layer + 1}`),
      ),
    );
    const kept = places.some(({ kind, layer }) => `${kind}.L${layer + 1}` === before);
    if (kept) chosen.value = before;
    show();
  });
  const element = h(
    "div",
    {
      ...{ id: "apart", class: "popover", popover: "auto", role: "group" },
      "aria-label": t("parts.title"),
      toggle: (/** @type {ToggleEvent} */ { newState }) => actions.takeApart(newState === "open"),
    },
    h("p", { class: "quiet" }, t("parts.intro")),
    examining,
    list,
  );

  /** Beside what opens the menu of changes, where the page is in sight. */
  function follow() {
    const { apart, tab, presenter } = store.get();
    const anchor = document.querySelector(".panel:not([hidden]) .power");
    const open = apart && tab === DEFAULT_TAB && !presenter && anchor !== null;
    if (!element.isConnected || open === element.matches(":popover-open")) return;
    if (!open) return element.hidePopover();
    element.showPopover();
    placeBeside(element, anchor, { end: true });
  }
  // The page may still be on its way into the document.
  watch(["apart", "tab", "presenter", "trace"], () => void setTimeout(follow));
  return element;
}
