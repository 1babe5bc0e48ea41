/** Parts of the model that can be taken away, and what should break then. */

import { partName, partTitle } from "../../draw/titles.js";
import { h } from "../../kit/dom.js";
import { toldChanges } from "../../state/patients.js";
import { PARTS } from "../../trace/interventions.js";
import { SHOWN } from "../../trace/kinds.js";

/** @param {import("../../state/actions.js").Context} context */
export function partsView({ store, actions, t, watch }) {
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
    const label = h("label", {}, box, h("strong", {}, name));
    // Whoever has not guessed yet is not told.
    const told = h("p", { class: "quiet", hidden: !box.checked }, why);
    return h("li", {}, h("div", { class: "field" }, label, extra), told);
  }

  function show() {
    list.replaceChildren(
      ...PARTS.map((text) => {
        const name = text.startsWith("temperature=") ? text : partName(text);
        return part(text, partTitle(t, text), t(`part.${name}.why`));
      }),
      part(`${chosen.value}.residual=off`, t("part.residual_off"), t("part.residual.why"), chosen),
    );
  }

  // After an answer that was a refusal, too: what is ticked is what is shown.
  watch(["trace", "busy", "solved"], (state) => {
    const { trace, busy } = state;
    if (busy) return;
    const places = SHOWN.flatMap((kind) =>
      Array.from({ length: trace?.weights[kind]?.layers ?? 0 }, (_, layer) => ({ kind, layer })),
    );
    done = toldChanges(state);
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
  return h(
    "div",
    { class: "parts-tab" },
    h("p", { class: "quiet prose" }, t("parts.intro")),
    examining,
    list,
  );
}
