/** Which words belong together: the alignment of the head that is chosen, as links. */

import { h } from "../../kit/dom.js";
import { pictureOf } from "../readings/pictures.js";
import { knownWords } from "../readings/readings.js";
import { linksView } from "./links.js";

/** @param {import("../../state/actions.js").Context<import("../readings/settings.js").Own>} context */
export function linkedWordsView(context) {
  const { t, watch } = context;
  const links = linksView(context);
  watch(["trace", "words", "heads", "step", "hiding"], ({ trace, words, heads, step, hiding }) => {
    const known = trace && knownWords(trace, "alignment", heads, null);
    const found = known && pictureOf(t, known, { ...words, reading: "alignment" }).links;
    links.show(found ?? null, (word) => !hiding || (found?.first[word] ?? 0) <= step);
  });
  return h(
    "section",
    { class: "why-links", "aria-labelledby": "why-links" },
    h("h3", { id: "why-links" }, t("why.links")),
    h("p", { class: "quiet prose" }, t("why.links_about")),
    links.element,
  );
}
