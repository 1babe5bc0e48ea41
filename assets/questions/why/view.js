/** Why this token: what each word says for it, or for it against another. */

import { plainToken, tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { briefText, probabilityText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { mapView } from "../../parts/map/map.js";
import { otherCandidate } from "../../trace/trace.js";
import { unpackMatrix } from "../../trace/unpack.js";
import { lostWithout, MATTERS, rowOf } from "../../trace/words.js";

/** @import { Trace } from "../../trace/trace.js" */

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
      show(about(trace).inside("leave_one_out"), (said) => drawAlone(said, trace, step));
      return;
    }
    show(about(trace).inside("why", { step, token: chosen.id }), (said) => draw(said, trace));
  });

  function clear() {
    answer.hidden = map.element.hidden = true;
  }

  /**
   * The token by itself, whatever else might have been written.
   *
   * @type {(said: any, trace: Trace, step: number) => void}
   */
  function drawAlone({ deltas, words }, trace, step) {
    const values = rowOf(lostWithout(unpackMatrix(deltas)), step);
    const tokens = { emitted: plainToken(trace.tgt_out[step] ?? ""), other: "" };
    answer.hidden = map.element.hidden = false;
    answer.textContent = sentence(words, values, tokens, "_alone");
    map.show({
      name: t("why.map_alone", tokens),
      unit: t("words.unit.leave_one_out"),
      numbers: { rows: 1, columns: words.length, values },
      rows: [[t("why.without"), [t("why.leave_one_out")]]],
      heading: t(trace.weights.cross ? "words.columns" : "words.columns_alone"),
      columns: words,
      text: briefText,
    });
  }

  /** @type {(said: any, trace: Trace) => void} */
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

  /** @type {(words: string[], lost: Float32Array, tokens: {emitted: string, other: string}, how?: "" | "_alone") => string} */
  function sentence(words, lost, tokens, how = "") {
    const most = [...lost.entries()]
      .filter(([, nats]) => Math.abs(nats) >= MATTERS)
      .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
    if (!most.length) return t(`why.nothing${how}`, tokens);
    const [[word, delta]] = most;
    const values = { ...tokens, word: words[word], delta: briefText(Math.abs(delta)) };
    return t(`why.${delta > 0 ? "for" : "against"}${how}`, values);
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
