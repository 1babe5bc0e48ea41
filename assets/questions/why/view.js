/** Why this token: what each word says for it, or for it against another. */

import { plainToken, tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { probabilityText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { mapView } from "../../parts/map/map.js";
import { otherCandidate } from "../../trace/trace.js";
import { againstIn, aloneIn } from "./picture.js";

/** @param {import("../../state/actions.js").Context<{why: import("./settings.js").WhySettings}>} context */
export function insteadView(context) {
  const { actions, about, t, watch } = context;
  const question = h("span");
  const picker = h("select", {
    id: "words-not",
    change: () => actions.adjust("why", { other: picker.value ? Number(picker.value) : null }),
  });
  const answer = h("p", { class: "prose" });
  const hint = h("span", { class: "quiet" });
  const others = h("p", { class: "quiet prose" }, t("why.others"));
  const map = mapView(context);
  const { waiting, problem, show } = awaiting(t, { label: t("why.state"), clear });

  watch(["trace", "step", "why"], ({ trace, step, why: { other } }) => {
    if (!trace) return;
    const candidates = trace.candidates[step] ?? [];
    const rest = candidates.filter(({ id }) => id !== trace.tgt_ids[step]);
    // A token of another step is none of this one's candidates.
    const chosen = otherCandidate(trace, step, other);
    question.replaceChildren(t("why.why"), " ", tokenNode(trace.tgt_out[step]), " ");
    picker.replaceChildren(
      h("option", { value: "" }, t("why.choose")),
      ...rest.map(({ token, id, probability }) =>
        h("option", { value: id }, `${plainToken(token)} (${probabilityText(probability)})`),
      ),
    );
    picker.value = chosen ? String(chosen.id) : "";
    hint.textContent = t(chosen ? "why.hint" : "why.hint_alone");
    others.hidden = !chosen;
    if (!chosen) {
      show(about(trace).inside("leave_one_out"), (said) => draw(aloneIn(t, said, trace, step)));
      return;
    }
    show(about(trace).inside("why", { step, token: chosen.id }), (said) =>
      draw(againstIn(t, said, trace)),
    );
  });

  function clear() {
    answer.hidden = map.element.hidden = true;
  }

  /** @param {import("./picture.js").Answered} answered */
  function draw({ said, picture }) {
    answer.hidden = map.element.hidden = false;
    answer.textContent = said;
    map.show(picture);
  }

  return h(
    "section",
    { class: "why", "aria-labelledby": "why-title" },
    h("h3", { id: "why-title" }, t("why.title")),
    h(
      "p",
      { class: "fields" },
      h("label", { for: "words-not" }, question, t("why.not")),
      picker,
      hint,
    ),
    waiting,
    problem,
    answer,
    map.element,
    others,
  );
}
