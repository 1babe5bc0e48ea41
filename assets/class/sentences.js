/** Sentences from the class, of which the teacher shows one: folded, since the projector shows this page. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";

/** @param {import("../state/in_class/class_actions.js").ClassContext} context */
export function sentencesView({ classroom, t, watch }) {
  const summary = h("summary", {});
  const list = h("ul", { "aria-label": t("class.sentences") });
  const folded = h("details", { class: "sentences" }, summary, list);
  let drawn = "";
  watch(["classroom"], ({ classroom: { sentences, question, end } }) => {
    folded.hidden = question?.kind !== "sentence" || end !== null;
    if (folded.hidden) folded.open = false;
    summary.textContent = t("class.sentences_here", { count: sentences.length });
    const now = JSON.stringify(sentences);
    if (now === drawn) return;
    drawn = now;
    list.replaceChildren(
      ...sentences.map((sentence) =>
        h(
          "li",
          { class: "cluster" },
          h("bdi", {}, sentence.text),
          chip(() => show(sentence), t("class.show_it")),
          chip(() => classroom.dropSentence(sentence), t("class.drop_it")),
        ),
      ),
    );
  });

  /** @param {{id: string, text: string}} sentence */
  function show(sentence) {
    folded.open = false;
    classroom.takeSentence(sentence);
  }

  return folded;
}
