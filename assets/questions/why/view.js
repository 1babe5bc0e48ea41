/** Why this token and not that one: what each word says for the one against the other. */

import { plainToken, tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { briefText, probabilityText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { mapView } from "../../parts/map/map.js";
import { otherCandidate } from "../../trace/trace.js";
import { unpackMatrix } from "../../trace/unpack.js";
import { lostWithout, MATTERS, rowOf } from "../../trace/words.js";

/** @param {import("../../state/actions.js").Context<{why: import("./settings.js").WhySettings}>} context */
export function insteadView(context) {
  const { actions, about, t, watch } = context;
  const question = h("span");
  const picker = h("select", {
    id: "words-not",
    change: () => actions.adjust("why", { other: picker.value ? Number(picker.value) : null }),
  });
  const answer = h("p", { class: "prose" });
  const map = mapView(context);
  const { waiting, problem, show, rest } = awaiting(t, { label: t("why.state"), clear });

  watch(["trace", "step", "why"], ({ trace, step, why: { other } }) => {
    if (!trace) return;
    const candidates = trace.candidates[step] ?? [];
    const others = candidates.filter(({ id }) => id !== trace.tgt_ids[step]);
    // A token of another step is none of this one's candidates.
    const chosen = otherCandidate(trace, step, other);
    question.replaceChildren(t("why.why"), " ", tokenNode(trace.tgt_out[step]), " ");
    picker.replaceChildren(
      h("option", { value: "" }, t("why.choose")),
      ...others.map(({ token, id, probability }) =>
        h("option", { value: id }, `${plainToken(token)} (${probabilityText(probability)})`),
      ),
    );
    picker.value = chosen ? String(chosen.id) : "";
    if (!chosen) {
      rest();
      clear();
      return;
    }
    show(about(trace).inside("why", { step, token: chosen.id }), (said) => draw(said, trace));
  });

  function clear() {
    answer.hidden = map.element.hidden = true;
  }

  /** @type {(said: any, trace: import("../../trace/trace.js").Trace) => void} */
  function draw({ deltas, words, readings, ...said }, { weights }) {
    const numbers = lostWithout(unpackMatrix(deltas));
    const tokens = { emitted: plainToken(said.emitted), other: plainToken(said.other) };
    answer.hidden = map.element.hidden = false;
    answer.textContent = sentence(words, rowOf(numbers, 0), tokens);
    map.show({
      name: t("why.map", tokens),
      unit: t("words.unit.leave_one_out"),
      numbers,
      rows: [
        [
          t("why.without"),
          readings.map((/** @type {{name: string, layer: number | null}} */ { name, layer }) =>
            layer === null ? t(`why.${name}`) : t(`why.${name}`, { n: layer + 1 }),
          ),
        ],
      ],
      heading: t(weights.cross ? "words.columns" : "words.columns_alone"),
      columns: words,
      text: briefText,
    });
  }

  /** @type {(words: string[], lost: Float32Array, tokens: {emitted: string, other: string}) => string} */
  function sentence(words, lost, tokens) {
    const most = [...lost.entries()]
      .filter(([, nats]) => Math.abs(nats) >= MATTERS)
      .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
    if (!most.length) return t("why.nothing", tokens);
    const [[word, delta]] = most;
    const values = { ...tokens, word: words[word], delta: briefText(Math.abs(delta)) };
    return t(delta > 0 ? "why.for" : "why.against", values);
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
      h("span", { class: "quiet" }, t("why.hint")),
    ),
    waiting,
    problem,
    answer,
    map.element,
    h("p", { class: "quiet prose" }, t("why.others")),
  );
}
