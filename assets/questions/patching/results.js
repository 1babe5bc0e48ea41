/** How far each part of another sentence's run moves an answer: a sentence, and maps. */

import { plainToken, tokenNode } from "../../draw/token.js";
import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { fill } from "../../kit/i18n.js";
import { briefText } from "../../kit/numbers.js";
import { headName } from "../../trace/choice.js";
import { judgedOf } from "../../trace/judged.js";
import { furthest, patchedMaps } from "./patched_maps.js";

/** @import { Answers } from "../../trace/answers.d.ts" */

/**
 * @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context
 * @param {Answers["patching"]} patched
 * @param {string} text  of the other sentence
 * @returns {Node[]}
 */
export function patchedResults(context, patched, text) {
  const { store, actions, t } = context;
  const question = h("p", { class: "asked" }, steps(patched));
  if (ahead(patched.step)) return [question, h("p", { class: "quiet" }, t("tip.ahead"))];
  const most = furthest(patched);
  const head = { layer: most.layer, head: most.head };
  const name = `${t(`${most.kind}.short`)} ${headName(head)}`;
  const answer = fill(t("patching.found"), {
    answer: tokenNode(patched.answer),
    other: tokenNode(patched.donor_answer),
    donor: h("q", {}, text),
  });
  const moved = fill(t("patching.most"), {
    head: chip(() => actions.enlarge(most.kind, head), name),
    share: briefText(most.share),
  });
  return [
    question,
    h("p", { class: "prose" }, ...answer),
    h("p", { class: "prose" }, ...moved),
    ...patchedMaps(context, patched, store.get().heads),
  ];

  /** @param {number} at  a step, whose answer a class may still have to guess */
  function ahead(at) {
    const { step, hiding, trace } = store.get();
    return hiding && Boolean(trace?.tgt_in.length) && at > step;
  }

  /** @param {Answers["patching"]} patched */
  function steps({ step, steps, donor_answers }) {
    const { trace } = store.get();
    const judged = trace ? judgedOf(trace) : { rows: [], says: [] };
    const picker = h(
      "select",
      {
        id: "patching-step",
        change: () => actions.adjust("patching", { step: Number(picker.value) }),
      },
      ...steps.map((at, i) => {
        const { rows, says } = judged;
        const [answer, other] = ahead(at)
          ? ["…", "…"]
          : [says[at] ?? "", donor_answers[i]].map(plainToken);
        const values = { step: rows[at] + 1, answer, other };
        const named = t(trace?.tgt_in.length ? "patching.step_is" : "patching.word_is", values);
        return h("option", { value: at, selected: at === step }, named);
      }),
    );
    return h(
      "span",
      { class: "field" },
      h("label", { for: "patching-step" }, t("patching.step")),
      picker,
    );
  }
}
