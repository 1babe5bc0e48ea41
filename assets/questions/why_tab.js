/** Why this word: which words belong together, why it and not another, and the readings of both. */

import { h } from "../kit/dom.js";
import { foldedView, heldView } from "../parts/folded.js";
import { unlessLacking } from "../parts/lacking.js";
import { gradientsView } from "./gradients/view.js";
import { learntView } from "./learnt/view.js";
import { linksView } from "./links/links.js";
import { pictureOf } from "./readings/pictures.js";
import { knownWords } from "./readings/readings.js";
import { DEFAULT_WORDS } from "./readings/settings.js";
import { sideBySideView } from "./readings/view.js";
import { insteadView } from "./why/view.js";

/** @param {import("../state/actions.js").Context} context */
export function whyView(context) {
  const { store, actions, t, watch } = context;
  const links = linksView(context);
  const linked = h(
    "section",
    { class: "why-links", "aria-labelledby": "why-links" },
    h("h3", { id: "why-links" }, t("why.links")),
    h("p", { class: "quiet prose" }, t("why.links_about")),
    links.element,
  );

  watch(["trace", "words", "heads", "step", "hiding"], show);
  function show() {
    const { trace, words, heads, step, hiding } = store.get();
    // A decoder alone has no second text to align its own with.
    const known = trace?.weights.cross ? knownWords(trace, "alignment", heads, null) : null;
    const found = known && pictureOf(t, known, { ...words, reading: "alignment" }).links;
    linked.hidden = !found;
    links.show(found ?? null, (word) => !hiding || (found?.first[word] ?? 0) <= step);
  }

  const readings = foldedView(t("why.readings"), context, sideBySideView);
  readings.addEventListener("toggle", () => {
    const { words } = store.get();
    if (readings.open !== words.readings) actions.adjust("words", { readings: readings.open });
  });
  let named = false;
  watch(["words"], ({ words }) => {
    // An address that names a reading means this.
    const names = words.reading !== DEFAULT_WORDS.reading || words.gold !== null;
    if (words.readings || (names && !named)) readings.open = true;
    else if (!words.readings) readings.open = false;
    named = names;
  });
  const gradients = unlessLacking(context, "gradients", t("gradients.title"), () =>
    heldView(t("gradients.title"), context, gradientsView, {
      key: "words",
      isOpen: ({ words }) => words.gradients,
      keep: (open) => actions.adjust("words", { gradients: open }),
    }),
  );
  return h(
    "div",
    { class: "inside why-tab" },
    linked,
    insteadView(context),
    unlessLacking(context, "learnt", t("learnt.title"), () => learntView(context)),
    gradients,
    readings,
  );
}
